#pragma once

#include <optional>
#include <string_view>

#include "base/findings.h"
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

/// A GOAL program that does what `trace` does: computation as calcs, every message as a send and a
/// receive, collectives as their messages, program order as dependencies. Run under the threshold
/// and the rendezvous protocol of `options` it takes as long as the trace's own graph. `findings`
/// get those of the graph, and what GOAL cannot express: send modes.
///
/// A nonblocking operation starts (irequires) where it was posted and is required where it was
/// completed. Each message has a tag of its own, so that it meets its receive whatever the order of
/// arrival. A probe waits for the receive of the message that it found: GOAL has none, and the
/// receive's o is paid at the probe; so is that of the answer to a one-sided request, which takes
/// no part of its target's program. Costs o belong to the sends and receives themselves. Linear in
/// calls and messages, but for sorting the points of a rank's computation.
GoalProgram goal_of_trace(const Trace& trace, const GraphOptions& options, Findings& findings);

}  // namespace slackline
