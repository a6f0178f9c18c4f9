#pragma once

namespace slackline {

/// How a trace is re-enacted.
struct ReplayOptions {
  /// Receives that were posted with MPI_ANY_SOURCE or MPI_ANY_TAG are posted like that again, where
  /// no other receive can then lack its message; otherwise they name the message that they got.
  bool free_wildcards = false;
  /// All ranks start at the same time, and not as far apart as they returned from MPI_Init.
  bool common_start = false;
};

}  // namespace slackline
