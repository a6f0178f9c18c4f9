#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace slackline {

/// A declared option or positional argument; what is said of it here shows in --help. Every member
/// returns the option itself, so that calls can be chained.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option& option) : option_(&option) {}

  CommandOption* description(const std::string& text);
  /// What stands for the value in --help: "FILE".
  CommandOption* type_name(const std::string& name);
  /// The heading in --help.
  CommandOption* group(const std::string& name);
  CommandOption* required();
  /// The default as --help shows it; the target keeps its value.
  CommandOption* default_str(const std::string& text);
  /// The target's present value, as the default that --help shows.
  CommandOption* capture_default_str();
  /// Whether a list takes all values that follow, or one for each time it is named.
  CommandOption* allow_extra_args(bool allowed);
  /// Cuts one argument into several values of a list.
  CommandOption* delimiter(char separator);
  /// The number of values.
  CommandOption* expected(int count);
  /// Given without a value, it has this one.
  CommandOption* optional_value(const std::string& value);
  /// Refuses both together.
  CommandOption* excludes(CommandOption* other);

  CommandOption* one_of(const std::vector<std::string>& values);
  /// Inclusive.
  CommandOption* in_range(int least, int most);
  CommandOption* positive();
  CommandOption* not_negative();

 private:
  CLI::Option* option_;
};

/// Declares the options of one command and binds them to the variables that parsing sets, which
/// must outlive that. CLI11 does the work; only command_parser.cc, command_line.cc and
/// command_help.cc include it, as its templates take longer to compile than the commands
/// themselves.
class CommandParser {
 public:
  explicit CommandParser(CLI::App& app) : app_(app) {}

  /// `names` as "-o,--output", or without dashes for a positional argument. An optional target
  /// stays empty, any other keeps its value, where the option is not given. Values are std::string,
  /// int, std::optional of these, std::vector<std::string>, std::uint32_t, std::uint64_t and
  /// double.
  template <class Value>
  CommandOption* add_option(const std::string& names, Value& target,
                            const std::string& description);
  CommandOption* add_flag(const std::string& names, bool& target, const std::string& description);

  /// The option of this name, which is declared already.
  CommandOption* get_option(const std::string& name);
  /// Text at the end of --help.
  void footer(const std::string& text);
  /// Text that --help-all has before it.
  void details(std::string text) { details_ = std::move(text); }
  const std::string& details() const { return details_; }

 private:
  CommandOption* kept(CLI::Option* option);

  CLI::App& app_;
  std::deque<CommandOption> options_;
  std::string details_;
};

}  // namespace slackline
