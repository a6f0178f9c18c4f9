#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"
#include "graph/schedule.h"
#include "timing/model_schedule.h"

namespace slackline {

/// Where one rank's time goes. The parts add up to the makespan, for every rank of every Schedule.
struct RankParts {
  std::int64_t compute_ps = 0;
  std::int64_t overhead_ps = 0;  ///< o of its own messages
  std::int64_t transfer_ps = 0;  ///< waiting while what it waits for is on the network
  std::int64_t wait_ps =
      0;  ///< waiting for others to get there, and after its end for the last rank

  std::int64_t total_ps() const { return compute_ps + overhead_ps + transfer_ps + wait_ps; }
};

/// One entry a rank. Ensures the law above. O(vertices).
///
/// A rank is blocked from the end of its computation and overhead until the vertex's deciding
/// message completes; of that time the message's own latency and bandwidth (with the hand-shake
/// before it) is transfer, and what came before is waiting.
std::vector<RankParts> rank_breakdown(const ExecutionGraph& graph, const Schedule& schedule,
                                      const PicosecondCost& cost);

}  // namespace slackline
