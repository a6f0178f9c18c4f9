// The activity graph is as large as the trace, and all that is asked of it (one path, sums, slack)
// can be had in a walk in causal order. So it is not built: which call waited for which follows
// from matched calls and times within a few memory accesses. Where an algorithm needs a graph at
// hand (searches from a heap), activity_graph.h writes it down from here.
//
// Sources that lie after the end of the call that waits for them (clocks that disagree, messages
// that were matched wrongly) bind nothing and are counted. Calls of a rank's threads that overlap
// are put one after the other; a call that waited for one that began during another thread's call
// is not bound by it either, and not counted: time did not go back. Where a deadlock was broken,
// sources that come later in the causal order are left out, so that what remains has no cycle.

#include "analysis/paths/activities.h"

#include <algorithm>

#include "calls/replay.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

CollectiveRule rule_of_operation(const CollectiveInstance& c) {
  switch (c.operation) {
    case Operation::init:
      return CollectiveRule::none;  // ranks start when they are started
    case Operation::finalize:
      return CollectiveRule::all_wait;
    default:
      return rule_by_data(c);
  }
}

}  // namespace

CollectiveRule Activities::rule_of(const CollectiveInstance& c) const {
  const auto id = static_cast<std::uint32_t>(&c - matching_.collectives().data());
  return order_.not_synchronising(id) ? CollectiveRule::none : rule_of_operation(c);
}

Activities::Activities(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
                       const RunPart& part)
    : trace_(trace),
      matching_(matching),
      order_(order),
      part_(part),
      own_(static_cast<std::size_t>(trace.ranks())) {
  if (trace.call_count() == 0) return;
  set_times();
  set_last_entries();
}

TimeInterval Activities::span_of_part() const {
  TimeInterval span{part_.first ? run_span(trace_).whole.begin_ns : -kTimeLimit_ns,
                    part_.last ? kTimeLimit_ns : -kTimeLimit_ns};
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    const RankCalls& calls = trace_.calls(r);
    if (calls.empty()) continue;
    if (!part_.first) span.begin_ns = std::max(span.begin_ns, calls.begin_ns(0));
    if (!part_.last) span.end_ns = std::max(span.end_ns, calls.begin_ns(calls.size() - 1));
  }
  return span;
}

void Activities::set_times() {
  span_ = span_of_part();
  const std::int64_t start_ns = run_span(trace_).whole.begin_ns;
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    const RankCalls& calls = trace_.calls(r);
    if (calls.empty()) continue;
    bool in_order = true;
    std::int64_t last = start_ns;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      in_order = in_order && calls.begin_ns(i) >= last && calls.end_ns(i) >= calls.begin_ns(i);
      last = calls.end_ns(i);
    }
    std::int64_t now = since_start(last);
    if (!in_order) {
      Own& own = own_[static_cast<std::size_t>(r)];
      now = 0;
      for (std::size_t i = 0; i < calls.size(); ++i) {
        own.enter.push_back(now = std::max(now, since_start(calls.begin_ns(i))));
        own.leave.push_back(now = std::max(now, since_start(calls.end_ns(i))));
      }
    }
    makespan_ns_ = std::max({makespan_ns_, now, stop_ns(r)});
  }
}

std::int64_t Activities::recorded_ns(CallSource source) const {
  if (!source.is_last_entry()) {
    return since_start(trace_.calls(source.rank).begin_ns(source.index));
  }
  std::int64_t last = 0;
  for_entries(source.index, [&](const CollectiveMember& m) {
    last = std::max(last, since_start(trace_.calls(m.rank).begin_ns(m.enter)));
  });
  return last;
}

bool Activities::has_last_entry(std::uint32_t collective) const {
  const CollectiveRule rule = rule_of(matching_.collective(collective));
  return rule == CollectiveRule::all_wait || rule == CollectiveRule::root_waits;
}

bool Activities::all_wait(std::uint32_t collective) const {
  return rule_of(matching_.collective(collective)) == CollectiveRule::all_wait;
}

