#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// How a trace is re-enacted.
struct ReplayOptions {
  /// Receives that were posted with MPI_ANY_SOURCE or MPI_ANY_TAG are posted like that again, where
  /// no other receive can then lack its message; otherwise they name the message that they got.
  bool free_wildcards = false;
  /// All ranks start at the same time, and not as far apart as they returned from MPI_Init.
  bool common_start = false;
  /// Computation is the time that it was on a processor, as far as the trace knows (Pause):
  /// whatever takes the processor away during the replay comes on top, as it did in the run.
  bool cpu_time = false;
  /// Calls of MPI-IO have their bytes, to be read and written (runtime/replay/files.c).
  bool files = false;
  /// Bytes a second that computation moves in memory; 0: it only waits.
  std::uint64_t memory_rate = 0;
};

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

/// A program as it was re-enacted: the recording of the processes that did it, with what the
/// program has and they have not. Call paths, regions and wildcards are those of the program,
/// MPI_Init lasts as long as there, and what the processes did before and after is left out. An
/// operation that was made by another one (a communicator with a topology) has its name again.
/// `recorded` is of write_replay_file()'s `file` for `program`. Throws Error when it ends early.
/// Linear.
Trace replayed_trace(const Trace& program, const ReplayFile& file, const Trace& recorded);

}  // namespace slackline
