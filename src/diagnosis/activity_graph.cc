// From matched calls to the program activity graph.
//
// The replay visits the calls in causal order; each step appends the end of one call and the begin
// of the next, so vertices come out topologically sorted. A dependence reaches from the begin of
// the partner's call to the end of this one, and its length is what was left of this call once both
// had begun: with it the partner decides exactly when this rank waited for it. In collectives that
// all wait for, the dependences meet in one vertex, the last entry, instead of joining all pairs.
// Dependences that would run backwards in time (clocks that disagree) are left out and counted.

#include "diagnosis/activity_graph.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "diagnosis/replay.h"

namespace slackline {
namespace {

class GraphRules {
 public:
  GraphRules(const Trace& trace, const CallMatching& matching, ActivityGraph& graph)
      : trace_(trace),
        matching_(matching),
        graph_(graph),
        enter_(static_cast<std::size_t>(trace.ranks())),
        hubs_(matching.collectives().size(), kNoMilestone) {
    start();
  }

  bool sender_waits(const MessageCalls& m) const {
    if (m.send_done == kNoCall || m.buffered != 0) return false;
    const std::int64_t posted = trace_.calls(m.destination).begin_ns(m.receive);
    const RankCalls& sender = trace_.calls(m.source);
    return posted > sender.begin_ns(m.send_done) && posted <= sender.end_ns(m.send_done);
  }

  CollectiveRule rule(const CollectiveInstance& c) const {
    return c.operation == Operation::finalize || c.operation == Operation::init
               ? CollectiveRule::none
               : rule_by_data(c.operation);
  }

  void step(std::int32_t rank, CallIndex call) {
    const RankCalls& calls = trace_.calls(rank);
    const std::int64_t enter = time(calls.begin_ns(call));
    // Calls of several threads may overlap.
    const std::int64_t leave =
        std::max(time(calls.end_ns(call)), graph_.time_ns[enter_at(rank, call)]);
    std::int64_t latest = enter;
    bool all_in_step = false;
    incoming_.clear();
    matching_.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      const Milestone from = dependence(rank, call, c);
      if (from == kNoMilestone) return;
      const std::int64_t at = graph_.time_ns[from];
      if (at > leave) {
        ++graph_.dropped;
        return;
      }
      latest = std::max(latest, at);
      incoming_.push_back({from, leave - std::max(at, enter)});
      all_in_step = all_in_step || (at >= enter && meets_all(c));
    });
    // Where all wait for all, the way through the last entry is as long as that through the call.
    // (A nonblocking collective's last entry may lie before the call that completes it.)
    if (!all_in_step) {
      graph_.edges.push_back({enter_at(rank, call), leave - std::max(latest, enter)});
    }
    for (const ActivityGraph::Edge& e : incoming_) graph_.edges.push_back(e);
    const Milestone left = vertex(leave, at_call(rank, call, 1));
    if (call + 1 < calls.size()) {
      enter_call(rank, call + 1, left);
    } else {
      ends_.push_back({left, time(calls.stop_ns())});
    }
  }

  void finish() {
    std::int64_t end = 0;
    for (const End& e : ends_) end = std::max(end, e.stop);
    for (const End& e : ends_) graph_.edges.push_back({e.last, e.stop - graph_.time_ns[e.last]});
    vertex(end, {});
  }

 private:
  struct End {
    Milestone last;
    std::int64_t stop;
  };

  std::int64_t time(std::int64_t ns) const { return ns - origin_; }

  static ActivityGraph::Place at_call(std::int32_t rank, CallIndex call, unsigned leaves) {
    return {rank, call & ((CallIndex{1} << 31) - 1), leaves & 1u};
  }

