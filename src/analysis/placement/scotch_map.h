#pragma once

#include <cstdint>
#include <vector>

#include "timing/longest_path.h"
#include "timing/network/pair_network.h"

namespace slackline {

/// Who sends how much to whom in the whole run, in both directions together.
struct Traffic {
  std::int32_t ranks = 0;
  std::vector<PairSensitivity> pairs;  ///< from < to; lambda_latency: messages, then bytes
};

/// O(edges of the graph).
Traffic total_traffic(const ExecutionGraph& graph, const std::vector<std::int32_t>& ranks);

enum class TrafficWeight : std::uint8_t { messages, bytes };

/// Maps ranks to `nodes` nodes with `ranks_per_node` slots each by dual recursive bipartitioning,
/// with Scotch's partitioner for the ranks: the node of each rank. Deterministic. Source:
/// Pellegrini 1994; Jeannot, Mercier, Tessier 2014 use it so for placement.
std::vector<std::int32_t> scotch_mapping(const Traffic& traffic, TrafficWeight weight,
                                         const RouteTable& routes, std::int32_t nodes,
                                         std::int32_t ranks_per_node);

}  // namespace slackline
