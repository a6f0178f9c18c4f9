#pragma once

#include "analysis/waits/wait_states.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// What `waits` have in an interval of the run, in the trace's own time, and nothing of what ranks
/// wait in MPI_Init and MPI_Finalize: there they are outside of the program. O(waits).
WaitStates waits_in_interval(const Trace& trace, const WaitStates& waits,
                             const TimeInterval& interval);

}  // namespace slackline
