// The critical path of a Schedule: from the end of the last rank back along the deciding edges.
//
// Every vertex lies exactly the cost of its deciding edge after that edge's source, so the costs
// along the walk add up to the makespan without rest. Each edge's cost is cut into computation,
// overhead, latency and bandwidth; computation that spans several calls is cut once more at the
// borders of user regions.

#include "analysis/model/model_path.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

class PathCollector {
 public:
  PathCollector(const Trace& trace, const ExecutionGraph& graph, const PicosecondCost& cost)
      : trace_(trace), graph_(graph), cost_(cost), paths_(trace) {}

  /// Where the path is, of which segments are added from late to early.
  void begin_at(std::int64_t end_ps) { now_ps_ = end_ps; }
  /// Segments of the tail after the last vertex, then of each edge, are added from late to early.
  void add_tail(std::int32_t rank, std::int64_t end_ps) {
    now_ps_ = end_ps;
    const VertexId last = graph_.last_vertex(rank);
    const auto calls = static_cast<std::uint32_t>(trace_.calls(rank).size());
    add_compute(rank, first_gap_after(last), program_end(rank, calls), graph_.tail_ns(rank));
  }

  void add_edge(VertexId to, const Edge& e) {
    const EdgeCost c = cost_(e, to);
    const std::int32_t rank = graph_.rank(to);
    const std::int32_t from_rank = graph_.rank(e.from);
    const std::uint32_t call = graph_.call(to);
    add(PathPart::overhead, rank, from_rank, call, c.overhead_ps);
    add(PathPart::bandwidth, rank, from_rank, call, c.bandwidth_ps);
    add(PathPart::latency, rank, from_rank, call, c.latency_ps);
    messages_ += e.latencies;
    if (e.kind == EdgeKind::inside) {
      add(PathPart::compute, rank, rank, call, c.compute_ps);
    } else if (c.compute_ps > 0) {
      add_compute(rank, first_gap_after(e.from), call, e.nanoseconds);
    }
  }

  /// `rank` waits for its link in `call`, of a later part of the run.
  void add_link(std::int32_t rank, const CallOnPath& call, std::int64_t ps) {
    push(PathPart::bandwidth, rank, rank, call, ps);
  }

  CallOnPath call_on_path(std::int32_t rank, std::uint32_t call) const {
    if (trace_.calls(rank).empty()) return {call, Operation::none, kNoRegion};
    return {call, trace_.calls(rank).operation(call), paths_.region(paths_.at_call(rank, call))};
  }

  /// The path begins at that time.
  ModelPath finish(std::int64_t begin_ps) {
    ensures(now_ps_ == begin_ps, "the critical path's segments add up to the makespan");
    ModelPath path;
    std::ranges::reverse(segments_);
    path.segments = std::move(segments_);
    path.messages = messages_;
    return path;
  }

 private:
  /// The call before which a rank's program ends: MPI_Finalize, or the one after the last.
  std::uint32_t program_end(std::int32_t rank, std::uint32_t calls) const {
    for (std::uint32_t i = calls; i-- > 0;) {
      if (trace_.calls(rank).operation(i) == Operation::finalize) return i;
    }
    return calls;
  }

  void add(PathPart part, std::int32_t rank, std::int32_t from_rank, std::uint32_t call,
           std::int64_t ps) {
    if (ps > 0) push(part, rank, from_rank, call_on_path(rank, call), ps);
  }

  void push_compute(std::int32_t rank, std::uint32_t call, std::int32_t region, std::int64_t ns) {
    push(PathPart::compute, rank, rank, {call, Operation::none, region}, ns * kPicosPerNano);
  }

  void push(PathPart part, std::int32_t rank, std::int32_t from_rank, const CallOnPath& call,
            std::int64_t ps) {
    if (ps <= 0) return;
    segments_.push_back({.begin_ps = now_ps_ - ps,
                         .end_ps = now_ps_,
                         .part = part,
                         .rank = rank,
                         .from_rank = from_rank,
                         .call = call.call,
                         .operation = call.operation,
                         .region = call.region});
    now_ps_ -= ps;
  }

