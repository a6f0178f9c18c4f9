#pragma once

#include <optional>
#include <string>
#include <string_view>
#include "cli/command_parser.h"

#include "cli/model_question.h"
#include "timing/makespan.h"

namespace slackline {

/// Where reduced graphs are kept from one run to the next.
struct CacheOptions {
  std::string where = "auto";  ///< --cache: "auto", "off" or a folder
};

void add_cache_option(CommandParser& parser, CacheOptions& options);

/// A trace of which only the reduced graph is needed: either just made or out of its cache.
struct ReducedQuestion {
  ReducedLogGPS reduced;
  ModelChoice model;
  std::string subject;
  Json input;
  Findings findings;

  MakespanFunction makespan(Parameter parameter) const {
    return {ReducedProgram(reduced), model.model, parameter};
  }
};

/// Empty when the question needs more than a reduction by L, o and G (`parameter` of some messages
/// only, a network that tells ranks apart), or when the input is too small to be worth a cache and
/// none was asked for; the way then is open_question().
///
/// The cache lies beside the trace, or in the folder that was named, as
/// NAME.<choices>.slkcache. It counts only if the trace's content (by its hash), the version and
/// the choices are those that it was made of, so it is never stale and may be removed at any time.
/// Where it cannot be written there is none.
std::optional<ReducedQuestion> open_reduced(const ModelQuestion& question,
                                            const CacheOptions& cache,
                                            const VariedParameter& parameter);

/// As answer() of a whole question.
void answer(Report report, std::string_view command, const ReducedQuestion& reduced,
            const ModelQuestion& question, Json own_options = Json::object());

}  // namespace slackline
