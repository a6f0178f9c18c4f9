#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>

#include "app/version.h"
#include "base/error.h"
#include "base/stage.h"
#include "base/units.h"
#include "cli/output.h"

namespace slackline {
namespace {

constexpr const char* kDescription =
    "Slackline: performance analysis of MPI programs: where the time goes, what limits the run, "
    "and how\nmuch network latency it tolerates.";

/// Edit distance: insertions, deletions and substitutions of single letters.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

bool is_command(std::string_view word) {
  return std::ranges::any_of(commands(), [&](const Command& c) { return c.name == word; });
}

/// The command that the arguments name, behind options or not; empty if they name none.
std::string_view named_command(const std::vector<std::string>& arguments) {
  const auto word =
      std::ranges::find_if(arguments, [](const std::string& a) { return !a.starts_with('-'); });
  return word != arguments.end() && is_command(*word) ? *word : std::string_view();
}

/// Unknown commands are found before CLI11 sees them: it would only say that an argument was
/// not expected.
void refuse_unknown_command(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return;
  const std::string& typed = arguments.front();
  if (is_command(typed)) return;
  const std::string_view nearest = nearest_command(typed);
  throw usage_error(fmt::format("cannot run '{}'", typed), "no such command",
                    nearest.empty() ? "'slackline --help' lists them."
                                    : fmt::format("Did you mean '{}'?", nearest));
}

std::string help_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? "slackline --help"
                        : fmt::format("slackline {} --help", parsed.front()->get_name());
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
void parse(CLI::App& app, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    throw usage_error("cannot use these arguments", clause(error.what()),
                      fmt::format("Run '{}' for help.", help_command(app)));
  }
}

/// The parser of the whole command line: a subcommand per entry of commands(), not yet parsed.
/// `runs[i]` does what the i-th of them says.
struct CommandLine {
  std::unique_ptr<CLI::App> app;
  std::vector<Run> runs;
};

/// `named`: that command alone; empty: all, as --help lists them, without their options, which
/// together take a millisecond to declare.
CommandLine make_command_line(std::string_view named) {
  CommandLine line{std::make_unique<CLI::App>(kDescription, "slackline"), {}};
  CLI::App& app = *line.app;
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.set_version_flag("--version", fmt::format("slackline {}", version()),
                       "Print the version and exit");
  app.require_subcommand(1);
  app.footer("Run 'slackline COMMAND --help' for help on a command.");
  for (const Command& command : commands()) {
    if (!named.empty() && command.name != named) continue;
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->group("Commands");
    CommandParser parser(*sub);
    line.runs.push_back(named.empty() ? Run() : command.setup(parser));
  }
  return line;
}

/// CLI::IsMember puts "{a,b,c}" into the type name.
std::vector<std::string> set_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  std::vector<std::string> values;
  if (open == std::string::npos || close == std::string::npos) return values;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) values.push_back(word);
  return values;
}

}  // namespace

std::vector<DeclaredOption> declared_options(std::string_view command) {
  const CommandLine line = make_command_line(command);
  std::vector<DeclaredOption> all;
  const CLI::App* app = line.app->get_subcommand(std::string(command));
  for (const CLI::Option* option : app->get_options()) {
    DeclaredOption declared{{}, set_values(*option), option->get_description()};
    if (!option->get_positional()) {
      for (const std::string& name : option->get_snames()) declared.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) declared.names.push_back("--" + name);
    }
    all.push_back(std::move(declared));
  }
  return all;
}

int run_command_line(const std::vector<std::string>& arguments) {
  refuse_unknown_command(arguments);
  const std::string named(named_command(arguments));
  const CommandLine line = make_command_line(named);
  if (arguments.empty()) {
    write_stderr(line.app->help());
    return 2;
  }
  try {
    std::vector<std::string> given = arguments;
    if (!named.empty()) {
      const CLI::App& command = *line.app->get_subcommand(named);
      given = with_optional_values(command, with_present_spellings(command, std::move(given)));
    }
    parse(*line.app, std::move(given));
  } catch (const CLI::CallForVersion& version_text) {
    write_stdout(std::string(version_text.what()) + "\n");
    return 0;
  } catch (const CLI::Success&) {  // --help
    write_stdout(line.app->help());
    return 0;
  }
  const auto all = line.app->get_subcommands([](const CLI::App*) { return true; });
  const auto parsed = std::ranges::find_if(all, [](const CLI::App* sub) { return sub->parsed(); });
  ensures(parsed != all.end(), "one command is parsed");
  const bool reports = (*parsed)->get_option_no_throw("--strict") != nullptr;
  std::optional<StageDisplay> display;
  if (reports && (*parsed)->count("--quiet") == 0) display.emplace();
  return line.runs[static_cast<std::size_t>(parsed - all.begin())]();
}

std::string_view nearest_command(std::string_view typed) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, typed.size() / 3) + 1;
  for (const Command& command : commands()) {
    const bool begins = typed.size() >= 3 && command.name.starts_with(typed);
    const std::size_t d = begins ? 0 : distance(typed, command.name);
    if (d < best_distance) {
      best = command.name;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace slackline
