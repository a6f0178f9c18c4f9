#pragma once

#include <cstdint>
#include <vector>

#include "analysis/runs/time_breakdown.h"
#include "graph/execution_graph.h"
#include "graph/schedule.h"
#include "timing/model_schedule.h"

namespace slackline {

/// Where each rank's time goes under the model, in picoseconds; ensures that the parts add up to
/// the makespan. O(vertices).
///
/// A rank is blocked from the end of its computation and overhead until the vertex's deciding
/// message completes; of that time the message's own latency and bandwidth (with the hand-shake
/// before it) is transfer, and what came before is waiting. I/O counts as computation.
std::vector<TimeBreakdown> rank_breakdown(const ExecutionGraph& graph, const Schedule& schedule,
                                          const PicosecondCost& cost);

}  // namespace slackline
