#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "timing/network/pair_network.h"

namespace slackline {

/// HLogGP with one parameter varying. Refers to the graph and the network, which must live on.
class PairCost : public LinearCost {
 public:
  PairCost(const ExecutionGraph& graph, const LogGPS& model, const PairNetwork& network,
           const PairParameter& parameter);

  std::int64_t tick_fs() const override { return tick_fs_; }
  std::int64_t base_fs() const override { return parameter_.base_fs; }
  bool depends_on_ranks() const override { return true; }
  LinearTerm term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const override;

 private:
  /// What one kind of route costs: what is fixed (ticks), and how often the parameter is paid.
  struct Route {
    std::int64_t latency = 0;
    std::int64_t latency_multiples = 0;
    std::int64_t gap = 0;
    std::int64_t gap_multiples = 0;
  };
  Route route(RankPair pair) const;

  const ExecutionGraph* graph_;
  const PairNetwork* network_;
  PairParameter parameter_;
  std::vector<Route> routes_;
  std::int64_t tick_fs_ = 1;
  std::int64_t ticks_per_ns_ = 1;
  std::int64_t overhead_ = 0;
  std::int64_t overhead_multiples_ = 0;
};

}  // namespace slackline
