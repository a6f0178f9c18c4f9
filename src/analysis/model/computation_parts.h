#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "graph/execution_graph.h"
#include "trace/trace.h"

namespace slackline {

/// To which call paths and functions the computation of each edge belongs.
///
/// An edge's computation is what its rank computes right after the edge's source. So each rank has
/// a clock that only its computation moves, every call path has stretches of that clock, and an
/// edge is an interval of it.
class ComputationParts {
 public:
  /// `graph` must be of `trace`. Refers to `graph`. Linear; 24 bytes a stretch, 12 a call.
  ComputationParts(const Trace& trace, const ExecutionGraph& graph, const CallPaths& paths,
                   const ComputationCode& code);

  /// Calls visit(path, frame, ns) for the parts of an edge whose source is of `rank`. They add up
  /// to its computation, but for a late start of the rank, pauses and I/O, which belong to nothing.
  template <class Visit>
  void for_parts(const Edge& e, std::int32_t rank, Visit visit) const {
    if (e.nanoseconds == 0 || e.kind == EdgeKind::inside) return;
    const bool starts = graph_.in_degree(e.from) == 0;
    const Position from = starts ? start_of(rank) : position_of_call_[graph_.global_call(e.from)];
    const std::vector<Stretch>& stretches = stretches_[static_cast<std::size_t>(rank)];
    std::int64_t at = from.clock;
    const std::int64_t to = at + e.nanoseconds;
    for (std::size_t i = from.stretch; i < stretches.size() && stretches[i].begin < to; ++i) {
      const Stretch& s = stretches[i];
      at = std::max(at, s.begin);
      const std::int64_t end = std::min(to, s.end);
      if (end > at) visit(s.path, s.frame, end - at);
      at = std::max(at, end);
    }
  }

 private:
  /// A stretch of computation by the rank's clock.
  struct Stretch {
    std::int64_t begin;
    std::int64_t end;
    PathId path;
    FrameId frame;
  };
  struct Recorder;
  struct Position {
    std::int64_t clock = 0;
    std::uint32_t stretch = 0;  ///< the first one that ends later
  };
  Position start_of(std::int32_t rank) const {
    return {-late_start_ns_[static_cast<std::size_t>(rank)], 0};
  }

  const ExecutionGraph& graph_;
  std::vector<std::vector<Stretch>> stretches_;  // by rank
  std::vector<Position> position_of_call_;       // by global index
  std::vector<std::int64_t> late_start_ns_;      // by rank
};

}  // namespace slackline
