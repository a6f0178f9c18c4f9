#pragma once

#include <cstdint>

#include "calls/run_span.h"
#include "trace/operation.h"
#include "trace/trace.h"

namespace slackline {

/// The time between polls that fail and the next of their kind. A trace does not say whether the
/// program did something useful in it; it counts as computation.
struct PollGaps {
  std::int64_t sum_ns = 0;  ///< over all ranks
  std::int32_t rank = -1;   ///< that has most of it; -1 without such polls
  std::int64_t rank_ns = 0;
  Operation operation = Operation::none;  ///< of most of it on that rank
};

/// In the analysed interval. Linear in calls.
PollGaps poll_gaps(const Trace& trace, const TimeInterval& analysed);

}  // namespace slackline
