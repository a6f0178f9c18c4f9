#include "cli/command_parser.h"

#include <CLI/CLI.hpp>

namespace slackline {

CommandOption* CommandOption::description(const std::string& text) {
  option_->description(text);
  return this;
}

CommandOption* CommandOption::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

CommandOption* CommandOption::group(const std::string& name) {
  option_->group(name);
  return this;
}

CommandOption* CommandOption::required() {
  option_->required();
  return this;
}

CommandOption* CommandOption::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

CommandOption* CommandOption::capture_default_str() {
  option_->capture_default_str();
  return this;
}

CommandOption* CommandOption::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return this;
}

CommandOption* CommandOption::delimiter(char separator) {
  option_->delimiter(separator);
  return this;
}

CommandOption* CommandOption::expected(int count) {
  option_->expected(count);
  return this;
}

CommandOption* CommandOption::optional_value(const std::string& value) {
  option_->expected(0, 1)->default_str(value);
  return this;
}

CommandOption* CommandOption::excludes(CommandOption* other) {
  option_->excludes(other->option_);
  return this;
}

CommandOption* CommandOption::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return this;
}

CommandOption* CommandOption::in_range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return this;
}

CommandOption* CommandOption::positive() {
  option_->check(CLI::PositiveNumber);
  return this;
}

CommandOption* CommandOption::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return this;
}

CommandOption* CommandParser::kept(CLI::Option* option) {
  return &options_.emplace_back(*option);
}

template <class Value>
CommandOption* CommandParser::add_option(const std::string& names, Value& target,
                                         const std::string& description) {
  return kept(app_.add_option(names, target, description));
}

#define SLACKLINE_OPTION_OF(...)                                                                   \
  template CommandOption* CommandParser::add_option(const std::string& names, __VA_ARGS__& target, \
                                                    const std::string& description)
SLACKLINE_OPTION_OF(std::string);
SLACKLINE_OPTION_OF(std::optional<std::string>);
SLACKLINE_OPTION_OF(std::vector<std::string>);
SLACKLINE_OPTION_OF(int);
SLACKLINE_OPTION_OF(std::optional<int>);
SLACKLINE_OPTION_OF(std::uint32_t);
SLACKLINE_OPTION_OF(std::uint64_t);
SLACKLINE_OPTION_OF(double);
#undef SLACKLINE_OPTION_OF

CommandOption* CommandParser::add_flag(const std::string& names, bool& target,
                                       const std::string& description) {
  return kept(app_.add_flag(names, target, description));
}

CommandOption* CommandParser::get_option(const std::string& name) {
  return kept(app_.get_option(name));
}

void CommandParser::footer(const std::string& text) {
  app_.footer(text);
}

}  // namespace slackline