void Activities::set_last_entries() {
  last_entry_ns_.assign(matching_.collectives().size(), 0);
  for (std::uint32_t id = 0; id < last_entry_ns_.size(); ++id) {
    if (!has_last_entry(id)) continue;
    for_entries(id, [&](const CollectiveMember& m) {
      last_entry_ns_[id] = std::max(last_entry_ns_[id], enter_ns(m.rank, m.enter));
    });
  }
}

bool Activities::waits_for_entry(const CollectiveInstance& c,
                                 const CollectiveMember& member) const {
  if (member.done == kNoCall) return false;
  return rule_of(c) == CollectiveRule::all_wait || member.rank == c.root;
}

const CollectiveMember* Activities::first_to_leave(const CollectiveInstance& c) const {
  const CollectiveMember* first = nullptr;
  for (const CollectiveMember& m : matching_.members(c)) {
    if (!waits_for_entry(c, m)) continue;
    if (first == nullptr || order_.before(m.rank, m.done, first->rank, first->done)) first = &m;
  }
  return first;
}

void Activities::add_collective(std::int32_t rank, CallIndex call, std::uint32_t id,
                                CallWork& work) const {
  const CollectiveInstance& c = matching_.collective(id);
  const CollectiveRule rule = rule_of(c);
  const CallSource last_entry{CallSource::kLastEntry, id};
  switch (rule) {
    case CollectiveRule::none:
      return;
    case CollectiveRule::wait_for_root:
      if (const CollectiveMember* root = matching_.member(c, c.root);
          root != nullptr && rank != c.root) {
        wait_for_call(rank, call, root->rank, root->enter, work);
      }
      return;
    case CollectiveRule::root_waits:
      if (rank == c.root) wait_until(last_entry_ns_[id], last_entry, work);
      return;
    case CollectiveRule::all_wait: {
      const Operation operation = trace_.calls(rank).operation(call);
      const bool finalize = operation == Operation::finalize;
      // MPI lets ranks leave these before others have come.
      const bool may_leave = operation_class(c.operation) != OperationClass::collective;
      if (may_leave && last_entry_ns_[id] > work.leave_ns) return;
      const std::uint32_t dropped = work.dropped;
      wait_until(last_entry_ns_[id], last_entry, work);
      // A nonblocking collective is entered by another call than the one that completes it.
      const bool entered = finalize || operation_class(operation) == OperationClass::collective;
      if (entered && work.dropped == dropped) {
        work.from_last_entry = work.from_last_entry || last_entry_ns_[id] >= work.enter_ns;
      }
      return;
    }
    case CollectiveRule::prefix:
    case CollectiveRule::neighbours:
    case CollectiveRule::by_pair:
      break;
  }
  const CollectiveMember* me = matching_.member(c, rank);
  if (me == nullptr) return;
  const CollectiveMember* last = nullptr;
  NeededMembers(trace_, matching_, c, rule, *me).for_each([&](const CollectiveMember& m) {
    if (m.rank == rank || !order_.begun(m.rank, m.enter, rank, call)) return;
    if (last == nullptr || enter_ns(m.rank, m.enter) > enter_ns(last->rank, last->enter)) last = &m;
  });
  if (last != nullptr) wait_for_call(rank, call, last->rank, last->enter, work);
}

CallSet Activities::sources() const {
  CallSet set(trace_);
  for (const MessageCalls& m : matching_.messages()) {
    if (!m.matched()) continue;
    set.insert(m.source, m.send);
    if (sender_waited(trace_, m)) set.insert(m.destination, m.receive);
  }
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    for (const WindowWait& w : order_.window_waits().of(r)) set.insert(w.source, w.source_call);
  }
  for (std::uint32_t id = 0; id < last_entry_ns_.size(); ++id) {
    const CollectiveInstance& c = matching_.collective(id);
    const CollectiveRule rule = rule_of(c);
    if (rule == CollectiveRule::none) continue;
    for (const CollectiveMember& m : matching_.members(c)) {
      if (rule != CollectiveRule::wait_for_root || m.rank == c.root) set.insert(m.rank, m.enter);
    }
  }
  set.number();
  return set;
}

}  // namespace slackline
