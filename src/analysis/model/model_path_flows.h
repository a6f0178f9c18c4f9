#pragma once

#include <vector>

#include "graph/execution_graph.h"
#include "trace/trace_extras.h"

namespace slackline {

/// The messages of the model's critical path, first to last, as arrows between calls. O(length of
/// the path).
std::vector<TimelineFlow> model_path_flows(const ExecutionGraph& graph, const Schedule& schedule);

}  // namespace slackline
