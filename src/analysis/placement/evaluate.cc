#include "analysis/placement/evaluate.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "timing/network/pair_cost.h"

namespace slackline {

PlacementEvaluator::PlacementEvaluator(const ExecutionGraph& graph, const ModelChoice& choice)
    : graph_(graph), choice_(choice), ranks_(vertex_ranks(graph)) {}

Evaluated PlacementEvaluator::evaluate(const SlotAssignment& slots) {
  ++evaluations_;
  const PairNetwork network{choice_.pairs->routes, slots.node_of_rank(), {}};
  const PairCost cost(graph_, choice_.model, network,
                      resolve({Parameter::latency, "added"}, network, choice_.model));
  const LongestPath path = longest_path(graph_, ranks_, cost);
  return {path.length_fs, pair_sensitivities(graph_, ranks_, path)};
}

Int128 PlacementEvaluator::pair_cost(const PairSensitivity& pair, std::int32_t from_node,
                                     std::int32_t to_node) const {
  const RouteTable& routes = *choice_.pairs->routes;
  const std::size_t kind = routes.kind(from_node, to_node);
  return Int128{pair.lambda_latency} * routes.latency_fs(kind) +
         Int128{pair.lambda_gap_bytes} * routes.gap_fs(kind);
}

Int128 PlacementEvaluator::swap_gain(
    const SlotAssignment& slots, std::int32_t a, std::int32_t b,
    const std::vector<std::vector<PairSensitivity>>& touching) const {
  const auto node = [&](std::int32_t rank) {
    return slots.node_of[static_cast<std::size_t>(rank)];
  };
  const auto node_after = [&](std::int32_t rank) {
    return rank == a ? node(b) : rank == b ? node(a) : node(rank);
  };
  Int128 gain = 0;
  const auto add = [&](std::int32_t rank, std::int32_t other) {
    if (rank >= slots.ranks) return;
    for (const PairSensitivity& p : touching[static_cast<std::size_t>(rank)]) {
      if (rank == b && (p.from == other || p.to == other)) continue;  // counted with `a`
      gain += pair_cost(p, node(p.from), node(p.to)) -
              pair_cost(p, node_after(p.from), node_after(p.to));
    }
  };
  add(a, b);
  add(b, a);
  return gain;
}

Int128 PlacementEvaluator::lower_bound_fs(bool within_nodes) {
  const RouteTable& routes = *choice_.pairs->routes;
  LogGPS cheapest{std::numeric_limits<std::int64_t>::max(), choice_.model.overhead_fs,
                  std::numeric_limits<std::int64_t>::max()};
  for (std::size_t k = within_nodes ? 0 : 1; k < routes.kinds().size(); ++k) {
    cheapest.latency_fs = std::min(cheapest.latency_fs, routes.latency_fs(k));
    cheapest.gap_per_byte_fs = std::min(cheapest.gap_per_byte_fs, routes.gap_fs(k));
  }
  ++evaluations_;
  return longest_path(graph_, ranks_, LogGPSCost(cheapest, Parameter::latency)).length_fs;
}

}  // namespace slackline
