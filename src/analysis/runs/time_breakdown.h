#pragma once

#include <cstdint>

namespace slackline {

/// Where one rank's time goes, under the model or by the measured times of a run. The
/// parts add up to the length of the run, for every rank. Their unit is that of the list that holds
/// them, which its name says: a model knows picoseconds (`ranks_ps`), a trace nanoseconds
/// (`ranks_ns`).
struct TimeBreakdown {
  std::int64_t compute = 0;   ///< outside of MPI
  std::int64_t overhead = 0;  ///< o of the rank's own messages; only a model knows
  std::int64_t transfer = 0;  ///< blocked by a message on the network; only a model knows
  /// Inside of MPI without waiting, of a measured run: moving data and MPI's own work. Where its
  /// wait states are not known, waiting inside of calls is in here, too.
  std::int64_t mpi = 0;
  std::int64_t wait = 0;  ///< blocked until others are there; a late start and an early end

  std::int64_t total() const { return compute + overhead + transfer + mpi + wait; }
};

}  // namespace slackline
