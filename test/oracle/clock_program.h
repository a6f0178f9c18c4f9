#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline::oracle {

/// All linear corrections of the ranks' times under which no message is received before it is sent
/// and no barrier or broadcast left before those have entered who are needed: a linear program over
/// an offset and a drift for each rank, with every single constraint, for CLP. Ranks of one host
/// have one clock. Times are those of the trace plus `aligned[rank]`; drifts are at most
/// `most_drift`.
struct ClockQuestion {
  const Trace& trace;
  const CallMatching& matching;
  std::vector<std::int64_t> aligned;
  std::int32_t reference = 0;  ///< not corrected beside its alignment
  double most_drift = 0;       ///< 0: constant corrections
};

struct ClockRange {
  double low = 0;   ///< -infinity where unbounded
  double high = 0;  ///< infinity likewise
};

/// What the correction of `rank` can be at aligned time `at_ns`; empty when nothing satisfies all.
std::optional<ClockRange> feasible_correction(const ClockQuestion& question, std::int32_t rank,
                                              std::int64_t at_ns);

}  // namespace slackline::oracle
