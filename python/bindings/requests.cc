#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/requests/info.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/commands.h"
#include "bindings/module_parts.h"
#include "bindings/opened.h"
#include "bindings/released.h"
#include "bindings/report_text.h"
#include "report/command_names.h"

namespace slackline::python {
namespace {

namespace py = pybind11;

const ReportingCommand& command_named(const std::string& name) {
  const auto commands = reporting_commands();
  const auto found =
      std::ranges::find(commands, present_command_name(name), &ReportingCommand::name);
  if (found != commands.end()) return *found;
  throw usage_error("cannot run '" + name + "'", "no such command answers with a report",
                    "slackline.commands() lists those that do.");
}

ReportPtr execute_command(const std::string& name, const py::dict& given, bool pictures) {
  Arguments arguments(given);
  const auto execute = command_named(name).prepare(arguments, pictures);
  arguments.refuse_unknown(name);
  return released([execute] { return std::make_shared<Report>(execute()); });
}

std::set<std::string> arguments_of(const std::string& name) {
  Arguments arguments{py::dict()};
  command_named(name).prepare(arguments, false);
  return arguments.known();
}

ReportPtr info(const OpenedPtr& opened) {
  return released([opened] { return std::make_shared<Report>(info_of(opened->opened())); });
}

OpenedPtr open_with(const py::dict& given) {
  RunRequest request;
  Arguments arguments(given);
  fill(request, arguments);
  arguments.refuse_unknown("open");
  return released([request] { return open_run(request); });
}

}  // namespace

void define_requests(py::module_& m) {
  py::class_<Report, ReportPtr> report(m, "Report");
  refuse_new(report);
  report.def("text", report_text);
  m.def("open", open_with);
  m.def("info", info);
  m.def("execute", execute_command);
  m.def("arguments_of", arguments_of);
  m.def("commands", [] {
    std::vector<std::string> names;
    for (const ReportingCommand& command : reporting_commands()) names.emplace_back(command.name);
    return names;
  });
}

}  // namespace slackline::python
