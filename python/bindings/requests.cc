#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/options/shared_options.h"
#include "app/requests/trace_requests.h"
#include "bindings/arguments.h"
#include "bindings/commands.h"
#include "bindings/module_parts.h"
#include "bindings/opened.h"
#include "bindings/released.h"
#include "report/writers.h"

namespace slackline::python {
namespace {

namespace py = pybind11;

ReportPtr execute_command(const std::string& name, const py::dict& given, bool pictures) {
  Arguments arguments(given);
  const auto execute = command_named(name).prepare(arguments, pictures);
  arguments.refuse_unknown(name);
  return released([execute] { return std::make_shared<Report>(execute()); });
}

std::set<std::string> arguments_of(const std::string& name) {
  std::set<std::string> known;
  command_named(name).look_at_options([&](const OptionList& options) {
    for (const Option& option : options) {
      const std::vector<std::string> keywords = option.keywords();
      known.insert(keywords.begin(), keywords.end());
    }
  });
  return known;
}

/// The names of the positional arguments, and whether each takes all values that follow.
std::vector<std::pair<std::string, bool>> positionals_of(const std::string& name) {
  std::vector<std::pair<std::string, bool>> positionals;
  command_named(name).look_at_options([&](const OptionList& options) {
    for (const Option& option : options) {
      if (option.is_positional()) positionals.emplace_back(option.names.front(), option.is_list());
    }
  });
  return positionals;
}

ReportPtr info(const OpenedPtr& opened) {
  return released([opened] { return std::make_shared<Report>(info_of(opened->opened())); });
}

OpenedPtr open_with(const py::dict& given) {
  RunRequest request;
  OptionList options;
  declare_trace(options, request.trace, request.reading);
  declare(options, request);
  Arguments arguments(given);
  arguments.fill(options);
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
  m.def("positionals_of", positionals_of);
  m.def("quantities", quantities);
  m.def("commands", [] {
    std::vector<std::string> names;
    for (const ReportingCommand& command : reporting_commands()) names.emplace_back(command.name);
    return names;
  });
}

py::str report_text(const ReportPtr& report, const std::string& form) {
  const std::string text = released([report, form] {
    if (form == "html") return write_html(*report);
    if (form == "text") return write_text(*report, {});
    return write_json(*report, form == "sections");
  });
  // Paths and names in it may be in any encoding.
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

}  // namespace slackline::python
