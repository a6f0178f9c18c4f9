// Writes down the graph of activities.h, in causal order, so that vertices come out topologically
// sorted: each call appends its end and the begin of the next one; in collectives that all wait
// for, the dependences meet in one vertex, the last entry, instead of joining all pairs.

#include "analysis/paths/activity_graph.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

class GraphWriter {
 public:
  GraphWriter(const Activities& run, ActivityGraph& graph)
      : run_(run),
        graph_(graph),
        enter_(static_cast<std::size_t>(run.trace().ranks())),
        last_entries_(run.matching().collectives().size(), kNoActivityVertex) {}

  void write() {
    reserve();
    graph_.first_edge.push_back(0);
    const ActivityVertex begin = vertex(0, {});
    for (std::int32_t r = 0; r < run_.trace().ranks(); ++r) {
      auto& mine = enter_[static_cast<std::size_t>(r)];
      mine.assign(run_.calls(r), kNoActivityVertex);
      if (!mine.empty()) enter(r, 0, begin);
    }
    run_.order().forward([this](std::int32_t rank, CallIndex call) { step(rank, call); });
    for (const End& e : ends_) {
      graph_.edges.push_back({e.last, e.stop - graph_.time_ns[e.last]});
    }
    vertex(run_.makespan_ns(), {});
  }

 private:
  struct End {
    ActivityVertex last;
    std::int64_t stop;
  };

  static ActivityGraph::Place at_call(std::int32_t rank, CallIndex call, unsigned leaves) {
    return {rank, call & ((CallIndex{1} << 31) - 1), leaves & 1u};
  }

  /// Graphs are large; growing would take half as much again.
  void reserve() {
    const std::size_t calls = run_.trace().call_count();
    expects(calls < (std::size_t{1} << 31), "calls can be numbered");
    const CallMatching& matching = run_.matching();
    const std::size_t vertices = 2 * calls + matching.collectives().size() + 2;
    // Program order on either side of each call, received messages, into and out of collectives.
    std::size_t edges = 2 * calls + enter_.size();
    for (const MessageCalls& m : matching.messages()) edges += m.matched() ? 1 : 0;
    for (const CollectiveInstance& c : matching.collectives()) edges += 2 * c.member_count;
    graph_.time_ns.reserve(vertices);
    graph_.places.reserve(vertices);
    graph_.first_edge.reserve(vertices + 1);
    graph_.edges.reserve(edges);
  }

  /// Its in-edges have been pushed. Inlined, as most of the work is here.
  [[gnu::always_inline]] ActivityVertex vertex(std::int64_t at, const ActivityGraph::Place& place) {
    graph_.time_ns.push_back(at);
    graph_.places.push_back(place);
    graph_.first_edge.push_back(static_cast<std::uint32_t>(graph_.edges.size()));
    return static_cast<ActivityVertex>(graph_.time_ns.size() - 1);
  }

  ActivityVertex& enter_at(std::int32_t rank, CallIndex call) {
    return enter_[static_cast<std::size_t>(rank)][call];
  }

  void enter(std::int32_t rank, CallIndex call, ActivityVertex before) {
    graph_.edges.push_back({before, run_.gap_ns(rank, call)});
    enter_at(rank, call) = vertex(run_.enter_ns(rank, call), at_call(rank, call, 0));
  }

  void step(std::int32_t rank, CallIndex call) {
    run_.look(rank, call, work_);
    graph_.dropped += work_.dropped;
    for (const CallWork::Wait& w : work_.waits) {
      if (w.source.is_last_entry()) last_entry(w.source.index);
    }
    const std::int64_t ns = work_.work_ns();
    if (!work_.from_last_entry) graph_.edges.push_back({enter_at(rank, call), ns});
    for (const CallWork::Wait& w : work_.waits) {
      const ActivityVertex from = w.source.is_last_entry()
                                      ? last_entries_[w.source.index]
                                      : enter_at(w.source.rank, w.source.index);
      graph_.edges.push_back({from, ns});
    }
    const ActivityVertex left = vertex(work_.leave_ns, at_call(rank, call, 1));
    if (call + 1 < run_.calls(rank)) {
      enter(rank, call + 1, left);
    } else {
      ends_.push_back({left, std::max(work_.leave_ns, run_.stop_ns(rank))});
    }
  }

  void last_entry(std::uint32_t id) {
    if (last_entries_[id] != kNoActivityVertex) return;
    run_.for_entries(id, [&](const CollectiveMember& m) {
      graph_.edges.push_back({enter_at(m.rank, m.enter), 0});
    });
    last_entries_[id] = vertex(run_.last_entry_ns(id), {.call = id & ((CallIndex{1} << 31) - 1)});
  }

  const Activities& run_;
  ActivityGraph& graph_;
  std::vector<std::vector<ActivityVertex>> enter_;
  std::vector<ActivityVertex> last_entries_;
  std::vector<End> ends_;
  CallWork work_;
};

}  // namespace

ActivityGraph activity_graph(const Activities& run) {
  ActivityGraph graph;
  if (run.trace().call_count() == 0) return graph;
  graph.released = run.order().released();
  GraphWriter(run, graph).write();
  return graph;
}

}  // namespace slackline
