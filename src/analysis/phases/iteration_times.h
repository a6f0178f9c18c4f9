#pragma once

#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "calls/iterations.h"
#include "trace/trace.h"

namespace slackline {

/// Times of one rank by iteration, in ns. All but `length` are those that an iteration would take
/// with the loop's usual number of calls of each kind, so that how many rounds an inner loop makes
/// is no change of its speed.
struct IterationTimes {
  std::vector<double> computation;    ///< outside of MPI, less the time without a processor
  std::vector<double> communication;  ///< in MPI without waiting
  std::vector<double> waiting;
  std::vector<double> without_processor;  ///< outside of MPI, as far as the recording says
  std::vector<double> length;             ///< of all of the iteration, as it was
};

/// By rank; empty for ranks that do not make the iterations. `waits` are the trace's. O(calls).
std::vector<IterationTimes> iteration_times(const Trace& trace, const CallPaths& paths,
                                            const WaitStates& waits, const IterationLoop& loop);

}  // namespace slackline
