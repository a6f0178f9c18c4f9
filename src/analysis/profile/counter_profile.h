#pragma once

#include <vector>

#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// What the computation in one call path took and what each counter of the trace gained in it; all
/// ranks together.
struct PathCounters {
  double computation_ns = 0;  ///< as between calls, pauses included
  std::vector<double> gains{};
};
/// By PathId, up to each rank's last call. What a counter gained between two calls is divided among
/// the paths that the rank was in, by their times. Empty where the trace has no counters.
/// O(counters * (calls + region events)).
std::vector<PathCounters> path_counters(const Trace& trace, const CallPaths& paths);

}  // namespace slackline
