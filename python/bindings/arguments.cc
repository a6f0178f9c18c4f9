#include "bindings/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/error.h"

namespace slackline::python {

namespace py = pybind11;

namespace {

/// Numbers may be given as text, too.
py::object number_of(const py::handle& value) {
  if (!py::isinstance<py::str>(value)) return py::reinterpret_borrow<py::object>(value);
  PyObject* number = PyLong_FromUnicodeObject(value.ptr(), 10);
  if (number == nullptr) {
    PyErr_Clear();
    number = PyFloat_FromString(value.ptr());
  }
  if (number == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(number);
}

template <class Number>
void require_in_range(const std::string& keyword, Number value, bool in_range,
                      const std::string& range) {
  if (in_range) return;
  throw usage_error(fmt::format("cannot use {} as {}", value, keyword), "it is out of range",
                    fmt::format("Give {}.", range));
}

/// A whole number of an option that limits it.
template <class Value>
Value limited_number(const py::handle& value, const OptionRules& rules,
                     const std::string& keyword) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto number = number_of(value).cast<std::int64_t>();
  if (rules.range) {
    const auto [least, most] = *rules.range;
    require_in_range(keyword, number, number >= least && number <= most,
                     fmt::format("a number from {} to {}", least, most));
  } else {
    const int least = rules.positive ? 1 : 0;
    require_in_range(keyword, number, number >= least && number <= kMost,
                     fmt::format("{} or more", least));
  }
  return static_cast<Value>(number);
}

template <class Value>
void read(const py::handle& value, const OptionRules& rules, const std::string& keyword,
          Value& target) {
  const bool limited = rules.range || rules.positive || rules.not_negative;
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    target =
        limited ? limited_number<Value>(value, rules, keyword) : number_of(value).cast<Value>();
  } else {
    target = number_of(value).cast<Value>();
    if constexpr (std::is_same_v<Value, double>) {
      require_in_range(keyword, target, !rules.not_negative || target >= 0, "0 or more");
    }
  }
}

void read(const py::handle& value, const OptionRules& /*rules*/, const std::string& /*keyword*/,
          std::optional<std::int32_t>& target) {
  target = number_of(value).cast<std::int32_t>();
}

std::string text_of(const py::handle& value, const OptionRules& rules, const std::string& keyword) {
  auto text = py::str(value).cast<std::string>();
  if (rules.choices.empty() || std::ranges::find(rules.choices, text) != rules.choices.end()) {
    return text;
  }
  throw usage_error(fmt::format("cannot use '{}' as {}", text, keyword), "there is no such value",
                    fmt::format("Give one of {}.", fmt::join(rules.choices, ", ")));
}

void read(const py::handle& value, const OptionRules& rules, const std::string& keyword,
          std::string& target) {
  target = text_of(value, rules, keyword);
}

void read(const py::handle& value, const OptionRules& rules, const std::string& keyword,
          std::optional<std::string>& target) {
  target = text_of(value, rules, keyword);
}

/// One text is a list of it alone.
void read(const py::handle& value, const OptionRules& /*rules*/, const std::string& /*keyword*/,
          std::vector<std::string>& target) {
  target.clear();
  if (py::isinstance<py::str>(value) || !py::isinstance<py::iterable>(value)) {
    target.push_back(py::str(value).cast<std::string>());
    return;
  }
  for (const py::handle& element : value) {
    target.push_back(py::str(element).cast<std::string>());
  }
}

}  // namespace

void Arguments::fill(const OptionList& options) {
  for (const Option& option : options) {
    for (const std::string& keyword : option.keywords()) {
      known_.insert(keyword);
      fill(option, keyword);
    }
    if (option.rules.excludes.empty() || !has(option)) continue;
    const Option& other = options[option.rules.excludes];
    if (!has(other)) continue;
    throw usage_error(
        fmt::format("cannot use {} with {}", option.keywords().front(), other.keywords().front()),
        "one excludes the other", "Give one of them.");
  }
}

bool Arguments::has(const Option& option) const {
  return std::ranges::any_of(option.keywords(), [&](const std::string& keyword) {
    const py::str key(keyword);
    if (!given_.contains(key)) return false;
    const py::object value = given_[key];
    return !value.is_none() && !value.is(py::bool_(false));
  });
}

void Arguments::fill(const Option& option, const std::string& keyword) {
  const py::str key(keyword);
  if (!given_.contains(key) || given_[key].is_none()) return;
  const py::object value = given_[key];
  const auto refused = [&] {
    return py::type_error(
        fmt::format("argument '{}' cannot be {}", keyword, py::repr(value).cast<std::string>()));
  };
  try {
    std::visit([&](auto* target) { read(value, option.rules, keyword, *target); }, option.target);
  } catch (const py::cast_error&) {
    throw refused();
  } catch (const py::error_already_set&) {
    throw refused();
  }
}

void Arguments::refuse_unknown(const std::string& command) const {
  for (const auto& [key, value] : given_) {
    const auto name = key.cast<std::string>();
    if (known_.contains(name)) continue;
    throw py::type_error("'" + command + "' has no argument '" + name + "'");
  }
}

}  // namespace slackline::python
