#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "trace/trace.h"

namespace slackline {

/// The computation of a run, from which that of other runs like it is drawn: of the main paths and
/// what follows a rank's last call.
class ResampledComputation {
 public:
  /// O(vertices).
  ResampledComputation(const Trace& trace, const ExecutionGraph& graph);

  /// Nanoseconds of computation by the vertex where it begins.
  const std::vector<std::int64_t>& own() const { return own_; }
  /// The same of one replicate, drawn with replacement. Deterministic. O(vertices).
  std::vector<std::int64_t> draw(std::uint64_t seed, std::size_t replicate) const;

 private:
  /// Computation between the same two operations of one rank: the vertices where it begins, in
  /// order.
  struct Context {
    std::pair<Operation, Operation> between;
    std::vector<VertexId> begins;
  };

  std::vector<std::int64_t> own_;
  std::vector<std::vector<Context>> contexts_;  // by rank
};

/// What an edge takes of its own time where there are `drawn` nanoseconds of computation after each
/// vertex in place of `own`.
std::int64_t resampled_ns(const Edge& e, const std::vector<std::int64_t>& own,
                          const std::vector<std::int64_t>& drawn);

/// A cost with other computation: `drawn` nanoseconds after each vertex where there were `own`.
/// Refers to all three.
class ResampledCost : public LinearCost {
 public:
  ResampledCost(const LinearCost& cost, const std::vector<std::int64_t>& own,
                const std::vector<std::int64_t>& drawn)
      : cost_(cost), own_(own), drawn_(drawn) {}

  std::int64_t tick_fs() const override { return cost_.tick_fs(); }
  std::int64_t base_fs() const override { return cost_.base_fs(); }
  bool depends_on_ranks() const override { return cost_.depends_on_ranks(); }
  LinearTerm term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const override;

 private:
  const LinearCost& cost_;
  const std::vector<std::int64_t>& own_;
  const std::vector<std::int64_t>& drawn_;
};

}  // namespace slackline
