#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jobs/record/launcher.h"

namespace slackline {

/// How a child process ended, as a shell says it: its exit status, or 128 + the signal.
struct ProcessEnd {
  int exit_status = 0;
  double seconds = 0;      ///< wall clock
  double cpu_seconds = 0;  ///< of it and all its descendants that it waited for
};

/// What a child process has beside what this one has.
struct ChildContext {
  Environment environment{};
  std::filesystem::path standard_output{};  ///< a file that it is appended to; empty: this one's
};

/// Runs a command to its end. Signals that this process gets meanwhile are passed on to it (but for
/// those of the terminal, which it gets itself), and it is waited for all the same. Throws Error
/// when it cannot be started, or the file cannot be written.
ProcessEnd run_process(const std::vector<std::string>& command, const ChildContext& context = {});

/// For a process that a rank of an MPI job has started to analyse the job's recording. It gets no
/// more memory than SLACKLINE_MEMORY_LIMIT says, and SIGTERM when the rank dies, whose process
/// number is in SLACKLINE_ENDS_WITH. Any other process does nothing here.
void heed_recorded_rank();

/// Becomes that command. Returns only by throwing Error.
[[noreturn]] void become_process(const std::vector<std::string>& command,
                                 const Environment& environment);

}  // namespace slackline
