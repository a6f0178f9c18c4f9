#pragma once

#include "sim/simulation.h"
#include "trace/trace.h"

namespace slackline {

/// The trace with the times of a simulation of it (made with `record`): a timed trace, whole
/// nanoseconds, and everything else as it was. What every analysis and writer of measured traces
/// takes, for a simulated run. O(calls).
Trace simulated_trace(Trace program, const Simulation& simulation);

}  // namespace slackline
