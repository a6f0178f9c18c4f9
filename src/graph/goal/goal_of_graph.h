#pragma once

#include "graph/execution_graph.h"
#include "trace/goal/program.h"

namespace slackline {

/// A GOAL program that does what `graph` says: computation as calcs, every message as a send and a
/// receive, program order as dependencies. Build the graph without a threshold (all messages
/// eager): whoever runs the program has a protocol of its own.
///
/// Each message has a tag of its own, so that it meets its receive whatever the order of arrival.
/// A receive is posted where its completion waits, not where a nonblocking one was posted before.
/// Costs o belong to the sends and receives themselves. O(vertices + edges).
GoalProgram goal_of_graph(const ExecutionGraph& graph);

}  // namespace slackline
