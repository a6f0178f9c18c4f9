#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace slackline {

/// A declared option, as completion scripts need it.
struct DeclaredOption {
  std::vector<std::string> names;   ///< "-S", "--eager-threshold"; none of a positional argument
  std::vector<std::string> values;  ///< of an option that takes one of a set, else empty
  std::string description;
};

/// The options of the command with this name, in the order of --help.
std::vector<DeclaredOption> declared_options(std::string_view command);

/// Parses `arguments` (without the program's name), runs the command, returns the exit status.
/// Throws Error; wrong usage is an Error too.
int run_command_line(const std::vector<std::string>& arguments);

/// The command whose name is nearest to `typed`, or empty when none is near.
std::string nearest_command(std::string_view typed);

/// The list of all commands, by what they are for.
std::string commands_help();

enum class HelpExtent : unsigned char { own_options, all_options };

/// The --help or --help-all of a command whose options are declared. Of groups of options that
/// several commands share (Model, Network, ...) --help has a line each, --help-all the options.
/// Changes the options' groups, so that `options` are good for nothing else afterwards.
std::string command_help(const Command& command, CLI::App& options, HelpExtent extent);

/// Has --help-all anything that --help leaves out?
bool has_more_help(const Command& command, const CLI::App& options);

/// Names and explanations as two columns of a help text, wrapped to its width.
std::string help_rows(const std::vector<std::pair<std::string, std::string>>& rows);

/// The values of an option that takes one of a set, else empty.
std::vector<std::string> listed_values(const CLI::Option& option);

/// Declares the options on `command`, in groups as --help-all has them. Parsing sets their
/// variables. Leaves out what only Python takes.
void add_options(CLI::App& command, const OptionList& options);

}  // namespace slackline