  void start() {
    origin_ = std::numeric_limits<std::int64_t>::max();
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      if (!trace_.calls(r).empty()) origin_ = std::min(origin_, trace_.calls(r).start_ns());
    }
    reserve();
    graph_.first_edge.push_back(0);
    const Milestone begin = vertex(0, {});
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      auto& mine = enter_[static_cast<std::size_t>(r)];
      mine.assign(trace_.calls(r).size(), kNoMilestone);
      if (!mine.empty()) enter_call(r, 0, begin);
    }
  }

  /// Graphs are large; growing would take half as much again.
  void reserve() {
    const std::size_t calls = trace_.call_count();
    expects(calls < (std::size_t{1} << 31), "calls can be numbered");
    const std::size_t vertices = 2 * calls + matching_.collectives().size() + 2;
    // Program order on either side of each call, received messages, into and out of collectives.
    std::size_t edges = 2 * calls + static_cast<std::size_t>(trace_.ranks());
    for (const MessageCalls& m : matching_.messages()) edges += m.matched() ? 1 : 0;
    for (const CollectiveInstance& c : matching_.collectives()) edges += 2 * c.member_count;
    graph_.time_ns.reserve(vertices);
    graph_.places.reserve(vertices);
    graph_.first_edge.reserve(vertices + 1);
    graph_.edges.reserve(edges);
  }

  /// Its in-edges have been pushed.
  Milestone vertex(std::int64_t at, const ActivityGraph::Place& place) {
    graph_.time_ns.push_back(at);
    graph_.places.push_back(place);
    graph_.first_edge.push_back(static_cast<std::uint32_t>(graph_.edges.size()));
    return static_cast<Milestone>(graph_.time_ns.size() - 1);
  }

  void enter_call(std::int32_t rank, CallIndex call, Milestone before) {
    const std::int64_t at =
        std::max(time(trace_.calls(rank).begin_ns(call)), graph_.time_ns[before]);
    graph_.edges.push_back({before, at - graph_.time_ns[before]});
    enter_[static_cast<std::size_t>(rank)][call] = vertex(at, at_call(rank, call, 0));
  }

  Milestone enter_at(std::int32_t rank, CallIndex call) const {
    return enter_[static_cast<std::size_t>(rank)][call];
  }

  Milestone dependence(std::int32_t rank, CallIndex call, const CallMatching::Completion& c) {
    using Kind = CallMatching::Completion::Kind;
    if (c.kind == Kind::collective) return collective(rank, c.id);
    const MessageCalls& m = matching_.message(c.id);
    if (c.kind == Kind::incoming) {
      return m.source == rank && m.send == call ? kNoMilestone : enter_at(m.source, m.send);
    }
    return m.matched() && m.destination != rank && sender_waits(m)
               ? enter_at(m.destination, m.receive)
               : kNoMilestone;
  }

  bool meets_all(const CallMatching::Completion& c) const {
    return c.kind == CallMatching::Completion::Kind::collective &&
           rule(matching_.collective(c.id)) == CollectiveRule::all_wait &&
           operation_class(matching_.collective(c.id).operation) == OperationClass::collective;
  }

  Milestone collective(std::int32_t rank, std::uint32_t id) {
    const CollectiveInstance& c = matching_.collective(id);
    const CollectiveRule how = rule(c);
    switch (how) {
      case CollectiveRule::none:
        return kNoMilestone;
      case CollectiveRule::wait_for_root: {
        const CollectiveMember* root = matching_.member(c, c.root);
        return root == nullptr || rank == c.root ? kNoMilestone : enter_at(root->rank, root->enter);
      }
      case CollectiveRule::root_waits:
        return rank == c.root ? hub(id) : kNoMilestone;
      case CollectiveRule::all_wait:
        return hub(id);
      case CollectiveRule::prefix:
        break;
    }
    const CollectiveMember* me = matching_.member(c, rank);
    Milestone last = kNoMilestone;
    for (const CollectiveMember& m : matching_.members(c)) {
      if (me == nullptr || m.rank == rank || !waits_for(trace_, c, how, *me, m)) continue;
      const Milestone at = enter_at(m.rank, m.enter);
      if (at == kNoMilestone) continue;
      if (last == kNoMilestone || graph_.time_ns[at] > graph_.time_ns[last]) last = at;
    }
    return last;
  }

  /// The last entry of a collective. Called while a call's edges are not pushed yet.
  Milestone hub(std::uint32_t id) {
    if (hubs_[id] != kNoMilestone) return hubs_[id];
    const CollectiveInstance& c = matching_.collective(id);
    std::int64_t last = 0;
    for (const CollectiveMember& m : matching_.members(c)) {
      const Milestone at = enter_at(m.rank, m.enter);
      if (at == kNoMilestone) continue;  // after a release
      graph_.edges.push_back({at, 0});
      last = std::max(last, graph_.time_ns[at]);
    }
    hubs_[id] = vertex(last, {});
    return hubs_[id];
  }

  const Trace& trace_;
  const CallMatching& matching_;
  ActivityGraph& graph_;
  std::int64_t origin_ = 0;
  std::vector<std::vector<Milestone>> enter_;
  std::vector<Milestone> hubs_;
  std::vector<ActivityGraph::Edge> incoming_;
  std::vector<End> ends_;
};

}  // namespace

ActivityGraph activity_graph(const Trace& trace, const CallMatching& matching) {
  ActivityGraph graph;
  if (trace.call_count() == 0) return graph;
  GraphRules rules(trace, matching, graph);
  Replay replay(trace, matching, rules);
  replay.run();
  graph.released = replay.released();
  rules.finish();
  return graph;
}

}  // namespace slackline
