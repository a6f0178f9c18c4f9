#pragma once

#include <string>
#include <string_view>

#include "app/options/loggops_options.h"
#include "app/options/model_request.h"
#include "base/findings.h"
#include "report/report.h"
#include "sim/loggops/loggops.h"

namespace slackline {

/// A GOAL program and a LogGOPS model, ready to simulate. A trace becomes a program in which
/// collectives are messages.
struct LoadedProgram {
  GoalProgram program;
  LogGOPS model;
  std::string path;
  Json input;
  Findings findings;
};

/// Throws Error.
LoadedProgram load_program(const ModelRequest& request, const LogGOPSOptions& options);

/// `report` with its command, title, options, input and findings.
Report with_context(Report report, std::string_view command, const LoadedProgram& loaded,
                    const Json& own_options = Json::object());

}  // namespace slackline
