#pragma once

#include <vector>

#include "graph/execution_graph.h"
#include "graph/schedule.h"
#include "trace/timeline_extras.h"

namespace slackline {

/// The messages of the critical path, first to last, as arrows between calls. O(length of the
/// path).
std::vector<TimelineFlow> critical_path_flows(const ExecutionGraph& graph,
                                              const Schedule& schedule);

/// Every message of the trace, from the call that sends it to the one that completes its receive.
std::vector<TimelineFlow> message_flows(const Trace& trace);

}  // namespace slackline
