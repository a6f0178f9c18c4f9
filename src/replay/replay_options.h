#pragma once

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
};

}  // namespace slackline
