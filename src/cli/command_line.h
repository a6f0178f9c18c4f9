#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

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

}  // namespace slackline
