#pragma once

#include <span>
#include <string>

namespace slackline {

/// What keeps the recorder out of the programs that a command names, as far as the command and the
/// files show it: a program that is linked statically, has privileges, or is of another word size
/// or C library; a container; an environment that is cleared. A clause that names the program or
/// option; empty if there is none. Reads the first bytes of each file that is a word of the
/// command.
std::string recording_obstacle(std::span<const std::string> command);

}  // namespace slackline
