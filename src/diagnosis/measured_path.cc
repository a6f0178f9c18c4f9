// The critical path of a measured run, and how far everything else is from it.
//
// One pass forward gives the path (longest_path.h); one pass back gives how late each moment could
// be without making the run longer. What is not on the path has slack, and the longest path through
// the activity of least slack beside the path is the next one to become critical. What an activity
// could gain at most is the makespan's change when it takes no time at all: one more pass each, for
// the few largest.

#include "diagnosis/measured_path.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/flat_map.h"

namespace slackline {
namespace {

constexpr std::size_t kGainsAsked = 5;
constexpr std::size_t kNearPaths = 2;

constexpr FindingKind kBackInTime{"dependence_back_in_time", Severity::notice,
                                  "Messages were received before they were sent, as the ranks' "
                                  "clocks disagree; they bind nothing "
                                  "in the measured critical path."};

using Activity = std::pair<Operation, PathId>;

class PathAnalysis {
 public:
  PathAnalysis(const Trace& trace, const CallPaths& paths, const ActivityGraph& graph)
      : trace_(trace), paths_(paths), graph_(graph) {}

  /// The stretch of time of an edge, newest part first: calls visit(segment).
  template <class Visit>
  void for_segments(Milestone to, const ActivityGraph::Edge& e, Visit visit) const {
    if (e.ns == 0) return;
    const ActivityGraph::Place& place = graph_.places[to];
    std::int64_t end = graph_.time_ns[to];
    if (place.rank == ActivityGraph::kNoRank) {
      // The tail of the rank that ends last.
      const ActivityGraph::Place& last = graph_.places[e.from];
      visit({end - e.ns, end, last.rank, last.call, Operation::none,
             paths_.at_call(last.rank, last.call)});
      return;
    }
    if (place.leaves) {
      visit({end - e.ns, end, place.rank, place.call,
             trace_.calls(place.rank).operation(place.call),
             paths_.at_call(place.rank, place.call)});
      return;
    }
    parts_.clear();
    paths_.split_gap(place.rank, place.call, [&](PathId path, std::int64_t ns) {
      parts_.push_back({path, ns});
    });
    std::int64_t left = e.ns;
    for (auto part = parts_.rbegin(); part != parts_.rend() && left > 0; ++part) {
      const std::int64_t ns = std::min(part->ns, left);
      visit({end - ns, end, place.rank, place.call, Operation::none, part->path});
      end -= ns;
      left -= ns;
    }
    if (left > 0) visit({end - left, end, place.rank, place.call, Operation::none, PathId{0}});
  }

  Activity activity_of(Milestone to) const {
    const ActivityGraph::Place& place = graph_.places[to];
    if (place.rank == ActivityGraph::kNoRank || !place.leaves) return {Operation::none, 0};
    return {trace_.calls(place.rank).operation(place.call), paths_.at_call(place.rank, place.call)};
  }

  /// The makespan if `activity` took no time anywhere.
  std::int64_t makespan_without(const Activity& activity) const {
    std::vector<std::int64_t> longest(graph_.size());
    for (Milestone v = 1; v < graph_.size(); ++v) {
      const std::int64_t removed = removed_before(v, activity);
      std::int64_t best = 0;
      graph_.for_in_edges(v, [&](const ActivityGraph::Edge& e) {
        best = std::max(best, longest[e.from] + std::max<std::int64_t>(0, e.ns - removed));
      });
      longest[v] = best;
    }
    return longest.back();
  }

 private:
  struct Part {
    PathId path;
    std::int64_t ns;
  };

  std::int64_t removed_before(Milestone v, const Activity& activity) const {
    const ActivityGraph::Place& place = graph_.places[v];
    if (place.rank == ActivityGraph::kNoRank) return 0;
    if (activity.first != Operation::none) {
      return place.leaves && activity_of(v) == activity ? std::numeric_limits<std::int64_t>::max()
                                                        : 0;
    }
    if (place.leaves) return 0;
    std::int64_t sum = 0;
    paths_.split_gap(place.rank, place.call, [&](PathId path, std::int64_t ns) {
      if (path == activity.second) sum += ns;
    });
    return sum;
  }