  /// The call before which computation after `v` begins. A start vertex lies before all calls.
  std::uint32_t first_gap_after(VertexId v) const {
    return graph_.in_degree(v) == 0 ? 0 : graph_.call(v) + 1;
  }

  /// `ns` of computation before the calls [from_call, to_call] of a rank, the newest first.
  void add_compute(std::int32_t rank, std::uint32_t from_call, std::uint32_t to_call,
                   std::int64_t ns) {
    struct Part {
      std::int32_t region;
      std::int64_t ns;
    };
    std::vector<Part> parts;
    const bool has_calls = !trace_.calls(rank).empty();
    for (std::uint32_t call = to_call + 1; has_calls && call-- > from_call && ns > 0;) {
      parts.clear();
      paths_.split_gap(rank, call, [&](PathId path, std::int64_t length) {
        parts.push_back({paths_.region(path), length});
      });
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        const std::int64_t taken = std::min(part->ns, ns);
        push_compute(rank, call, part->region, taken);
        ns -= taken;
      }
    }
    // What no gap accounts for: the rank's late start.
    push_compute(rank, from_call, kNoRegion, ns);
  }

  const Trace& trace_;
  const ExecutionGraph& graph_;
  const PicosecondCost& cost_;
  CallPaths paths_;
  std::vector<PathSegment> segments_;
  std::int64_t now_ps_ = 0;
  std::uint64_t messages_ = 0;
};

/// Finds the rows of a table by their keys; new ones come last.
template <class Key>
class TableRows {
 public:
  explicit TableRows(std::vector<std::pair<Key, PathTime>>& table) : table_(table) {
    for (std::size_t i = 0; i < table.size(); ++i) places_.emplace(table[i].first, i);
  }
  PathTime& operator[](Key key) {
    const auto [place, fresh] = places_.try_emplace(key, table_.size());
    if (fresh) table_.emplace_back(key, PathTime{});
    return table_[place->second].second;
  }

 private:
  std::vector<std::pair<Key, PathTime>>& table_;
  std::map<Key, std::size_t> places_;
};

template <class Key>
void largest_first(std::vector<std::pair<Key, PathTime>>& table) {
  std::ranges::stable_sort(table, std::greater{}, [](const std::pair<Key, PathTime>& row) {
    return row.second.total_ps();
  });
}

void add_up(ModelPath& path, const Trace& trace) {
  path.by_rank.resize(static_cast<std::size_t>(trace.ranks()));
  TableRows by_operation(path.by_operation);
  TableRows by_region(path.by_region);
  for (const PathSegment& s : path.segments) {
    path.total.add(s.part, s.length_ps());
    path.by_rank[static_cast<std::size_t>(s.rank)].add(s.part, s.length_ps());
    by_operation[s.operation].add(s.part, s.length_ps());
    if (!trace.regions().empty()) by_region[s.region].add(s.part, s.length_ps());
  }
}

void order_tables(ModelPath& path) {
  largest_first(path.by_operation);
  largest_first(path.by_region);
}

void add_time(PathTime& sum, const PathTime& other) {
  sum.compute_ps += other.compute_ps;
  sum.overhead_ps += other.overhead_ps;
  sum.latency_ps += other.latency_ps;
  sum.bandwidth_ps += other.bandwidth_ps;
}

/// `first`, and then what `later` has.
template <class Key>
std::vector<std::pair<Key, PathTime>> joined(std::vector<std::pair<Key, PathTime>> first,
                                             const std::vector<std::pair<Key, PathTime>>& later) {
  TableRows rows(first);
  for (const auto& [key, time] : later) add_time(rows[key], time);
  return first;
}

struct PathStart {
  VertexId start;
  VertexId next;  ///< the next vertex of the path; `start` if there is none
};

