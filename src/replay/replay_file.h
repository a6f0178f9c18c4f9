#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "calls/call_matching.h"
#include "replay/replay_options.h"
#include "trace/trace.h"

namespace slackline {

/// What was written for the processes of a replay, and what each of their steps stands for.
struct ReplayFile {
  std::vector<std::vector<CallIndex>> calls{};  ///< by rank and step
  std::uint64_t steps = 0;
  bool common_start = false;  ///< ReplayOptions::common_start
  std::uint64_t bytes = 0;
};

/// Throws Error, with the reason, for a trace that cannot be replayed: ranks are missing, messages
/// have one end only, collectives lack members, several threads call MPI, windows do not tell
/// what a process waits for, or there are operations that a replay cannot make (processes started
/// by the program).
void check_replayable(const Trace& trace, const CallMatching& matching);

/// Writes the programs of all ranks into one file (trace/replay_wire.h). Throws Error. Linear.
ReplayFile write_replay_file(const Trace& trace, const CallMatching& matching,
                             const ReplayOptions& options, const std::filesystem::path& path);

}  // namespace slackline
