#pragma once

#include "graph/execution_graph.h"
#include "oracle/time_system.h"

namespace slackline::oracle {

/// The equations that an ExecutionGraph stands for: a vertex is the maximum over its in-edges.
TimeSystem graph_times(const ExecutionGraph& graph);

}  // namespace slackline::oracle
