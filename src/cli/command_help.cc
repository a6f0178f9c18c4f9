#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>

#include "report/command_names.h"

namespace slackline {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kColumn = 34;  // where explanations begin

/// A group of options that several commands share.
struct SharedGroup {
  std::string_view name;     // the heading in --help-all
  std::string_view summary;  // what its options set
};
constexpr std::array kSharedGroups{
    SharedGroup{"Model", "latency, overhead, bandwidth, protocol, collective algorithms"},
    SharedGroup{"Network", "topology, placement of ranks"},
    SharedGroup{"Platform", "hosts and links of simulated runs"},
    SharedGroup{"LogGOPS", "LogGOPSim's timing, system noise"}};

bool is_shared(std::string_view group) {
  return std::ranges::find(kSharedGroups, group, &SharedGroup::name) != kSharedGroups.end();
}

/// `text` behind `name`, in lines of at most kWidth columns.
std::string help_row(const std::string& name, const std::string& text) {
  std::string lines = "  " + name;
  std::size_t at = lines.size();
  const auto indent = [&](bool new_line) {
    if (new_line) lines += '\n';
    if (new_line) at = 0;
    lines.append(kColumn - at, ' ');
    at = kColumn;
  };
  indent(at + 2 > kColumn);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (at > kColumn && at + 1 + word.size() > kWidth) indent(true);
    if (at > kColumn) word.insert(0, " ");
    lines += word;
    at += word.size();
  }
  return lines + "\n";
}

/// CLI11's help with wrapped lines, and values of sets as "a|b" behind the option's name.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return help_row(make_option_name(option, is_positional) + make_option_opts(option),
                    make_option_desc(option));
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    std::string text = " " + type_of(*option);
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_expected_min() > 1) text += fmt::format(" x {}", option->get_expected_min());
    return text + (option->get_required() ? " (required)" : "");
  }

 private:
  /// Without the checks that CLI11 appends to it.
  static std::string type_of(const CLI::Option& option) {
    const std::vector<std::string> values = listed_values(option);
    if (!values.empty()) return fmt::format("{}", fmt::join(values, "|"));
    std::string type = option.get_type_name();
    for (const std::string_view check : {":POSITIVE", ":NONNEGATIVE", ":INT in "}) {
      type = type.substr(0, type.find(check));
    }
    return type;
  }
};

std::string without_empty_lines_in_a_row(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

/// Takes the groups that commands share out of the help; a line for each of them.
std::string hide_shared_groups(CLI::App& command) {
  std::string lines;
  for (const SharedGroup& group : kSharedGroups) {
    const auto options = command.get_options(
        [&](const CLI::Option* option) { return option->get_group() == group.name; });
    for (CLI::Option* option : options) option->group("");
    if (!options.empty()) {
      lines += fmt::format("{} options ({}): see --help-all\n", group.name, group.summary);
    }
  }
  return lines;
}

std::string examples_of(const Command& command) {
  std::string text = "Examples:";
  std::istringstream lines{std::string(command.examples)};
  for (std::string line; std::getline(lines, line);) text += "\n  " + line;
  return text;
}

}  // namespace

std::string commands_help() {
  std::string text =
      "Slackline: performance analysis of MPI programs: where the time goes, what limits the run, "
      "and how\nmuch network latency it tolerates.\nUsage: slackline COMMAND [OPTIONS]\n\n";
  std::string_view group;
  for (const Command& command : commands()) {
    text += fmt::format("{:<9} {:<13} {}\n", command.group == group ? "" : command.group,
                        command.name, command.summary);
    group = command.group;
  }
  return text +
         "\nOptions:\n  -h, --help     Print this list\n  -V, --version  Print the version\n\n"
         "'slackline COMMAND --help' or 'slackline help COMMAND' explains a command.\n";
}

std::string command_help(const Command& command, CLI::App& options, HelpExtent extent) {
  std::string footer;
  if (extent == HelpExtent::own_options) {
    footer = hide_shared_groups(options);
  } else if (command.details != nullptr) {
    footer = command.details();
  }
  if (!footer.empty()) footer += '\n';
  options.footer(footer + examples_of(command));
  const std::string_view former = former_command_name(command.name);
  if (!former.empty()) {
    options.description(fmt::format("{} (former name: {})", command.summary, former));
  }
  options.formatter(std::make_shared<HelpFormatter>());
  return without_empty_lines_in_a_row(options.help("slackline"));
}

bool has_more_help(const Command& command, const CLI::App& options) {
  return command.details != nullptr ||
         std::ranges::any_of(options.get_options(), [](const CLI::Option* option) {
           return is_shared(option->get_group());
         });
}

std::string help_rows(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string text;
  for (const auto& [name, explanation] : rows) text += help_row(name, explanation);
  return text;
}

/// CLI::IsMember puts "{a,b,c}" into the type name.
std::vector<std::string> listed_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  std::vector<std::string> values;
  if (open == std::string::npos || close == std::string::npos) return values;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) values.push_back(word);
  return values;
}

}  // namespace slackline