  const Trace& trace_;
  const CallPaths& paths_;
  const ActivityGraph& graph_;
  mutable std::vector<Part> parts_;
};

/// Longest distance from the start of every vertex, and the edge that decides it.
struct Forward {
  explicit Forward(const ActivityGraph& graph) : decided(graph.size()) {
    // Distances are the vertices' times: the edge without loss decides.
    for (Milestone v = 1; v < graph.size(); ++v) {
      for (std::uint32_t e = graph.first_edge[v]; e < graph.first_edge[v + 1]; ++e) {
        const ActivityGraph::Edge& edge = graph.edges[e];
        decided[v] = e;
        if (graph.time_ns[edge.from] + edge.ns == graph.time_ns[v]) break;
      }
    }
  }
  std::vector<std::uint32_t> decided;
};

/// The longest way from every vertex to the end.
struct Backward {
  explicit Backward(const ActivityGraph& graph)
      : longest(graph.size(), -1), next(graph.size()), by(graph.size()) {
    longest.back() = 0;
    for (Milestone v = graph.sink() + 1; v-- > 0;) {
      if (longest[v] < 0) continue;
      for (std::uint32_t e = graph.first_edge[v]; e < graph.first_edge[v + 1]; ++e) {
        const ActivityGraph::Edge& edge = graph.edges[e];
        if (longest[v] + edge.ns <= longest[edge.from]) continue;
        longest[edge.from] = longest[v] + edge.ns;
        next[edge.from] = v;
        by[edge.from] = e;
      }
    }
  }
  std::vector<std::int64_t> longest;  // -1: no way
  std::vector<Milestone> next;
  std::vector<std::uint32_t> by;
};

class NearPaths {
 public:
  NearPaths(const Trace& trace, const ActivityGraph& graph, const Backward& back)
      : trace_(trace), graph_(graph), forward_(graph), back_(back), used_(graph.edges.size()) {}

  void use(const std::vector<PathStep>& steps) {
    for (const PathStep& s : steps) used_[s.edge] = true;
    if (critical_.empty()) critical_.assign(used_.begin(), used_.end());
  }

  /// The longest path through computation that no path before went through.
  std::optional<NearPath> next() {
    std::int64_t best = -1;
    PathStep through{};
    for (Milestone v = 1; v < graph_.size(); ++v) {
      const ActivityGraph::Place& place = graph_.places[v];
      if (place.leaves || place.rank == ActivityGraph::kNoRank || back_.longest[v] < 0) continue;
      const std::uint32_t e = graph_.first_edge[v];
      if (used_[e] || graph_.edges[e].ns == 0) continue;
      const std::int64_t length = graph_.time_ns[v] + back_.longest[v];
      if (length > best) {
        best = length;
        through = {v, e};
      }
    }
    if (best < 0) return std::nullopt;
    return through_edge(through, best);
  }

 private:
  NearPath through_edge(const PathStep& through, std::int64_t length) {
    NearPath path;
    path.length_ns = length;
    path.slack_ns = graph_.makespan_ns() - length;
    path.rank = graph_.places[through.to].rank;
    path.by_rank.resize(static_cast<std::size_t>(trace_.ranks()));
    std::vector<PathStep> steps{through};
    for (Milestone v = graph_.edges[through.edge].from; v != 0;) {
      steps.push_back({v, forward_.decided[v]});
      v = graph_.edges[forward_.decided[v]].from;
    }
    for (Milestone v = through.to; v != graph_.sink(); v = back_.next[v]) {
      steps.push_back({back_.next[v], back_.by[v]});
    }
    for (const PathStep& s : steps) {
      const std::int64_t ns = graph_.edges[s.edge].ns;
      if (critical_[s.edge]) path.shared_ns += ns;
      const std::int32_t rank = graph_.places[s.to].rank == ActivityGraph::kNoRank
                                    ? graph_.places[graph_.edges[s.edge].from].rank
                                    : graph_.places[s.to].rank;
      if (rank >= 0) path.by_rank[static_cast<std::size_t>(rank)] += ns;
    }
    use(steps);
    return path;
  }

