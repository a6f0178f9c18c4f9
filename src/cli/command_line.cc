#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <utility>

#include "app/options/option_list.h"
#include "app/version.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/output_place.h"
#include "base/progress.h"
#include "base/sentences.h"
#include "base/units.h"
#include "cli/output.h"
#include "report/command_names.h"

namespace slackline {
namespace {

/// The command that the arguments name, behind options or not; empty if they name none.
std::string_view named_command(const std::vector<std::string>& arguments) {
  const auto word =
      std::ranges::find_if(arguments, [](const std::string& a) { return !a.starts_with('-'); });
  const Command* const command = word == arguments.end() ? nullptr : find_command(*word);
  return command == nullptr ? std::string_view() : command->name;
}

/// With `help COMMAND` as `COMMAND --help`, and the present names of commands.
std::vector<std::string> with_present_command(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.front() = "--help";
    if (arguments.size() > 1) std::swap(arguments[0], arguments[1]);
  }
  const auto word =
      std::ranges::find_if(arguments, [](const std::string& a) { return !a.starts_with('-'); });
  if (word != arguments.end()) *word = present_command_name(*word);
  return arguments;
}

/// Unknown commands are found before CLI11 sees them: it would only say that an argument was
/// not expected.
void refuse_unknown_command(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return;
  const std::string& typed = arguments.front();
  if (find_command(typed) != nullptr) return;
  const std::string nearest = nearest_command(typed);
  throw usage_error(fmt::format("cannot run '{}'", typed), "no such command",
                    nearest.empty() ? "'slackline --help' lists them."
                                    : fmt::format("Did you mean '{}'?", nearest));
}

/// The names of the options of a command, without their dashes.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) {
      names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
    }
  }
  return names;
}

/// "--latency or --left"; empty when no name is near.
std::string likely_options(const CLI::App& command, std::string_view typed) {
  const std::string_view name = typed.substr(typed.find_first_not_of('-'));
  if (name.size() < 2) return "";
  std::string text;
  for (const std::string& likely : likely_names(name, option_names(command))) {
    text += fmt::format("{}--{}", text.empty() ? "" : " or ", likely);
  }
  return text;
}

/// What to do about an unknown option. Of a command that starts a job, it may be the job's.
std::string advice_on_option(const CLI::App& command, const std::string& typed,
                             const std::vector<std::string>& arguments) {
  const std::string likely = likely_options(command, typed);
  if (!likely.empty()) return fmt::format("Did you mean {}?", likely);
  const bool starts_job = command.get_option_no_throw("command") != nullptr;
  if (starts_job && std::ranges::find(arguments, "--") == arguments.end()) {
    return "Options of the job's command follow '--'.";
  }
  const bool top = command.get_parent() == nullptr;
  return fmt::format("'slackline{} --help{}' lists them.",
                     top ? "" : fmt::format(" {}", command.get_name()), top ? "" : "-all");
}

/// Throws if an option is left over: CLI11 would only say that arguments were not expected.
void refuse_unknown_option(const CLI::App& command, const std::vector<std::string>& arguments) {
  const std::vector<std::string> left = command.remaining(true);
  const auto is_option = [](const std::string& word) {
    const std::size_t letter = word.find_first_not_of('-');
    return letter != std::string::npos && letter > 0 &&
           std::isalpha(static_cast<unsigned char>(word[letter])) != 0;
  };
  const auto option = std::ranges::find_if(left, is_option);
  if (option == left.end()) return;
  const std::string typed = option->substr(0, option->find('='));
  throw usage_error(fmt::format("unknown option '{}'", typed),
                    fmt::format("'{}' has no such option", command.get_parent() == nullptr
                                                               ? "slackline"
                                                               : "slackline " + command.get_name()),
                    advice_on_option(command, typed, arguments));
}

