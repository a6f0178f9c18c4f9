#pragma once

#include "graph/execution_graph.h"
#include "trace/trace.h"

namespace slackline {

/// The trace with the times that a model gives its calls: a timed trace in whole nanoseconds, for
/// every writer and analysis of measured ones. `graph` must be of `trace`, `schedule` over it. The
/// schedule's start is where the measured run leaves MPI_Init first, so that both lie side by side;
/// what came before keeps its times. O(calls + vertices).
Trace modelled_trace(Trace program, const ExecutionGraph& graph, const Schedule& schedule);

}  // namespace slackline
