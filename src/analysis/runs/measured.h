#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/runs/time_breakdown.h"
#include "trace/trace.h"

namespace slackline {

/// The analysed interval of a measured run (calls/run_span.h), rank by rank. Waiting inside of
/// calls is not known yet: it counts as `mpi`, and `wait` is a late start and an early end.
struct MeasuredRun {
  std::int64_t makespan_ns = 0;
  std::vector<TimeBreakdown> ranks_ns;  ///< parts add up to the makespan
};

/// Nothing for untimed traces and traces without calls. O(calls).
std::optional<MeasuredRun> measured_run(const Trace& trace);

}  // namespace slackline
