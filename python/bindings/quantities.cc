#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/units.h"
#include "bindings/commands.h"

namespace slackline::python {

namespace py = pybind11;

namespace {

/// How a quantity is written as a number.
struct NumberForm {
  const char* suffix;  ///< of the keyword
  const char* unit;    ///< as text has it
  double (*number)(const std::string& text);
};

std::optional<NumberForm> number_form(QuantityUnit unit) {
  switch (unit) {
    case QuantityUnit::none:
      break;
    case QuantityUnit::time:
      return NumberForm{"_ns", "ns",
                        [](const std::string& text) { return ns_of_fs(parse_time_fs(text, "")); }};
    case QuantityUnit::time_per_byte:
      return NumberForm{"_ns_per_byte", "ns/B", [](const std::string& text) {
                          return ns_of_fs(parse_gap_per_byte_fs(text, ""));
                        }};
    case QuantityUnit::bytes:
      return NumberForm{"_bytes", "B", [](const std::string& text) {
                          return static_cast<double>(parse_bytes(text, ""));
                        }};
  }
  return std::nullopt;
}

void add_quantity(const Option& option, py::dict& quantities) {
  const std::vector<std::string> keywords = option.keywords();
  const std::string& name = keywords.front();
  const std::string& text = option.rules.example;
  const std::optional<NumberForm> form = number_form(option.rules.unit);
  std::string example = fmt::format("{}='{}'", name, text);
  if (form) example += fmt::format(", or {}{}={}", name, form->suffix, form->number(text));
  for (const std::string& keyword : keywords) {
    quantities[py::str(keyword)] = py::make_tuple(name, py::none(), example);
  }
  if (form) quantities[py::str(name + form->suffix)] = py::make_tuple(name, form->unit, example);
}

}  // namespace

py::dict quantities() {
  py::dict quantities;
  for (const ReportingCommand& command : reporting_commands()) {
    command.look_at_options([&](const OptionList& options) {
      for (const Option& option : options) {
        if (!option.rules.example.empty()) add_quantity(option, quantities);
      }
    });
  }
  return quantities;
}

}  // namespace slackline::python
