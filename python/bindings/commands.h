#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "bindings/arguments.h"
#include "report/report.h"

namespace slackline::python {

/// How a Report becomes text.
enum class Rendering { json, sections, html, text };

/// A command that answers with a Report, without the command line.
struct ReportingCommand {
  std::string_view name;
  /// Fills its request from `arguments`; what is returned executes it, needs no Python, and throws
  /// Error.
  std::function<Report()> (*prepare)(Arguments& arguments, Rendering rendering);
};

/// In the order of the command line's help.
std::span<const ReportingCommand> reporting_commands();

}  // namespace slackline::python
