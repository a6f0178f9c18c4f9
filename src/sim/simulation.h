#pragma once

#include <vector>

#include "sim/engine/simulation_data.h"
#include "sim/platform/platform.h"
#include "trace/trace.h"

namespace slackline {

/// Replays `trace` on `platform`, rank r on host_of_rank[r]. Throws Error for a deadlock (which
/// rank waits for what and since when), hosts without a route, and a mapping of the wrong size.
///
/// Cost: messages times what changes with each; memory about 500 bytes a rank beside the trace. The
/// model: Bédaride et al., "Toward Better Simulation of MPI Applications on Ethernet/TCP Networks",
/// PMBS 2013, section 4; with NetworkModel::lazy, what SimGrid makes of it (sim/simgrid/).
Simulation simulate(const Trace& trace, const Platform& platform,
                    const std::vector<HostId>& host_of_rank, const SimulationOptions& options);

/// The trace with the times of a simulation of it (made with `record`): a timed trace, whole
/// nanoseconds, and everything else as it was. What every analysis and writer of measured traces
/// takes, for a simulated run. O(calls).
Trace simulated_trace(Trace program, const Simulation& simulation);

}  // namespace slackline
