#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "trace/trace.h"

namespace slackline {

/// What edges of a program's graph cost when its ranks compute as long as those of `edited`, which
/// has the same calls: the graph of `edited` without building it.
///
/// Each rank has a clock that only its computation moves; an edge's computation is an interval of
/// it (as in ComputationParts), which becomes another one in the edited program.
class RetimedCost : public LinearCost {
 public:
  /// `graph` must be of `program`; `cost` and `graph` are referred to. Linear in calls.
  RetimedCost(const LinearCost& cost, const ExecutionGraph& graph, const Trace& program,
              const Trace& edited);

  std::int64_t tick_fs() const override { return cost_.tick_fs(); }
  std::int64_t base_fs() const override { return cost_.base_fs(); }
  bool depends_on_ranks() const override { return true; }
  /// By how much the computation of an edge whose source is of `rank` changes. Logarithmic in the
  /// rank's calls for edges with computation.
  std::int64_t change_ns(const Edge& e, std::int32_t rank) const;
  /// The same cost.
  LinearTerm term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const override;

 private:
  /// A rank's clock at the end of the gap before each of its calls, and after the last one, before
  /// and after the edit.
  struct RankClock {
    std::int64_t late_start_ns = 0;
    std::vector<std::int64_t> before{}, after{};
  };
  std::int64_t edited_clock(const RankClock& clock, std::int64_t at) const;

  const LinearCost& cost_;
  const ExecutionGraph& graph_;
  std::vector<RankClock> clocks_;
};

}  // namespace slackline
