#pragma once

#include <vector>

#include "analysis/paths/run_path.h"
#include "calls/call_matching.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

/// Where a run's critical path goes from one rank to another, as arrows from the call that was
/// waited for to the one that waited, early to late. O(steps).
std::vector<TimelineFlow> critical_path_flows(const std::vector<RunStep>& steps);

/// Every message of the trace, from the call that sends it to the one that completes its receive
/// (or posts it, if none does), in the order of receivers and of posting. O(n log n).
std::vector<TimelineFlow> message_flows(const CallMatching& matching);

}  // namespace slackline
