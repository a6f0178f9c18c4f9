#pragma once

#include <cstdint>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "calls/run_span.h"

namespace slackline {

/// What the critical path consists of in an interval of the run, without a rank's late start.
struct PathShares {
  struct OfActivity {
    Operation operation = Operation::none;
    PathId path = 0;
    bool late_start = false;
    std::int64_t time_ns = 0;
  };
  std::int64_t length_ns = 0;       ///< of the path, as far as it counts
  std::int64_t computation_ns = 0;  ///< of that
  /// In MPI_Init and MPI_Finalize: an interval that begins with the first return from MPI_Init
  /// holds the rest of the other ranks' MPI_Init.
  std::int64_t environment_ns = 0;
  bool before = false;                 ///< something else than MPI_Init lies before the interval
  std::vector<OfActivity> activities;  ///< longest first
  std::vector<std::int64_t> by_rank;
};

/// `interval` from the start of the run. O(segments).
PathShares path_shares(const CriticalPath& path, const TimeInterval& interval);

}  // namespace slackline
