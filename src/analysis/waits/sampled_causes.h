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

/// Which function of a late rank's computation it is that the others wait for.
enum class CauseFunction : std::uint8_t {
  excess,  ///< on which it spends more time than the mean rank, most of all; if there is no such
           ///< one, the longest
  longest  ///< for ranks that work in turn: what the others do at other times is no measure
};

/// For each of `causes`, a rank and its computation in a call path, that function. Only functions
/// of the program's own count, with all that they call (own_frame()). O(calls) and as many places.
std::map<std::pair<std::int32_t, ActivityId>, SampledCause> sampled_causes(
    const Trace& trace, const CallActivities& names, const ComputationCode& code,
    std::span<const std::pair<std::int32_t, ActivityId>> causes,
    CauseFunction which = CauseFunction::excess);

}  // namespace slackline
