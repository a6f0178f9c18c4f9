#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace slackline {

/// The parser of the whole command line: a subcommand per entry of commands(), not yet parsed.
/// `runs[i]` does what the i-th of them says.
struct CommandLine {
  std::unique_ptr<CLI::App> app;
  std::vector<Run> runs;
};

/// `only`: of that command alone, as all of them take a millisecond; empty: of all.
CommandLine make_command_line(std::string_view only = {});

/// Parses `arguments` (without the program's name), runs the command, returns the exit status.
/// Throws Error; wrong usage is an Error too.
int run_command_line(const std::vector<std::string>& arguments);

/// The command whose name is nearest to `typed`, or empty when none is near.
std::string_view nearest_command(std::string_view typed);

}  // namespace slackline
