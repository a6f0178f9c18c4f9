#pragma once

#include "base/findings.h"
#include "graph/build.h"
#include "trace/goal/program.h"

namespace slackline {

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
