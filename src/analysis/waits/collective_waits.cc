// Scalasca's patterns of collectives. Each compares the begins of the members' calls: that of the
// last one (barriers, operations of all with all, and what all ranks do together with a
// communicator, a window or a file), the root's (broadcasts), the last sender's (reductions), the
// last one's before in the communicator (scans), the last neighbour's (neighbourhood collectives).
// First and last are found once for each collective, then every member asks.

#include "analysis/waits/collective_waits.h"

#include <algorithm>

#include "analysis/waits/message_waits.h"
#include "base/parallel.h"
#include "calls/collective_scope.h"
#include "calls/replay.h"

namespace slackline {
namespace {

constexpr std::size_t kAtOnce = 4096;  // collectives of one task

/// Do members count that move nothing?
bool counts_all(Operation operation) {
  return operation == Operation::barrier ||
         operation_class(operation) != OperationClass::collective;
}

/// How waiting is called in an operation that is none of the collectives on data.
WaitPattern pattern_of_object(Operation operation) {
  switch (operation) {
    case Operation::win_fence:
      return WaitPattern::fence;
    case Operation::file_open:
    case Operation::file_close:
      return WaitPattern::creation;
    default:
      return collective_scope(operation) == CollectiveScope::file ? WaitPattern::collective_io
                                                                  : WaitPattern::creation;
  }
}

CollectiveRule waiting_rule(const CollectiveInstance& c) {
  return c.operation == Operation::finalize || c.operation == Operation::init
             ? CollectiveRule::all_wait
             : rule_by_data(c);
}

bool is_collective(const CollectiveInstance& c) {
  return operation_class(c.operation) == OperationClass::collective;
}

}  // namespace

CollectiveWaits::CollectiveWaits(const Trace& trace, const CallMatching& matching)
    : trace_(trace), matching_(matching), entries_(matching.collectives().size()) {
  parallel_for((entries_.size() + kAtOnce - 1) / kAtOnce, [this](std::size_t task) {
    const std::size_t end = std::min(entries_.size(), (task + 1) * kAtOnce);
    for (std::size_t id = task * kAtOnce; id < end; ++id) {
      entries_[id] = entries_of(matching_.collective(static_cast<std::uint32_t>(id)));
    }
  });
}

CollectiveWaits::Entries CollectiveWaits::entries_of(const CollectiveInstance& c) const {
  Entries e;
  const bool all = counts_all(c.operation);
  for (const CollectiveMember& m : matching_.members(c)) {
    if (!all && !m.moves) continue;
    const std::int64_t enter = begin(m.rank, m.enter);
    if (enter > e.last_enter) {
      e.last_enter = enter;
      e.last_rank = m.rank;
      e.last_call = m.enter;
    }
    if (m.done != kNoCall) e.first_exit = std::min(e.first_exit, end(m.rank, m.done));
    if (m.rank != c.root) e.last_sender = std::max(e.last_sender, enter);
  }
  return e;
}

void CollectiveWaits::wait_for(WaitPattern pattern, Place at, Late whom,
                               std::vector<WaitState>& out) const {
  const std::int64_t begun = begin(at.rank, at.call);
  if (whom.begin_ns <= begun) return;
  const std::int64_t wait = std::min(whom.begin_ns, end(at.rank, at.call)) - begun;
  if (wait <= 0) return;
  out.push_back({.wait_ns = wait,
                 .rank = at.rank,
                 .call = at.call,
                 .cause_rank = whom.rank,
                 .cause_call = whom.call,
                 .pattern = pattern});
}

void CollectiveWaits::completion(WaitPattern pattern, Place at, const Entries& e,
                                 std::vector<WaitState>& out) const {
  const std::int64_t left = end(at.rank, at.call);
  const std::int64_t could = std::max(e.first_exit, e.last_enter);
  const std::int64_t wait =
      could >= left ? 0 : std::min(left - could, left - begin(at.rank, at.call));
  if (wait <= 0) return;
  out.push_back({.wait_ns = wait, .rank = at.rank, .call = at.call, .pattern = pattern});
}

void CollectiveWaits::all_wait(WaitPattern wait, WaitPattern completion_of, Place at,
                               const Entries& e, std::vector<WaitState>& out) const {
  if (e.last_rank < 0) return;
  wait_for(wait, at, last_of(e), out);
  completion(completion_of, at, e, out);
}

void CollectiveWaits::add(std::int32_t rank, CallIndex call, std::uint32_t id,
                          std::vector<WaitState>& out) const {
  const CollectiveInstance& c = matching_.collective(id);
  const CollectiveMember* me = matching_.member(c, rank);
  if (me == nullptr) return;
  const Entries& e = entries_[id];
  const Place at{rank, call};
  if (me->enter != call) return nonblocking(id, at, out);
  if (c.selective) return selective(c, *me, at, out);
  switch (c.operation) {
    case Operation::barrier:
      return all_wait(WaitPattern::barrier, WaitPattern::barrier_completion, at, e, out);
    case Operation::init:
      return completion(WaitPattern::init_completion, at, e, out);
    case Operation::finalize:
      return wait_for(WaitPattern::finalize, at, last_of(e), out);
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      if (rank == c.root && e.last_sender != std::numeric_limits<std::int64_t>::min()) {
        wait_for(WaitPattern::early_reduce, at, {e.last_sender, e.last_rank, e.last_call}, out);
      }
      return;
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      return late_broadcast(c, *me, out);
    case Operation::scan:
    case Operation::exscan:
      if (!me->moves) return;
      return latest_needed(c, *me, WaitPattern::early_scan, at, out);
    default:
      break;
  }
  if (!is_collective(c)) {
    // Who went on before the last one came did not wait for it.
    const bool local = collective_scope(c.operation) != CollectiveScope::communicator;
    if (local && e.last_enter > end(rank, call)) return;
    return wait_for(pattern_of_object(c.operation), at, last_of(e), out);
  }
  if (!me->moves) return;
  const CollectiveRule rule = rule_by_data(c);
  if (rule == CollectiveRule::neighbours) {
    return latest_needed(c, *me, WaitPattern::neighbourhood, at, out);
  }
  if (rule != CollectiveRule::all_wait) return;
  all_wait(WaitPattern::nxn, WaitPattern::nxn_completion, at, e, out);
}

/// Where not everybody needs all others' data, each waits for those whose data he gets.
void CollectiveWaits::selective(const CollectiveInstance& c, const CollectiveMember& me, Place at,
                                std::vector<WaitState>& out) const {
  const auto pattern = [&] {
    switch (rule_by_operation(c.operation)) {
      case CollectiveRule::wait_for_root:
        return WaitPattern::late_broadcast;
      case CollectiveRule::root_waits:
        return WaitPattern::early_reduce;
      case CollectiveRule::prefix:
        return WaitPattern::early_scan;
      default:
        return c.operation == Operation::barrier ? WaitPattern::barrier : WaitPattern::nxn;
    }
  };
  latest_needed(c, me, pattern(), at, out);
}

void CollectiveWaits::late_broadcast(const CollectiveInstance& c, const CollectiveMember& me,
                                     std::vector<WaitState>& out) const {
  const CollectiveMember* root = matching_.member(c, c.root);
  if (root == nullptr || me.rank == c.root || !(me.moves || root->moves)) return;
  wait_for(WaitPattern::late_broadcast, {me.rank, me.enter},
           {begin(root->rank, root->enter), root->rank, root->enter}, out);
}

void CollectiveWaits::nonblocking(std::uint32_t id, Place at, std::vector<WaitState>& out) const {
  if (!can_wait(trace_.calls(at.rank).operation(at.call))) return;
  const std::optional<Late> last = last_needed(at.rank, id);
  if (last) wait_for(WaitPattern::nonblocking, at, *last, out);
}

std::optional<CollectiveWaits::Late> CollectiveWaits::last_needed(std::int32_t rank,
                                                                  std::uint32_t id) const {
  const CollectiveInstance& c = matching_.collective(id);
  const CollectiveMember* me = matching_.member(c, rank);
  if (me == nullptr) return std::nullopt;
  if (rule_by_data(c) == CollectiveRule::all_wait && c.operation != Operation::barrier &&
      is_collective(c)) {
    if (entries_[id].last_rank < 0) return std::nullopt;  // nobody moves anything
    return last_of(entries_[id]);
  }
  return latest_needed(c, *me);
}

void CollectiveWaits::latest_needed(const CollectiveInstance& c, const CollectiveMember& me,
                                    WaitPattern pattern, Place at,
                                    std::vector<WaitState>& out) const {
  const std::optional<Late> last = latest_needed(c, me);
  if (last) wait_for(pattern, at, *last, out);
}

/// The last of those that the collective's data needs; nothing when that is the rank itself.
std::optional<CollectiveWaits::Late> CollectiveWaits::latest_needed(
    const CollectiveInstance& c, const CollectiveMember& me) const {
  const CollectiveRule how = waiting_rule(c);
  Late last{std::numeric_limits<std::int64_t>::min(), -1, kNoCall};
  const auto look = [&](const CollectiveMember& m) {
    const std::int64_t enter = begin(m.rank, m.enter);
    if (enter > last.begin_ns) last = {enter, m.rank, m.enter};
  };
  if (how == CollectiveRule::wait_for_root) {
    if (const CollectiveMember* root = matching_.member(c, c.root); root != nullptr) look(*root);
  } else {
    NeededMembers(trace_, matching_, c, how, me).for_each(look);
  }
  if (last.rank < 0 || last.rank == me.rank) return std::nullopt;
  return last;
}

}  // namespace slackline
