// The longest path of a program activity graph, by four exact methods.
//
// dag: vertices are numbered topologically, so one pass in their order gives every vertex its
// longest distance from the start.
//
// dijkstra and delta-stepping find *shortest* paths with weights that are not negative. Negating
// the activities' lengths would not do; but every vertex v has a measured time t(v), and an edge of
// length w from u to v has the slack t(v) - t(u) - w >= 0. Along a path the edges' slacks add up to
// the difference of the end's times minus the path's length. So the path of least slack is the
// longest, and slacks are proper weights.
//
// splits: a vertex that every path goes through cuts the graph into parts whose longest paths are
// independent and are found in parallel. In topological numbering it is one that no edge passes
// over.

#include "analysis/paths/longest_activity_path.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kNoEdge = static_cast<std::uint32_t>(-1);
constexpr std::size_t kMostBuckets = 1u << 20;

ActivityPath walk_back(const ActivityGraph& graph, const std::vector<std::uint32_t>& decided,
                       ActivityVertex from, ActivityVertex to) {
  ActivityPath path;
  for (ActivityVertex v = to; v != from;) {
    const std::uint32_t e = decided[v];
    ensures(e != kNoEdge, "every vertex is reached from the start");
    path.steps.push_back({v, e});
    path.length_ns += graph.edges[e].ns;
    v = graph.edges[e].from;
  }
  std::ranges::reverse(path.steps);
  return path;
}

// Longest distances from `from` within [from, to]; edges from before are ignored.
void relax_range(const ActivityGraph& graph, ActivityVertex from, ActivityVertex to,
                 std::vector<std::int64_t>& longest, std::vector<std::uint32_t>& decided) {
  longest[from] = 0;
  for (ActivityVertex v = from + 1; v <= to; ++v) {
    std::int64_t best = -1;
    std::uint32_t by = kNoEdge;
    for (std::uint32_t e = graph.first_edge[v]; e < graph.first_edge[v + 1]; ++e) {
      const ActivityGraph::Edge& edge = graph.edges[e];
      if (edge.from < from || longest[edge.from] < 0) continue;
      const std::int64_t length = longest[edge.from] + edge.ns;
      if (length > best) {
        best = length;
        by = e;
      }
    }
    longest[v] = best;
    decided[v] = by;
  }
}

ActivityPath by_dag(const ActivityGraph& graph) {
  std::vector<std::int64_t> longest(graph.size());
  std::vector<std::uint32_t> decided(graph.size(), kNoEdge);
  relax_range(graph, 0, graph.sink(), longest, decided);
  return walk_back(graph, decided, 0, graph.sink());
}

ActivityPath by_splits(const ActivityGraph& graph) {
  const std::vector<ActivityVertex> cuts = cut_vertices(graph);
  std::vector<std::uint32_t> decided(graph.size(), kNoEdge);
  std::vector<ActivityPath> parts(cuts.size() - 1);
  parallel_for(parts.size(), [&](std::size_t i) {
    std::vector<std::int64_t> local(cuts[i + 1] - cuts[i] + 1, -1);
    local[0] = 0;
    for (ActivityVertex v = cuts[i] + 1; v <= cuts[i + 1]; ++v) {
      std::int64_t best = -1;
      for (std::uint32_t e = graph.first_edge[v]; e < graph.first_edge[v + 1]; ++e) {
        const ActivityGraph::Edge& edge = graph.edges[e];
        if (edge.from < cuts[i]) continue;
        const std::int64_t before = local[edge.from - cuts[i]];
        if (before >= 0 && before + edge.ns > best) {
          best = before + edge.ns;
          decided[v] = e;
        }
      }
      local[v - cuts[i]] = best;
    }
    parts[i] = walk_back(graph, decided, cuts[i], cuts[i + 1]);
  });
  ActivityPath whole;
  for (const ActivityPath& part : parts) {
    whole.length_ns += part.length_ns;
    whole.steps.insert(whole.steps.end(), part.steps.begin(), part.steps.end());
  }
  return whole;
}

/// The edges by the vertex that they leave, for searches that go forward.
struct OutEdges {
  explicit OutEdges(const ActivityGraph& graph)
      : first(graph.size() + 1), edge(graph.edges.size()), to(graph.edges.size()) {
    for (const ActivityGraph::Edge& e : graph.edges) ++first[e.from + 1];
    for (std::size_t v = 0; v < graph.size(); ++v) first[v + 1] += first[v];
    std::vector<std::uint32_t> at(first.begin(), first.end() - 1);
    for (ActivityVertex v = 0; v < graph.size(); ++v) {
      for (std::uint32_t e = graph.first_edge[v]; e < graph.first_edge[v + 1]; ++e) {
        const std::uint32_t slot = at[graph.edges[e].from]++;
        edge[slot] = e;
        to[slot] = v;
      }
    }
  }
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> edge;
  std::vector<ActivityVertex> to;
};

std::int64_t slack(const ActivityGraph& graph, const ActivityGraph::Edge& e, ActivityVertex to) {
  return graph.time_ns[to] - graph.time_ns[e.from] - e.ns;
}

