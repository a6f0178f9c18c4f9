#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/load/loaded_graph.h"
#include "app/options/option_list.h"
#include "bindings/arguments.h"
#include "report/report.h"

namespace slackline::python {

/// A command that answers with a Report, without the command line.
struct ReportingCommand {
  std::string_view name;
  /// Fills its request from `arguments`; what is returned executes it, needs no Python, and throws
  /// Error. `pictures`: with what only pages show.
  std::function<Report()> (*prepare)(Arguments& arguments, bool pictures);
  /// Hands its options to `look`, during whose call alone their variables exist.
  void (*look_at_options)(const std::function<void(const OptionList&)>& look);
  /// As `prepare`, of a graph that is there; null where there is no such thing.
  std::function<Report(const LoadedGraph&)> (*prepare_on_graph)(Arguments& arguments) = nullptr;
};

/// In the order of the command line's help.
std::span<const ReportingCommand> reporting_commands();

/// The command of this name, present or former. Throws usage Error.
const ReportingCommand& command_named(std::string_view name);

/// The keyword arguments of all commands whose values have a unit: for each keyword the option's
/// first one, the unit of the number that it takes (None: it takes text with a unit), and an
/// example.
pybind11::dict quantities();

using ReportPtr = std::shared_ptr<Report>;

/// `report` in the form "json", "sections" (JSON with the whole tree), "html" or "text", as the
/// command line writes it.
pybind11::str report_text(const ReportPtr& report, const std::string& form);

}  // namespace slackline::python