/// Back along the deciding edges to a start vertex.
PathStart follow_back(const ExecutionGraph& graph, const Schedule& schedule, VertexId v,
                      PathCollector& collector) {
  VertexId next = v;
  while (schedule.decided_by[v] != Schedule::kUndecided) {
    const Edge e = graph.in_edge(v, schedule.decided_by[v]);
    collector.add_edge(v, e);
    next = std::exchange(v, e.from);
  }
  return {v, next};
}

}  // namespace

std::string_view to_string(PathPart part) {
  switch (part) {
    case PathPart::compute:
      return "compute";
    case PathPart::overhead:
      return "overhead";
    case PathPart::latency:
      return "latency";
    case PathPart::bandwidth:
      return "bandwidth";
  }
  return "compute";
}

void PathTime::add(PathPart part, std::int64_t ps) {
  switch (part) {
    case PathPart::compute:
      compute_ps += ps;
      return;
    case PathPart::overhead:
      overhead_ps += ps;
      return;
    case PathPart::latency:
      latency_ps += ps;
      return;
    case PathPart::bandwidth:
      bandwidth_ps += ps;
      return;
  }
}

ModelPath model_path(const Trace& trace, const ExecutionGraph& graph, const Schedule& schedule,
                     const PicosecondCost& cost) {
  PathCollector collector(trace, graph, cost);
  collector.add_tail(schedule.last_rank, schedule.makespan_ps);
  follow_back(graph, schedule, graph.last_vertex(schedule.last_rank), collector);
  ModelPath path = collector.finish(0);
  add_up(path, trace);
  order_tables(path);
  return path;
}

void ModelPathSum::add(const Trace& trace, const ExecutionGraph& graph, const Schedule& schedule,
                       const PicosecondCost& cost, const RunPart& part) {
  if (part.last) rank_ = schedule.last_rank;
  PathCollector collector(trace, graph, cost);
  VertexId v = graph.last_vertex(rank_);
  if (by_link_) {
    const Edge link = graph.link_end(rank_);
    v = link.from;
    const std::int64_t takes = cost(link, v).total_ps();
    collector.begin_at(schedule.time_ps[v] + takes);
    collector.add_link(rank_, *by_link_, takes);
  } else {
    collector.add_tail(rank_, schedule.rank_end_ps[static_cast<std::size_t>(rank_)]);
  }
  const auto [start, next] = follow_back(graph, schedule, v, collector);
  ModelPath path = collector.finish(schedule.time_ps[start]);
  rank_ = graph.rank(start);
  if (start != graph.link_start(rank_)) {
    by_link_.reset();
  } else if (next != start) {
    by_link_ = collector.call_on_path(rank_, graph.call(next));
  }
  add_up(path, trace);
  add_time(sums_.total, path.total);
  sums_.by_rank.resize(path.by_rank.size());
  for (std::size_t r = 0; r < path.by_rank.size(); ++r) {
    add_time(sums_.by_rank[r], path.by_rank[r]);
  }
  sums_.by_operation = joined(std::move(path.by_operation), sums_.by_operation);
  sums_.by_region = joined(std::move(path.by_region), sums_.by_region);
  sums_.messages += path.messages;
}

ModelPath ModelPathSum::finish() && {
  order_tables(sums_);
  return std::move(sums_);
}

std::vector<TimelineFlow> model_path_flows(const ExecutionGraph& graph, const Schedule& schedule) {
  std::vector<TimelineFlow> flows;
  if (graph.vertex_count() == 0) return flows;
  VertexId v = graph.last_vertex(schedule.last_rank);
  while (v != kNoVertex && schedule.decided_by[v] != Schedule::kUndecided) {
    const VertexId from = graph.in_edge(v, schedule.decided_by[v]).from;
    if (graph.rank(from) != graph.rank(v)) {
      flows.push_back({graph.rank(from), graph.call(from), graph.rank(v), graph.call(v)});
    }
    v = from;
  }
  std::ranges::reverse(flows);
  return flows;
}

}  // namespace slackline
