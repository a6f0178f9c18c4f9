#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "analysis/model/loggops_prediction.h"
#include "app/load/input.h"
#include "app/options/model_options.h"
#include "app/options/run_request.h"
#include "base/findings.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "sim/loggops/loggops.h"

namespace slackline {

/// A GOAL program and a LogGOPS model, ready to simulate. A trace becomes a program in which
/// collectives are messages.
struct LoadedProgram {
  GoalProgram program;
  LogGOPS model;
  std::string path;
  InputDescription input;
  Findings findings;
};

/// Throws Error where a value or the noise file cannot be read.
LogGOPS resolve_loggops(const ModelChoice& choice, const LogGOPSOptions& options);

/// Throws Error.
LoadedProgram load_program(const ModelRequest& request, const LogGOPSOptions& options);

std::string report_title(std::string_view command, const LoadedProgram& loaded);

/// What was described with its title, options (the model's, then `own`), input and findings.
template <class Result, class Own = Object<>>
auto with_context(Described<Result> described, std::string_view command,
                  const LoadedProgram& loaded, Own own = {}) {
  described.findings.merge(loaded.findings);
  return typed_report(command, report_title(command, loaded),
                      Object<LogGOPSJson, Own>(LogGOPSJson(loaded.model), std::move(own)),
                      to_json(loaded.input), std::move(described));
}

}  // namespace slackline
