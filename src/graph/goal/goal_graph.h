#pragma once

#include <optional>
#include <string_view>

#include "graph/build.h"
#include "graph/execution_graph.h"
#include "trace/goal/program.h"
#include "trace/trace.h"

namespace slackline {

/// The execution graph of a GOAL program, and the calls that its vertices belong to.
struct GoalGraph {
  ExecutionGraph graph;
  std::optional<Trace> trace;  ///< the linearisation that graph.call() counts in; if asked for
};

enum class GoalTrace : std::uint8_t { none, linearised };

/// LLAMP's Algorithm 1 on a GOAL program: an operation starts when all that it requires is done; a
/// send costs o, a message L + (s-1)G, its receive o more. `irequires` on a send waits for its
/// start plus o, on a calc or receive for what that one requires. cpu and nic play no part: the
/// model has as many as it needs. Of `options` the threshold and the rendezvous protocol count.
///
/// Calcs with one dependency have no vertex: their time lies on the edges behind them. Where a
/// rank's operations run side by side, its main path follows the computation.
///
/// `name` is the file's, for messages. Throws Error for messages without partner, and for cycles.
/// O(operations + dependencies), about 45 bytes an operation at the peak beside the program.
GoalGraph build_goal_graph(const GoalProgram& program, std::string_view name,
                           const GraphOptions& options, GoalTrace trace = GoalTrace::none);

}  // namespace slackline
