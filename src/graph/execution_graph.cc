#include "graph/execution_graph.h"

#include <algorithm>

namespace slackline {

std::int32_t ExecutionGraph::rank_of_call(std::uint32_t global_call) const {
  // A rank without calls shares its first call with the next one; its start vertex is distinguished
  // by giving such ranks a call of their own (see GraphBuilder).
  const auto after = std::upper_bound(first_call_.begin(), first_call_.end() - 1, global_call);
  return static_cast<std::int32_t>(after - first_call_.begin()) - 1;
}

RankPair ExecutionGraph::pair_of(const Edge& e, std::int32_t from_rank,
                                 std::int32_t to_rank) const {
  if (from_rank != to_rank || e.bytes == 0) return {from_rank, to_rank};
  const auto named =
      std::ranges::lower_bound(pairs_, e.from, {}, &std::pair<VertexId, RankPair>::first);
  if (named != pairs_.end() && named->first == e.from) return named->second;
  // The sender's part of a rendezvous follows the receiver's answer.
  if (in_degree(e.from) == 0) return {from_rank, to_rank};
  return {from_rank, rank(in_edge(e.from, 0).from)};
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
