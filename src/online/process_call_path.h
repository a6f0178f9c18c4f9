#pragma once

#include <sys/types.h>

#include <string>

namespace slackline::online {

/// The functions that a child of this process, which waits for the simulator, has come through to
/// its call of MPI, outermost first: "main/solve/exchange". Of a path that is deep, the innermost
/// ones. Empty where they are not known: without libdw or its symbols, where the system does not
/// let a process trace its children, and in Python programs. Inlined functions are part of their
/// caller. Cost: reads the tables of the process's files, some milliseconds.
std::string call_path_of_process(pid_t process);

}  // namespace slackline::online
