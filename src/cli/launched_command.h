#pragma once

#include <string>
#include <vector>

#include "parallel/process_group.h"

namespace slackline {

/// Runs the command that `arguments` (without the program's name) say, and returns the exit status.
/// Errors become messages and exit statuses here, and nowhere else. Where an MPI launcher has
/// started several processes with the same arguments, they work on the command together as far as
/// it can be shared, else the first one does and the others sleep; all return the same status, and
/// the first one says what went wrong.
int run_launched_command(const std::vector<std::string>& arguments);

/// Those that work on the present command together: this process alone, unless
/// run_launched_command() has found others.
ProcessGroup& command_processes();

}  // namespace slackline
