#pragma once

#include <cstdint>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "calls/run_span.h"

namespace slackline {

/// What the critical path consists of in an interval of the run, without a rank's late start,
/// MPI_Init and MPI_Finalize.
struct PathShares {
  struct OfActivity {
    Operation operation = Operation::none;
    PathId path = 0;
    std::int64_t time_ns = 0;
  };
  std::int64_t length_ns = 0;          ///< of the path, as far as it counts
  std::int64_t computation_ns = 0;     ///< of that
  bool before = false;                 ///< something else than MPI_Init lies before the interval
  std::vector<OfActivity> activities;  ///< longest first
  std::vector<std::int64_t> by_rank;
};

/// `interval` from the start of the run. O(segments).
PathShares path_shares(const CriticalPath& path, const TimeInterval& interval);

}  // namespace slackline
