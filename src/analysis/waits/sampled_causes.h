#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "analysis/paths/call_activities.h"
#include "calls/computation_code.h"
#include "trace/trace.h"

namespace slackline {

/// Where in an activity a late rank loses its time.
struct SampledCause {
  FrameId frame = 0;  ///< the function's line with the most samples; 0: not known
  double share = 1;   ///< of the activity's excess that is this function's
};

/// For each of `causes`, a rank and its computation in a call path: the function on which the rank
/// spends more time than the mean rank, and most of all so; if none is longer, the longest. Only
/// functions of the program's own count, with all that they call (own_frame()). O(calls) and as
/// many places.
std::map<std::pair<std::int32_t, ActivityId>, SampledCause> sampled_causes(
    const Trace& trace, const CallActivities& names, const ComputationCode& code,
    std::span<const std::pair<std::int32_t, ActivityId>> causes);

}  // namespace slackline
