#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/model/model_choice.h"
#include "app/load/input.h"
#include "app/options/run_request.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "timing/makespan.h"

namespace slackline {

class ProcessGroup;

/// A trace of which only the reduced graph is needed, either just made or read from its cache.
struct LoadedReduction {
  ReducedLogGPS reduced;
  ModelChoice model;
  std::string subject;
  InputDescription input;
  Findings findings;

  MakespanFunction makespan(Parameter parameter) const {
    return {ReducedProgram(reduced), model.model, parameter};
  }
};

/// Empty when the request needs more than a reduction by L, o and G (`parameter` of some messages
/// only, a network in which pairs of ranks differ), or when the input is too small to be worth a
/// cache and none was asked for; load_graph() serves then. A trace that is too large for the
/// memory, or shared among processes, is read in stretches (stretched_model.h). All processes of
/// `group` call it together; in all but the first the result is empty.
///
/// The cache lies in the user's folder (cache_folder.h) or in the one that was named, its name
/// being a hash of the trace's and of the choices. It counts only if the trace's content (by its
/// hash), the version and the choices are those that it was made of, so it is never stale and may
/// be removed at any time. In the user's folder it takes no more than twice the trace's size. Where
/// it cannot be written there is none. Throws Error.
std::optional<LoadedReduction> load_reduction(const ModelRequest& request,
                                              const CacheOptions& cache,
                                              const VariedParameter& parameter,
                                              ProcessGroup& group);

std::string report_title(std::string_view command, const LoadedReduction& loaded);

/// What was described with its title, options (the model's, then `own`), input and findings.
template <class Result, class Own>
auto with_context(Described<Result> described, std::string_view command,
                  const LoadedReduction& loaded, Own own) {
  described.findings.merge(loaded.findings);
  return typed_report(command, report_title(command, loaded),
                      Object<ModelJson, Own>(to_json(loaded.model), std::move(own)),
                      to_json(loaded.input), std::move(described));
}

}  // namespace slackline
