// Every moment of a run is the latest of those it depends on plus an activity, by construction
// (activities.h). So the way back from the end, always to the one that came last, loses nothing and
// is a longest path; only what lies on it is ever looked at.

#include "analysis/paths/run_path.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace slackline {
namespace {

struct Moment {
  std::int32_t rank;
  CallIndex call;
};

/// The source whose begin let the call begin its work: the lowest rank's, if several came last.
CallSource decisive(const CallWork& work, std::int32_t rank, CallIndex call) {
  if (work.ready_ns == work.enter_ns && !work.from_last_entry) return {rank, call};
  std::optional<CallSource> last;
  for (const CallWork::Wait& w : work.waits) {
    if (w.at_ns == work.ready_ns && (!last || w.source < *last)) last = w.source;
  }
  return last.value_or(CallSource{rank, call});
}

/// The member that enters last; of several the one of the lowest rank, from whichever the path
/// comes back: so it is known without the run's later part.
Moment last_member(const Activities& run, std::uint32_t collective) {
  Moment last{-1, 0};
  run.for_entries(collective, [&](const CollectiveMember& m) {
    if (run.enter_ns(m.rank, m.enter) != run.last_entry_ns(collective)) return;
    if (last.rank < 0) last = {m.rank, m.enter};  // members ascend by rank
  });
  return last;
}

}  // namespace

void walk_back(const Activities& run, std::int32_t rank, CallIndex call,
               std::vector<RunStep>& steps) {
  CallWork work;
  Moment at{rank, call};
  for (;;) {
    run.look(at.rank, at.call, work);
    const CallSource source = decisive(work, at.rank, at.call);
    steps.push_back({RunStep::Kind::call, at.rank, at.call, work.work_ns(), source});
    if (source.is_last_entry()) {
      at = last_member(run, source.index);
    } else {
      at = {source.rank, source.index};
    }
    steps.push_back(
        {RunStep::Kind::computation, at.rank, at.call, run.gap_ns(at.rank, at.call), CallSource{}});
    if (at.call == 0) return;
    --at.call;
  }
}

std::vector<RunStep> critical_steps(const Activities& run) {
  std::vector<RunStep> steps;
  std::int32_t last = -1;
  std::int64_t tail = 0;
  for (std::int32_t r = 0; r < run.trace().ranks(); ++r) {
    if (run.calls(r) == 0) continue;
    const std::int64_t left = run.leave_ns(r, static_cast<CallIndex>(run.calls(r) - 1));
    if (std::max(left, run.stop_ns(r)) != run.makespan_ns() || last >= 0) continue;
    last = r;
    tail = run.makespan_ns() - left;
  }
  if (last < 0) return steps;
  const auto call = static_cast<CallIndex>(run.calls(last) - 1);
  steps.push_back({RunStep::Kind::tail, last, call, tail, CallSource{}});
  walk_back(run, last, call, steps);
  std::ranges::reverse(steps);
  return steps;
}

std::vector<RunStep> steps_of(const ActivityGraph& graph, const ActivityPath& path) {
  std::vector<RunStep> steps;
  for (const PathStep& s : path.steps) {
    const ActivityGraph::Edge& edge = graph.edges[s.edge];
    const ActivityGraph::Place& to = graph.places[s.to];
    const ActivityGraph::Place& from = graph.places[edge.from];
    if (s.to == graph.sink()) {
      steps.push_back({RunStep::Kind::tail, from.rank, from.call, edge.ns, CallSource{}});
    } else if (to.rank == ActivityGraph::kNoRank) {
      continue;  // into a last entry, which takes no time
    } else if (to.leaves) {
      const CallSource source{from.rank, from.call};  // of a last entry, both say so
      steps.push_back({RunStep::Kind::call, to.rank, to.call, edge.ns, source});
    } else {
      steps.push_back({RunStep::Kind::computation, to.rank, to.call, edge.ns, CallSource{}});
    }
  }
  return steps;
}

std::vector<TimelineFlow> critical_path_flows(const std::vector<RunStep>& steps) {
  std::vector<TimelineFlow> flows;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const RunStep& from = steps[i - 1];  // the computation that ends with the call waited for
    const RunStep& to = steps[i];
    if (from.rank != to.rank) flows.push_back({from.rank, from.call, to.rank, to.call});
  }
  return flows;
}

std::vector<TimelineFlow> message_flows(const CallMatching& matching) {
  std::vector<const MessageCalls*> received;
  for (const MessageCalls& m : matching.messages()) {
    if (m.matched()) received.push_back(&m);
  }
  std::ranges::stable_sort(
      received, {}, [](const MessageCalls* m) { return std::pair(m->destination, m->receive); });
  std::vector<TimelineFlow> flows;
  flows.reserve(received.size());
  for (const MessageCalls* m : received) {
    const bool completed = m->receive_done != kNoCall;
    flows.push_back({m->source, m->send, m->destination, completed ? m->receive_done : m->receive});
  }
  return flows;
}

}  // namespace slackline