/// CLI11's sentences, as the clause that stands in our brackets.
std::string clause(std::string text) {
  const bool word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (word) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

bool is_time(const std::string& text) {
  try {
    parse_time_fs(text, "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Earlier versions spelt --overhead as -o and --output as -O on commands that take LogGPS
/// parameters: a time after -o is still the overhead, and -O the output.
std::vector<std::string> with_present_spellings(const CLI::App& command,
                                                std::vector<std::string> arguments) {
  if (command.get_option_no_throw("--overhead") == nullptr) return arguments;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string& argument = arguments[i];
    if (argument.starts_with("-O")) argument[1] = 'o';
    if (!argument.starts_with("-o")) continue;
    const bool apart = argument.size() == 2;
    if (apart ? i + 1 < arguments.size() && is_time(arguments[i + 1]) : is_time(argument.substr(2)))
      argument = apart ? "--overhead" : "--overhead=" + argument.substr(2);
  }
  return arguments;
}

/// CLI11 takes a "--" behind an option that may have a value for the end of its values: in
/// `record --sample -- mpirun -n 2`, the job's options would be those of `record`.
std::vector<std::string> with_optional_values(const CLI::App& command,
                                              std::vector<std::string> arguments) {
  const auto mark = std::ranges::find(arguments, "--");
  if (mark == arguments.begin() || mark == arguments.end()) return arguments;
  std::string& last = *(mark - 1);
  const CLI::Option* option = last.starts_with('-') ? command.get_option_no_throw(last) : nullptr;
  if (option == nullptr || option->get_expected_min() > 0) return arguments;
  const std::string value = option->get_default_str();
  if (option->get_type_size() > 0 && !value.empty()) last += "=" + value;
  return arguments;
}

/// CLI11 takes arguments from the back.
void parse(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    const CLI::App& command = parsed.empty() ? app : *parsed.front();
    refuse_unknown_option(command, arguments);
    throw usage_error("cannot use these arguments", clause(error.what()),
                      fmt::format("Run 'slackline{} --help' for help.",
                                  parsed.empty() ? "" : fmt::format(" {}", command.get_name())));
  }
}

/// The parser of a command line that names this command, not yet parsed.
struct CommandLine {
  std::unique_ptr<CLI::App> app;
  CLI::App* options = nullptr;  ///< of the command; null: the command line names none
  const Command* command = nullptr;
  CommandAction run;
};

CommandLine make_command_line(std::string_view named) {
  CommandLine line;
  line.app = std::make_unique<CLI::App>("", "slackline");
  line.app->set_version_flag("-V,--version", fmt::format("slackline {}", version()),
                             "Print the version and exit");
  const Command* const command = find_command(named);
  if (command == nullptr) return line;
  line.app->require_subcommand(1);
  line.command = command;
  line.options =
      line.app->add_subcommand(std::string(command->name), std::string(command->summary));
  line.options->set_help_flag("-h,--help", "Print the command's own options");
  line.options->set_help_all_flag("--help-all", "Print all options");
  OptionList options;
  line.run = command->setup(options);
  add_options(*line.options, options);
  if (!has_more_help(*command, *line.options)) {
    line.options->get_option("--help")->description("Print this help");
    line.options->get_option("--help-all")->group("");
  }
  return line;
}

}  // namespace

std::vector<DeclaredOption> declared_options(std::string_view command) {
  const CommandLine line = make_command_line(command);
  std::vector<DeclaredOption> all;
  for (const CLI::Option* option : line.options->get_options()) {
    if (option->get_group().empty() && !option->get_positional()) continue;
    DeclaredOption declared{{}, listed_values(*option), option->get_description()};
    if (!option->get_positional()) {
      for (const std::string& name : option->get_snames()) declared.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) declared.names.push_back("--" + name);
    }
    all.push_back(std::move(declared));
  }
  return all;
}

int run_command_line(const std::vector<std::string>& arguments) {
  std::vector<std::string> given = with_present_command(arguments);
  refuse_unknown_command(given);
  if (given.empty()) {
    write_stderr(commands_help());
    return 2;
  }
  const CommandLine line = make_command_line(named_command(given));
  const auto help = [&](HelpExtent extent) {
    write_stdout(line.command == nullptr ? commands_help()
                                         : command_help(*line.command, *line.options, extent));
    return 0;
  };
  try {
    if (line.command != nullptr) {
      given = with_optional_values(*line.options,
                                   with_present_spellings(*line.options, std::move(given)));
    }
    parse(*line.app, given);
  } catch (const CLI::CallForVersion& version_text) {
    write_stdout(std::string(version_text.what()) + "\n");
    return 0;
  } catch (const CLI::CallForAllHelp&) {
    return help(HelpExtent::all_options);
  } catch (const CLI::Success&) {
    return help(HelpExtent::own_options);
  }
  if (line.command == nullptr) {
    throw usage_error("no command given", "these arguments name none",
                      "'slackline --help' lists the commands.");
  }
  const bool reports = line.options->get_option_no_throw("--strict") != nullptr;
  std::optional<StageDisplay> display;
  if (reports && line.options->count("--quiet") == 0) display.emplace();
  const ReadFiles inputs;
  const OutputsOfCommand outputs;
  const int status = line.run();
  OutputsOfCommand::place();
  return status;
}

std::string nearest_command(std::string_view typed) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    names.emplace_back(command.name);
    names.emplace_back(former_command_name(command.name));
  }
  const std::vector<std::string> likely = likely_names(typed, std::move(names));
  return likely.empty() ? "" : std::string(present_command_name(likely.front()));
}

}  // namespace slackline
