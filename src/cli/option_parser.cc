#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "app/options/option_list.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

std::string joined_names(const Option& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ",") + name;
  return text;
}

/// CLI11 takes "-1" and what does not fit for the largest number.
template <class Value>
std::string check_unsigned(const std::string& text) {
  if (number_in<Value>(text)) return {};
  return "'" + text + "' is not an integer from 0 to " +
         std::to_string(std::numeric_limits<Value>::max());
}

template <class Value>
CLI::Option* add(CLI::App& command, const Option& option, Value* target) {
  if constexpr (std::is_same_v<Value, bool>) {
    return command.add_flag(joined_names(option), *target, option.help);
  } else if constexpr (std::is_unsigned_v<Value>) {
    CLI::Option* const added = command.add_option(joined_names(option), *target, option.help);
    return option.rules.range ? added : added->check(check_unsigned<Value>);
  } else {
    return command.add_option(joined_names(option), *target, option.help);
  }
}

/// CLI11's own such checks name the largest double, in 309 digits.
auto check_number(bool positive) {
  return [positive](const std::string& text) -> std::string {
    double number = 0;
    const bool is_number = CLI::detail::lexical_cast(text, number);
    if (is_number && (positive ? number > 0 : number >= 0)) return {};
    return "'" + text + "' is not a number " + (positive ? "above 0" : "of 0 or more");
  };
}

void check_values(CLI::Option& added, const OptionRules& rules) {
  if (!rules.choices.empty()) added.check(CLI::IsMember(rules.choices));
  if (rules.range) added.check(CLI::Range(rules.range->least, rules.range->most));
  if (rules.positive) added.check(check_number(true));
  if (rules.not_negative) added.check(check_number(false));
}

/// An option takes one value each time it is given: more would swallow the trace that follows.
void count_values(CLI::Option& added, const Option& option) {
  const OptionRules& rules = option.rules;
  if (option.is_list() && !option.is_positional()) added.allow_extra_args(false);
  if (rules.separator != '\0') added.delimiter(rules.separator);
  if (rules.value_count > 0) added.expected(rules.value_count);
  if (!rules.value_if_alone.empty()) added.expected(0, 1);
}

void add_option(CLI::App& command, const Option& option) {
  const OptionRules& rules = option.rules;
  CLI::Option* const added =
      std::visit([&](auto* target) { return add(command, option, target); }, option.target);
  if (!option.value_name.empty()) added->type_name(option.value_name);
  if (!option.group.empty()) added->group(option.group);
  check_values(*added, rules);
  count_values(*added, option);
  added->required(rules.required);
  const std::string shown =
      rules.value_if_alone.empty() ? option.shown_default() : rules.value_if_alone;
  if (!shown.empty() && !option.is_positional()) added->default_str(shown);
  if (!rules.excludes.empty()) added->excludes(command.get_option(rules.excludes));
}

/// Where a group stands in help: the command's own options first.
std::size_t place_of(const std::string& group) {
  constexpr std::array<std::string_view, 5> kLast{"Model", "Output", "Network", "Platform",
                                                  "LogGOPS"};
  const auto* const found = std::ranges::find(kLast, group);
  return found == kLast.end() ? 0 : static_cast<std::size_t>(found - kLast.begin()) + 1;
}

}  // namespace

void add_options(CLI::App& command, const OptionList& options) {
  std::vector<const Option*> ordered;
  for (const Option& option : options) {
    if (option.rules.callers != OptionCallers::python) ordered.push_back(&option);
  }
  std::ranges::stable_sort(ordered, {}, [](const Option* o) { return place_of(o->group); });
  for (const Option* option : ordered) add_option(command, *option);
}

}  // namespace slackline
