#pragma once

#include "sim/simulation.h"
#include "trace/trace.h"

namespace slackline {

/// The trace with the times of a simulation of it (made with `record`): a timed trace, whole
/// nanoseconds. What every analysis and writer of measured traces takes, for a predicted run.
Trace simulated_trace(const Trace& trace, const Simulation& simulation);

}  // namespace slackline
