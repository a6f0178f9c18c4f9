#include "analysis/model/rank_breakdown.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

/// The graph of a part of a run with its schedule, and what is known of the time before it.
struct ScheduledPart {
  const ExecutionGraph& graph;
  const Schedule& schedule;
  const PicosecondCost& cost;
  std::vector<std::int64_t>
      before_starts_ps{};  ///< of the start vertices: network time before them

  /// Time on the network before `v`: back along the deciding edges to a rank's main path.
  std::int64_t network_time_before_ps(VertexId v) const {
    std::int64_t sum = 0;
    while (!graph.on_main_path(v)) {
      const Edge before = graph.in_edge(v, schedule.decided_by[v]);
      const EdgeCost c = cost(before, v);
      sum += c.latency_ps + c.bandwidth_ps + c.overhead_ps;
      v = before.from;
    }
    return sum + (v < before_starts_ps.size() ? before_starts_ps[v] : 0);
  }

  void add_vertex(VertexId v, TimeBreakdown& parts) const {
    const Edge path = graph.in_edge(v, 0);
    const EdgeCost path_cost = cost(path, v);
    const std::int64_t elapsed = schedule.time_ps[v] - schedule.time_ps[path.from];
    parts.compute += path_cost.compute_ps;
    std::int64_t rest = elapsed - path_cost.compute_ps;
    const std::uint32_t decided = schedule.decided_by[v];
    const Edge last = decided == 0 ? path : graph.in_edge(v, decided);
    const EdgeCost last_cost = cost(last, v);
    const std::int64_t overhead = std::min(rest, last_cost.overhead_ps);
    parts.overhead += overhead;
    rest -= overhead;
    if (last.kind == EdgeKind::inside) parts.compute += std::exchange(rest, 0);
    if (rest == 0) return;
    const std::int64_t transfer = std::min(
        rest, last_cost.latency_ps + last_cost.bandwidth_ps + network_time_before_ps(last.from));
    parts.transfer += transfer;
    parts.wait += rest - transfer;
  }
};

}  // namespace

std::vector<TimeBreakdown> rank_breakdown(const ExecutionGraph& graph, const Schedule& schedule,
                                          const PicosecondCost& cost) {
  BreakdownSum sum;
  sum.add(graph, schedule, cost);
  return std::move(sum).finish(schedule);
}

void BreakdownSum::add(const ExecutionGraph& graph, const Schedule& schedule,
                       const PicosecondCost& cost) {
  const auto ranks = static_cast<std::size_t>(graph.ranks());
  parts_.resize(ranks);
  ScheduledPart part{graph, schedule, cost};
  if (!before_links_ps_.empty()) part.before_starts_ps.resize(ranks, 0);
  for (std::size_t r = 0; r < before_links_ps_.size(); ++r) {
    if (graph.link_start(static_cast<std::int32_t>(r)) == kNoVertex) continue;
    part.before_starts_ps.push_back(before_links_ps_[r]);
  }
  // In vertex order, which is kind to the cache; consecutive vertices mostly share their rank.
  std::int32_t rank = 0;
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    if (graph.in_degree(v) == 0 || !graph.on_main_path(v)) continue;
    const std::uint32_t call = graph.global_call(v);
    if (call < graph.first_call(rank) || call >= graph.first_call(rank + 1)) rank = graph.rank(v);
    part.add_vertex(v, parts_[static_cast<std::size_t>(rank)]);
  }
  before_links_ps_.assign(ranks, 0);
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    parts_[static_cast<std::size_t>(r)].compute += graph.tail_ns(r) * kPicosPerNano;
    const Edge link = graph.link_end(r);
    if (link.from == kNoVertex) continue;
    before_links_ps_[static_cast<std::size_t>(r)] =
        part.network_time_before_ps(link.from) + cost(link, link.from).total_ps();
  }
}

std::vector<TimeBreakdown> BreakdownSum::finish(const Schedule& last) && {
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    TimeBreakdown& mine = parts_[r];
    mine.wait += last.makespan_ps - last.rank_end_ps[r];
    ensures(mine.total() == last.makespan_ps, "a rank's parts add up to the makespan");
    ensures(std::min({mine.compute, mine.overhead, mine.transfer, mine.wait}) >= 0,
            "no part is negative");
  }
  return std::move(parts_);
}

}  // namespace slackline
