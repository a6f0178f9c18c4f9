#include "app/options/option_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t comma = 0; comma != std::string_view::npos; text.remove_prefix(comma + 1)) {
    comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) break;
  }
  return names;
}

/// "--from" as "from_", which is a word of Python's own without the underscore.
std::string keyword_of(std::string_view name) {
  std::string keyword(name.substr(name.find_first_not_of('-')));
  std::ranges::replace(keyword, '-', '_');
  return keyword == "from" ? keyword + '_' : keyword;
}

bool has_name(const Option& option, std::string_view name) {
  return std::ranges::find(option.names, name) != option.names.end();
}

template <class Options>
auto& named(Options& options, std::string_view name) {
  const auto found =
      std::ranges::find_if(options, [&](const Option& option) { return has_name(option, name); });
  expects(found != options.end(), "the option is declared");
  return *found;
}

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    return value;
  } else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
    return value == Value{} ? "" : fmt::format("{}", value);
  } else {
    return "";
  }
}

}  // namespace

std::string Option::shown_default() const {
  if (!rules.shown_default.empty()) return rules.shown_default;
  return std::visit([](const auto* value) { return text_of(*value); }, target);
}

std::vector<std::string> Option::keywords() const {
  std::vector<std::string> keywords;
  if (!rules.keyword.empty()) keywords.push_back(rules.keyword);
  for (const std::string& name : names) {
    keywords.push_back(keyword_of(name));
    if (name.starts_with("--")) break;  // others are spellings
  }
  return keywords;
}

Option& OptionList::add_option(std::string_view names, OptionTarget target, std::string help,
                               OptionRules rules) {
  const std::size_t space = std::min(names.find(' '), names.size());
  const std::string_view value_name = names.substr(std::min(space + 1, names.size()));
  Option option{.names = split_names(names.substr(0, space)),
                .value_name = std::string(value_name),
                .target = target,
                .help = std::move(help),
                .group = group_,
                .rules = std::move(rules)};
  for (const std::string& name : option.names) {
    expects(!contains(name), "an option is declared once");
  }
  expects(option.rules.excludes.empty() || contains(option.rules.excludes),
          "an option excludes one that is declared before it");
  return options_.emplace_back(std::move(option));
}

Option& OptionList::operator[](std::string_view name) {
  return named(options_, name);
}

const Option& OptionList::operator[](std::string_view name) const {
  return named(options_, name);
}

bool OptionList::contains(std::string_view name) const {
  return std::ranges::any_of(options_, [&](const Option& o) { return has_name(o, name); });
}

std::vector<std::string> changed_options(const OptionList& options, const OptionList& defaults) {
  const auto same_value = [](const auto* a, const auto* b) {
    if constexpr (std::is_same_v<decltype(a), decltype(b)>) return *a == *b;
    return false;
  };
  std::vector<std::string> changed;
  for (const Option& option : options) {
    const Option& usual = defaults[option.names.front()];
    if (!std::visit(same_value, option.target, usual.target))
      changed.push_back(option.names.back());
  }
  return changed;
}

OptionGroup::OptionGroup(OptionList& options, std::string heading)
    : options_(options), outer_(std::exchange(options.group_, std::move(heading))) {}

OptionGroup::~OptionGroup() {
  options_.group_ = std::move(outer_);
}

}  // namespace slackline