class LeastSlack {
 public:
  explicit LeastSlack(const ActivityGraph& graph)
      : graph_(graph), out_(graph), slack_(graph.size(), kFar), decided_(graph.size(), kNoEdge) {
    slack_[0] = 0;
  }

  ActivityPath dijkstra() {
    using Entry = std::pair<std::int64_t, ActivityVertex>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(0, 0);
    while (!queue.empty()) {
      const auto [distance, v] = queue.top();
      queue.pop();
      if (distance > slack_[v]) continue;
      relax(v, [&](ActivityVertex to) { queue.emplace(slack_[to], to); });
    }
    return walk_back(graph_, decided_, 0, graph_.sink());
  }

  ActivityPath delta_stepping(std::int64_t delta) {
    // Distances beyond the last bucket stay in it, which is repeated until nothing changes.
    std::vector<std::vector<ActivityVertex>> buckets(1);
    const auto bucket_of = [&](ActivityVertex v) {
      return std::min(static_cast<std::size_t>(slack_[v] / delta), kMostBuckets - 1);
    };
    const auto put = [&](ActivityVertex v) {
      const std::size_t b = bucket_of(v);
      if (b >= buckets.size()) buckets.resize(b + 1);
      buckets[b].push_back(v);
    };
    put(0);
    // Within a bucket the vertices' own order is kept: it is topological, so that a vertex has been
    // reached from all of the bucket before it passes its own distance on.
    std::vector<ActivityVertex> now;
    const auto later = std::greater<>();
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      now.swap(buckets[b]);
      std::ranges::make_heap(now, later);
      while (!now.empty()) {
        const ActivityVertex v = now.front();
        std::ranges::pop_heap(now, later);
        now.pop_back();
        while (!now.empty() && now.front() == v) {
          std::ranges::pop_heap(now, later);
          now.pop_back();
        }
        if (bucket_of(v) == b) relax(v, put);
        for (const ActivityVertex w : buckets[b]) {
          now.push_back(w);
          std::ranges::push_heap(now, later);
        }
        buckets[b].clear();
      }
    }
    return walk_back(graph_, decided_, 0, graph_.sink());
  }

 private:
  template <class Changed>
  void relax(ActivityVertex v, Changed changed) {
    for (std::uint32_t slot = out_.first[v]; slot < out_.first[v + 1]; ++slot) {
      const ActivityVertex to = out_.to[slot];
      const std::int64_t distance = slack_[v] + slack(graph_, graph_.edges[out_.edge[slot]], to);
      if (distance >= slack_[to]) continue;
      slack_[to] = distance;
      decided_[to] = out_.edge[slot];
      changed(to);
    }
  }

  const ActivityGraph& graph_;
  OutEdges out_;
  std::vector<std::int64_t> slack_;
  std::vector<std::uint32_t> decided_;
};

/// The mean slack of an edge, at least 1.
std::int64_t chosen_delta(const ActivityGraph& graph) {
  double sum = 0;
  for (ActivityVertex v = 0; v < graph.size(); ++v) {
    graph.for_in_edges(
        v, [&](const ActivityGraph::Edge& e) { sum += static_cast<double>(slack(graph, e, v)); });
  }
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(sum / static_cast<double>(graph.edges.size() + 1)));
}

}  // namespace

std::string_view to_string(PathAlgorithm algorithm) {
  switch (algorithm) {
    case PathAlgorithm::dag:
      return "dag";
    case PathAlgorithm::dijkstra:
      return "dijkstra";
    case PathAlgorithm::delta_stepping:
      return "delta-stepping";
    case PathAlgorithm::splits:
      return "splits";
  }
  return "dag";
}

std::vector<ActivityVertex> cut_vertices(const ActivityGraph& graph) {
  std::vector<ActivityVertex> cuts;
  if (graph.size() == 0) return cuts;
  // How far edges from vertices before v reach.
  std::vector<ActivityVertex> reach(graph.size(), 0);
  for (ActivityVertex v = 0; v < graph.size(); ++v) {
    graph.for_in_edges(
        v, [&](const ActivityGraph::Edge& e) { reach[e.from] = std::max(reach[e.from], v); });
  }
  ActivityVertex furthest = 0;
  for (ActivityVertex v = 0; v < graph.size(); ++v) {
    if (furthest <= v) cuts.push_back(v);
    furthest = std::max(furthest, reach[v]);
  }
  return cuts;
}

ActivityPath longest_path(const ActivityGraph& graph, PathAlgorithm algorithm,
                          std::int64_t delta_ns) {
  if (graph.size() < 2) return {};
  switch (algorithm) {
    case PathAlgorithm::dag:
      return by_dag(graph);
    case PathAlgorithm::dijkstra:
      return LeastSlack(graph).dijkstra();
    case PathAlgorithm::delta_stepping:
      return LeastSlack(graph).delta_stepping(delta_ns > 0 ? delta_ns : chosen_delta(graph));
    case PathAlgorithm::splits:
      return by_splits(graph);
  }
  return {};
}

}  // namespace slackline
