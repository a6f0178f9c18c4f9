#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/model_choice.h"
#include "timing/longest_path.h"

namespace slackline {

/// Where ranks run, as slots of nodes: slot s is on node s / ranks_per_node. A permutation of all
/// slots; those at ranks beyond the last one are free. Swapping a rank with a free slot moves it.
struct SlotAssignment {
  std::vector<std::int32_t> node_of;  ///< of each rank, then of each free slot
  std::int32_t ranks = 0;

  std::vector<std::int32_t> node_of_rank() const {
    return {node_of.begin(), node_of.begin() + ranks};
  }
};

/// The makespan of a placement and what its critical path pays between which ranks.
struct Evaluated {
  Int128 makespan_fs = 0;
  std::vector<PairSensitivity> pairs;
};

/// Computes makespans of placements on one network.
class PlacementEvaluator {
 public:
  PlacementEvaluator(const ExecutionGraph& graph, const ModelChoice& choice);

  /// One pass over the graph.
  Evaluated evaluate(const SlotAssignment& slots);
  /// How much shorter today's critical path becomes when `a` and `b` change places: the makespan
  /// shrinks by no more than that. `touching`: the pairs of each rank on the path. Femtoseconds.
  Int128 swap_gain(const SlotAssignment& slots, std::int32_t a, std::int32_t b,
                   const std::vector<std::vector<PairSensitivity>>& touching) const;
  /// What two ranks on these nodes pay for what lies between them, in femtoseconds.
  Int128 pair_cost(const PairSensitivity& pair, std::int32_t from_node, std::int32_t to_node) const;
  /// Makespan if all messages went the cheapest way that there is; `within_nodes`: also those.
  Int128 lower_bound_fs(bool within_nodes);

  std::uint64_t evaluations() const { return evaluations_; }

 private:
  const ExecutionGraph& graph_;
  const ModelChoice& choice_;
  std::vector<std::int32_t> ranks_;
  std::uint64_t evaluations_ = 0;
};

}  // namespace slackline
