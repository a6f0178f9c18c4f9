#include "analysis/model/rank_breakdown.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

/// Time on the network that ends with edge `e` to `to`: back along the deciding edges to a rank's
/// main path.
std::int64_t network_time_ps(const ExecutionGraph& graph, const Schedule& schedule,
                             const PicosecondCost& cost, const Edge& e, VertexId to) {
  const EdgeCost own = cost(e, to);
  std::int64_t sum = own.latency_ps + own.bandwidth_ps;
  VertexId v = e.from;
  while (!graph.on_main_path(v)) {
    const Edge before = graph.in_edge(v, schedule.decided_by[v]);
    const EdgeCost c = cost(before, v);
    sum += c.latency_ps + c.bandwidth_ps + c.overhead_ps;
    v = before.from;
  }
  return sum;
}

void add_vertex(const ExecutionGraph& graph, const Schedule& schedule, const PicosecondCost& cost,
                VertexId v, TimeBreakdown& parts) {
  const Edge path = graph.in_edge(v, 0);
  const EdgeCost path_cost = cost(path, v);
  const std::int64_t elapsed = schedule.time_ps[v] - schedule.time_ps[path.from];
  parts.compute += path_cost.compute_ps;
  std::int64_t rest = elapsed - path_cost.compute_ps;
  const std::uint32_t decided = schedule.decided_by[v];
  const Edge last = decided == 0 ? path : graph.in_edge(v, decided);
  const std::int64_t overhead = std::min(rest, cost(last, v).overhead_ps);
  parts.overhead += overhead;
  rest -= overhead;
  if (last.kind == EdgeKind::inside) parts.compute += std::exchange(rest, 0);
  if (rest == 0) return;
  const std::int64_t transfer = std::min(rest, network_time_ps(graph, schedule, cost, last, v));
  parts.transfer += transfer;
  parts.wait += rest - transfer;
}

}  // namespace

std::vector<TimeBreakdown> rank_breakdown(const ExecutionGraph& graph, const Schedule& schedule,
                                          const PicosecondCost& cost) {
  std::vector<TimeBreakdown> parts(static_cast<std::size_t>(graph.ranks()));
  // In vertex order, which is kind to the cache; consecutive vertices mostly share their rank.
  std::int32_t rank = 0;
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    if (graph.in_degree(v) == 0 || !graph.on_main_path(v)) continue;
    const std::uint32_t call = graph.global_call(v);
    if (call < graph.first_call(rank) || call >= graph.first_call(rank + 1)) rank = graph.rank(v);
    add_vertex(graph, schedule, cost, v, parts[static_cast<std::size_t>(rank)]);
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    TimeBreakdown& mine = parts[static_cast<std::size_t>(r)];
    mine.compute += graph.tail_ns(r) * kPicosPerNano;
    mine.wait += schedule.makespan_ps - schedule.rank_end_ps[static_cast<std::size_t>(r)];
    ensures(mine.total() == schedule.makespan_ps, "a rank's parts add up to the makespan");
    ensures(std::min({mine.compute, mine.overhead, mine.transfer, mine.wait}) >= 0,
            "no part is negative");
  }
  return parts;
}

}  // namespace slackline
