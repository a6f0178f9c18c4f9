#include "graph/training/moments.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "base/units.h"
#include "graph/graph_builder.h"

namespace slackline {
namespace {

Edge graph_edge(const MomentEdge& edge, VertexId from, bool main) {
  Edge result{.from = from,
              .kind = main ? EdgeKind::compute : EdgeKind::order,
              .latencies = 0,
              .overheads = 0,
              .nanoseconds = edge.ns(),
              .bytes = 0};
  if (edge.bytes >= 0) {
    result.kind = edge.latencies > 0 ? EdgeKind::message : EdgeKind::protocol;
    result.latencies = edge.latencies;
    result.nanoseconds = 0;
    result.bytes = static_cast<std::uint64_t>(edge.bytes) + 1;
  }
  return result;
}

}  // namespace

std::uint32_t Moments::add(const TrainingMoment& moment, bool fitted) {
  moments_.push_back({moment, fitted});
  return static_cast<std::uint32_t>(moments_.size() - 1);
}

std::uint32_t Moments::edge(const MomentEdge& edge) {
  edges_.push_back(edge);
  return static_cast<std::uint32_t>(edges_.size() - 1);
}

std::int64_t Moments::time_ns(std::uint32_t moment) const {
  return moments_[moment].time_fs / kFemtosPerNano;
}

void Moments::fit() {
  std::vector<std::uint32_t> latest(moments_.size(), kNoVertex);
  const auto lead = [&](const MomentEdge& edge) {
    return time_fs(edge.from) + edge.ns() * kFemtosPerNano;
  };
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    MomentEdge& edge = edges_[i];
    if (!moments_[edge.to].fitted || edge.bytes >= 0) continue;
    const std::int64_t room = std::max<std::int64_t>(time_fs(edge.to) - time_fs(edge.from), 0);
    edge.work_ns = std::min(edge.work_ns, room / kFemtosPerNano);
    edge.rest_ns = std::min(edge.rest_ns, room / kFemtosPerNano - edge.work_ns);
    std::uint32_t& best = latest[edge.to];
    if (best == kNoVertex || lead(edge) > lead(edges_[best])) best = i;
  }
  for (std::uint32_t moment = 0; moment < moments_.size(); ++moment) {
    if (latest[moment] == kNoVertex) continue;
    MomentEdge& edge = edges_[latest[moment]];
    edge.rest_ns += std::max<std::int64_t>(time_fs(moment) - lead(edge), 0) / kFemtosPerNano;
    if (moments_[moment].chain == kNoVertex) moments_[moment].chain = latest[moment];
  }
}

std::vector<std::vector<std::uint32_t>> Moments::edges_into() const {
  std::vector<std::vector<std::uint32_t>> into(moments_.size());
  for (std::uint32_t i = 0; i < edges_.size(); ++i) into[edges_[i].to].push_back(i);
  return into;
}

// By time as far as dependences allow. Where moments wait for each other, the earliest goes on.
std::vector<std::uint32_t> Moments::order(
    const std::vector<std::vector<std::uint32_t>>& into) const {
  std::vector<std::vector<std::uint32_t>> after(moments_.size());
  std::vector<std::size_t> missing(moments_.size());
  using Ready = std::pair<std::int64_t, std::uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (const MomentEdge& edge : edges_) after[edge.from].push_back(edge.to);
  for (std::uint32_t m = 0; m < moments_.size(); ++m) {
    missing[m] = into[m].size();
    if (missing[m] == 0) ready.emplace(time_fs(m), m);
  }
  std::vector<Ready> by_time;
  for (std::uint32_t m = 0; m < moments_.size(); ++m) by_time.emplace_back(time_fs(m), m);
  std::ranges::sort(by_time);
  std::vector<bool> done(moments_.size());
  std::vector<std::uint32_t> sorted;
  std::size_t next = 0;
  while (sorted.size() < moments_.size()) {
    if (ready.empty()) {
      while (done[by_time[next].second]) ++next;
      ready.push(by_time[next]);
    }
    const std::uint32_t moment = ready.top().second;
    ready.pop();
    if (done[moment]) continue;
    done[moment] = true;
    sorted.push_back(moment);
    for (const std::uint32_t later : after[moment]) {
      if (missing[later] > 0 && --missing[later] == 0) ready.emplace(time_fs(later), later);
    }
  }
  return sorted;
}

// The chain of own edges back from the end of each rank.
std::vector<bool> Moments::main_paths(const std::vector<std::uint32_t>& ends) const {
  std::vector<bool> main(moments_.size());
  for (std::uint32_t at : ends) {
    while (!main[at]) {
      main[at] = true;
      if (moments_[at].chain == kNoVertex) break;
      at = edges_[moments_[at].chain].from;
    }
  }
  return main;
}

ExecutionGraph Moments::graph(const std::vector<std::uint32_t>& starts,
                              const std::vector<std::uint32_t>& ends,
                              std::vector<TrainingMoment>& of_vertices) const {
  const std::vector<std::vector<std::uint32_t>> into = edges_into();
  const std::vector<bool> main = main_paths(ends);
  GraphBuilder builder(std::vector<std::uint32_t>(starts.size(), 1));
  builder.reserve(moments_.size(), edges_.size());
  std::vector<VertexId> vertices(moments_.size(), kNoVertex);
  const auto write = [&](std::uint32_t moment) {
    const Moment& m = moments_[moment];
    of_vertices.push_back(m);
    vertices[moment] = builder.vertex(builder.global_call(static_cast<std::int32_t>(m.rank), 0));
    const auto add = [&](std::uint32_t e, bool first) {
      const VertexId from = vertices[edges_[e].from];
      if (from == kNoVertex) return;  // a circle was cut here
      builder.edge(graph_edge(edges_[e], from, first));
      if (edges_[e].latencies > 0) builder.count_message();
    };
    if (main[moment] && m.chain != kNoVertex) add(m.chain, true);
    for (const std::uint32_t e : into[moment]) {
      if (!main[moment] || e != m.chain) add(e, false);
    }
  };
  for (const std::uint32_t start : starts) write(start);
  for (const std::uint32_t moment : order(into)) {
    if (vertices[moment] == kNoVertex) write(moment);
  }
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    builder.end_rank(static_cast<std::int32_t>(rank), vertices[ends[rank]], 0);
  }
  return std::move(builder).finish();
}

}  // namespace slackline
