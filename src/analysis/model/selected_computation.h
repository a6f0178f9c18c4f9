#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "graph/execution_graph.h"
#include "trace/trace.h"

namespace slackline {

/// How much of each edge's computation is selected: that of some ranks in some call paths,
/// or of some functions.
///
/// An edge's computation is what its rank computes right after the edge's source. So each rank has
/// a clock that only its computation moves, the selected part is a function of that clock, and an
/// edge is an interval of it.
class SelectedComputation {
 public:
  /// `graph` must be of `trace`. Refers to `graph`. Linear.
  SelectedComputation(const Trace& trace, const ExecutionGraph& graph, const CallPaths& paths,
                      const std::function<bool(std::int32_t rank, PathId path)>& selected);

  /// By frames of the call tree, as `code` has them: a bit for each, the one for 0 included.
  SelectedComputation(const Trace& trace, const ExecutionGraph& graph, const ComputationCode& code,
                      const std::vector<bool>& frames);

  /// Selected ns in an edge whose source is of `rank`. Logarithmic in the rank's selected
  /// stretches.
  std::int64_t in_edge(const Edge& e, std::int32_t rank) const;
  /// The sum over all ranks.
  std::int64_t total_ns() const { return total_ns_; }

 private:
  /// A stretch of selected computation by the rank's clock, and the sum of those before it.
  struct Stretch {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t before;
  };
  std::int64_t selected_before(std::int32_t rank, std::int64_t clock) const;
  /// split(call, visit) calls visit(selected, ns) for the parts of the computation before a call.
  template <class Split>
  void add_rank(const Trace& trace, std::int32_t rank, Split split);
  void make_room(const Trace& trace);

  const ExecutionGraph& graph_;
  std::vector<std::vector<Stretch>> stretches_;  // by rank
  std::vector<std::int64_t> clock_of_call_;      // at each call, by global index
  std::vector<std::int64_t> late_start_ns_;      // by rank
  std::int64_t total_ns_ = 0;
};

}  // namespace slackline
