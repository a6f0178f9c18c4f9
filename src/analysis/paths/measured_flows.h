#pragma once

#include <vector>

#include "analysis/paths/run_path.h"
#include "trace/timeline_extras.h"

namespace slackline {

/// Where a run's critical path goes from one rank to another, as arrows from the call that was
/// waited for to the one that waited, early to late. O(steps).
std::vector<TimelineFlow> measured_path_flows(const std::vector<RunStep>& steps);

}  // namespace slackline
