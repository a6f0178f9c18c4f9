#include "timing/model_schedule.h"

#include <limits>
#include <utility>

#include "base/error.h"
#include "timing/network/pair_cost.h"

namespace slackline {
namespace {

/// 53 days; the sum with an edge's cost, of four parts, is a 64-bit number.
constexpr std::int64_t kMostRunPs = (std::int64_t{1} << 62) - 1;

void check_length(bool fits) {
  if (fits) return;
  throw Error("cannot predict the run time", "it exceeds 53 days, or one message or computation 13",
              "Check the sizes of messages, the times of the trace, L, o and G.");
}

}  // namespace

PicosecondCost::PicosecondCost(const LogGPS& model)
    : overhead_ps_(rounded_ps(model.overhead_fs)),
      kinds_{{rounded_ps(model.latency_fs), model.gap_per_byte_fs}} {}

PicosecondCost::PicosecondCost(const ExecutionGraph& graph, const LogGPS& model,
                               std::shared_ptr<const PairNetwork> network)
    : overhead_ps_(rounded_ps(model.overhead_fs)),
      graph_(&graph),
      network_(std::move(network)),
      ranks_(vertex_ranks(graph)) {
  const RouteTable& routes = *network_->routes;
  for (std::size_t k = 0; k < routes.kinds().size(); ++k) {
    kinds_.push_back({rounded_ps(routes.latency_fs(k)), routes.gap_fs(k)});
  }
}

EdgeCost PicosecondCost::operator()(const Edge& e) const {
  expects(network_ == nullptr, "all pairs of ranks are alike");
  return cost(e, kinds_.front());
}

std::size_t PicosecondCost::kind(const Edge& e, VertexId to) const {
  const RankPair pair = graph_->pair_of(e, ranks_[e.from], ranks_[to]);
  return network_->kind(pair.from, pair.to);
}

Schedule model_schedule(const ExecutionGraph& graph, const LogGPS& model) {
  return model_schedule(graph, PicosecondCost(model));
}

Schedule model_schedule(const ExecutionGraph& graph, const PicosecondCost& cost) {
  ScheduleCut cut;
  return model_schedule(graph, cost, cut);
}

Schedule model_schedule(const ExecutionGraph& graph, const PicosecondCost& cost, ScheduleCut& cut) {
  Schedule schedule;
  schedule.time_ps.resize(graph.vertex_count());
  schedule.decided_by.resize(graph.vertex_count());
  std::vector<std::uint32_t> crossings(graph.vertex_count());
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  VertexId begun = 0;
  const auto go_on = [&](const ScheduleCut::Reached& reached) {
    schedule.time_ps[begun] = reached.time_ps;
    schedule.decided_by[begun] = Schedule::kUndecided;
    crossings[begun++] = reached.crossings;
  };
  for (const ScheduleCut::Reached& reached : cut.programs) go_on(reached);
  for (std::size_t r = 0; r < cut.links.size(); ++r) {
    if (graph.link_start(static_cast<std::int32_t>(r)) != kNoVertex) go_on(cut.links[r]);
  }
  for (VertexId v = begun; v < vertices; ++v) {
    std::int64_t latest = 0;
    std::uint32_t most = 0;
    std::uint32_t decided = Schedule::kUndecided;
    std::uint32_t k = 0;
    bool fits = true;
    graph.for_in_edges(v, [&](const Edge& e) {
      const std::int64_t takes = cost(e, v).total_ps();
      const std::int64_t t = schedule.time_ps[e.from] + takes;
      fits = fits && takes < kMostEdgePs && t <= kMostRunPs;
      const std::uint32_t crossed = crossings[e.from] + e.latencies;
      if (decided == Schedule::kUndecided || t > latest || (t == latest && crossed > most)) {
        latest = t;
        most = crossed;
        decided = k;
      }
      ++k;
    });
    check_length(fits);
    schedule.time_ps[v] = latest;
    schedule.decided_by[v] = decided;
    crossings[v] = most;
  }
  cut = {};
  // A cost beyond the limit is an error only if a later message waits for the link: in the graph of
  // the whole run, it is the cost of an edge to that message.
  const auto link_free = [&](const Edge& last) {
    if (last.from == kNoVertex) return ScheduleCut::Reached{};
    const std::int64_t takes = cost(last, last.from).total_ps();
    const std::int64_t free = takes < kMostEdgePs ? schedule.time_ps[last.from] + takes
                                                  : std::numeric_limits<std::int64_t>::max();
    return ScheduleCut::Reached{free, crossings[last.from]};
  };
  std::uint32_t most = 0;
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    const VertexId last = graph.last_vertex(r);
    check_length(graph.tail_ns(r) < kMostEdgePs / kPicosPerNano);
    const std::int64_t end = schedule.time_ps[last] + graph.tail_ns(r) * kPicosPerNano;
    schedule.rank_end_ps.push_back(end);
    cut.programs.push_back({end, crossings[last]});
    cut.links.push_back(link_free(graph.link_end(r)));
    if (r == 0 || end > schedule.makespan_ps ||
        (end == schedule.makespan_ps && crossings[last] > most)) {
      schedule.makespan_ps = end;
      schedule.last_rank = r;
      most = crossings[last];
    }
  }
  return schedule;
}

}  // namespace slackline