  const Trace& trace_;
  const ActivityGraph& graph_;
  Forward forward_;
  const Backward& back_;
  std::vector<bool> used_;
  std::vector<bool> critical_;
};

void add_slack(const ActivityGraph& graph, const Backward& back, MeasuredPath& out) {
  const std::size_t ranks = out.by_rank.size();
  std::vector<double> weight(ranks, 0);
  for (Milestone v = 1; v < graph.size(); ++v) {
    const ActivityGraph::Place& place = graph.places[v];
    if (place.leaves || place.rank == ActivityGraph::kNoRank || back.longest[v] < 0) continue;
    const std::int64_t ns = graph.edges[graph.first_edge[v]].ns;
    if (ns == 0) continue;
    const auto r = static_cast<std::size_t>(place.rank);
    const std::int64_t slack = graph.makespan_ns() - graph.time_ns[v] - back.longest[v];
    if (slack > 0 && (out.least_slack_ns[r] < 0 || slack < out.least_slack_ns[r])) {
      out.least_slack_ns[r] = slack;
    }
    out.mean_slack_ns[r] += static_cast<double>(slack) * static_cast<double>(ns);
    weight[r] += static_cast<double>(ns);
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    if (weight[r] > 0) out.mean_slack_ns[r] /= weight[r];
  }
}

struct ActivityHash {
  std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
};
using ActivityTimes = FlatMap<std::uint64_t, std::int64_t, ActivityHash>;

std::uint64_t key_of(Operation operation, PathId path) {
  return std::uint64_t{path} << 8 | static_cast<std::uint64_t>(operation);
}

/// Time without waiting of each activity, all ranks together.
ActivityTimes busy_time(const PathAnalysis& analysis, const ActivityGraph& graph) {
  ActivityTimes busy;
  for (Milestone v = 1; v < graph.size(); ++v) {
    if (graph.first_edge[v] == graph.first_edge[v + 1]) continue;
    if (graph.places[v].rank == ActivityGraph::kNoRank) continue;
    // The shortest of a call's edges is the time after the last one it waited for.
    const ActivityGraph::Edge* shortest = nullptr;
    graph.for_in_edges(v, [&](const ActivityGraph::Edge& e) {
      if (shortest == nullptr || e.ns < shortest->ns) shortest = &e;
    });
    analysis.for_segments(v, *shortest, [&](const ActivitySegment& s) {
      busy[key_of(s.operation, s.path)] += s.length_ns();
    });
  }
  return busy;
}

void add_activities(const PathAnalysis& analysis, const ActivityGraph& graph, MeasuredPath& out) {
  std::map<Activity, ActivityShare> shares;
  for (const ActivitySegment& s : out.segments) {
    ActivityShare& share =
        shares.try_emplace({s.operation, s.path}, ActivityShare{s.operation, s.path}).first->second;
    share.on_path_ns += s.length_ns();
  }
  ActivityTimes busy = busy_time(analysis, graph);
  const auto ranks = static_cast<double>(std::max<std::size_t>(1, out.by_rank.size()));
  for (auto& [key, share] : shares) {
    if (const std::int64_t* ns = busy.find(key_of(key.first, key.second)); ns != nullptr) {
      share.mean_ns = static_cast<double>(*ns) / ranks;
    }
    share.imbalance_ns = std::max(0.0, static_cast<double>(share.on_path_ns) - share.mean_ns);
    out.activities.push_back(share);
  }
  std::ranges::stable_sort(out.activities, std::greater{}, &ActivityShare::on_path_ns);
  for (std::size_t i = 0; i < std::min(kGainsAsked, out.activities.size()); ++i) {
    ActivityShare& a = out.activities[i];
    a.gain_ns = out.makespan_ns - analysis.makespan_without({a.operation, a.path});
  }
}

}  // namespace

std::vector<std::int64_t> slack_ns(const ActivityGraph& graph) {
  const Backward back(graph);
  std::vector<std::int64_t> slack(graph.size());
  for (Milestone v = 0; v < graph.size(); ++v) {
    slack[v] = back.longest[v] < 0 ? graph.makespan_ns()
                                   : graph.makespan_ns() - graph.time_ns[v] - back.longest[v];
  }
  return slack;
}

MeasuredPath measured_path(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
                           const PathOptions& options) {
  if (!trace.timed()) {
    throw Error("cannot find the measured critical path of an untimed trace",
                "it says what the program does and not when",
                "Ask for the predicted one: --on model.");
  }
  MeasuredPath out;
  out.algorithm = options.algorithm;
  out.findings.merge(matching.findings());
  out.by_rank.resize(static_cast<std::size_t>(trace.ranks()));
  out.least_slack_ns.assign(out.by_rank.size(), -1);
  out.mean_slack_ns.assign(out.by_rank.size(), 0);
  const ActivityGraph graph = activity_graph(trace, matching);
  if (graph.dropped > 0) out.findings.add(kBackInTime, {}, graph.dropped);
  out.vertices = graph.size();
  out.edges = graph.edges.size();
  if (graph.size() < 2) return out;
  out.makespan_ns = graph.makespan_ns();
  out.parts = cut_vertices(graph).size() - 1;
  const ActivityPath path = longest_path(graph, options.algorithm, options.delta_ns);
  ensures(path.length_ns == out.makespan_ns, "the critical path is as long as the run");
  const PathAnalysis analysis(trace, paths, graph);
  for (auto step = path.steps.rbegin(); step != path.steps.rend(); ++step) {
    analysis.for_segments(step->to, graph.edges[step->edge],
                          [&](const ActivitySegment& s) { out.segments.push_back(s); });
  }
  std::ranges::reverse(out.segments);
  for (const ActivitySegment& s : out.segments) {
    out.by_rank[static_cast<std::size_t>(s.rank)] += s.length_ns();
  }
  add_activities(analysis, graph, out);
  const Backward back(graph);
  add_slack(graph, back, out);
  NearPaths near(trace, graph, back);
  near.use(path.steps);
  for (std::size_t i = 0; i < kNearPaths; ++i) {
    if (std::optional<NearPath> found = near.next()) out.near.push_back(std::move(*found));
  }
  return out;
}

}  // namespace slackline
