#include "graph/execution_graph.h"

#include <algorithm>

namespace slackline {

std::int32_t ExecutionGraph::rank_of_call(std::uint32_t global_call) const {
  // A rank without calls shares its first call with the next one; its start vertex is distinguished
  // by giving such ranks a call of their own (see GraphBuilder).
  const auto after = std::upper_bound(first_call_.begin(), first_call_.end() - 1, global_call);
  return static_cast<std::int32_t>(after - first_call_.begin()) - 1;
}

std::vector<std::int32_t> vertex_ranks(const ExecutionGraph& graph) {
  std::vector<std::int32_t> ranks(graph.vertex_count());
  // Consecutive vertices mostly share their rank.
  std::int32_t rank = 0;
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    const std::uint32_t call = graph.global_call(v);
    if (call < graph.first_call(rank) || call >= graph.first_call(rank + 1)) rank = graph.rank(v);
    ranks[v] = rank;
  }
  return ranks;
}

}  // namespace slackline
