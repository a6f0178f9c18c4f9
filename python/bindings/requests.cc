#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/commands.h"
#include "bindings/module_parts.h"
#include "bindings/opened.h"
#include "bindings/released.h"
#include "report/writers.h"

namespace slackline::python {
namespace {

namespace py = pybind11;

Rendering rendering_named(const std::string& name) {
  if (name == "html") return Rendering::html;
  if (name == "text") return Rendering::text;
  return name == "sections" ? Rendering::sections : Rendering::json;
}

std::string rendered(const Report& report, Rendering rendering) {
  switch (rendering) {
    case Rendering::html:
      return write_html(report);
    case Rendering::text:
      return write_text(report, {});
    case Rendering::sections:
      return write_json(report, true);
    case Rendering::json:
      break;
  }
  return write_json(report, false);
}

const ReportingCommand& command_named(const std::string& name) {
  const auto commands = reporting_commands();
  const auto found = std::ranges::find(commands, name, &ReportingCommand::name);
  if (found != commands.end()) return *found;
  throw usage_error("cannot run '" + name + "'", "no such command answers with a report",
                    "slackline.commands() lists those that do.");
}

py::str execute_command(const std::string& name, const py::dict& given,
                        const std::string& rendering_name) {
  const ReportingCommand& command = command_named(name);
  const Rendering rendering = rendering_named(rendering_name);
  Arguments arguments(given);
  const auto execute = command.prepare(arguments, rendering);
  arguments.refuse_unknown(name);
  const std::string text = released([=] { return rendered(execute(), rendering); });
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

std::set<std::string> arguments_of(const std::string& name) {
  Arguments arguments{py::dict()};
  command_named(name).prepare(arguments, Rendering::json);
  return arguments.known();
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
  m.def("open", open_with);
  m.def("execute", execute_command);
  m.def("arguments_of", arguments_of);
  m.def("commands", [] {
    std::vector<std::string> names;
    for (const ReportingCommand& command : reporting_commands()) names.emplace_back(command.name);
    return names;
  });
}

}  // namespace slackline::python
