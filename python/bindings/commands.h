#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "app/load/loaded_graph.h"
#include "bindings/arguments.h"
#include "report/report.h"

namespace slackline::python {

/// A command that answers with a Report, without the command line.
struct ReportingCommand {
  std::string_view name;
  /// Fills its request from `arguments`; what is returned executes it, needs no Python, and throws
  /// Error. `pictures`: with what only pages show.
  std::function<Report()> (*prepare)(Arguments& arguments, bool pictures);
  /// The same of a graph that is there; null where there is no such thing.
  std::function<Report(const LoadedGraph&)> (*prepare_on_graph)(Arguments& arguments) = nullptr;
};

/// In the order of the command line's help.
std::span<const ReportingCommand> reporting_commands();

}  // namespace slackline::python
