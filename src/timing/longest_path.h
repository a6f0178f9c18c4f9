#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "timing/cost/ticks.h"
#include "timing/network/pair_network.h"

namespace slackline {

/// The longest path of a graph under exact costs, for walking back.
struct LongestPath {
  Int128 length_fs = 0;
  std::int32_t last_rank = 0;
  std::vector<std::uint32_t> decided_by;  ///< of each vertex the in-edge on its longest path
};

/// One pass over all edges with the parameter at its base value. Of equally long paths the one that
/// crosses the network most often is taken (the right derivative by a latency that all messages
/// pay). `ranks`: vertex_ranks(graph). O(vertices + edges), 24 bytes a vertex.
LongestPath longest_path(const ExecutionGraph& graph, const std::vector<std::int32_t>& ranks,
                         const LinearCost& cost);

/// Calls visit(edge, target) for every edge of the path, from its end to its begin. `path`: what
/// says which in-edges decide, a LongestPath or a Schedule.
template <class Path, class Visit>
void walk_path(const ExecutionGraph& graph, const Path& path, Visit visit) {
  constexpr std::uint32_t kStart = 0xFFFFFFFFu;
  VertexId v = graph.last_vertex(path.last_rank);
  while (path.decided_by[v] != kStart) {
    const Edge e = graph.in_edge(v, path.decided_by[v]);
    visit(e, v);
    v = e.from;
  }
}

/// How much of a path's cost lies between two ranks: the derivatives of the makespan by L[from][to]
/// and G[from][to] (HLogGP). Source: LLAMP appendix I.
struct PairSensitivity {
  std::int32_t from;
  std::int32_t to;
  std::int64_t lambda_latency;    ///< crossings of the network
  std::int64_t lambda_gap_bytes;  ///< bytes that G is paid for
  bool operator==(const PairSensitivity&) const = default;
};

/// All of one path's, largest lambda_latency first, then most bytes. O(length of the path).
std::vector<PairSensitivity> pair_sensitivities(const ExecutionGraph& graph,
                                                const std::vector<std::int32_t>& ranks,
                                                const LongestPath& path);

}  // namespace slackline
