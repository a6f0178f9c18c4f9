#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "calls/call_matching.h"
#include "calls/neighbourhood.h"
#include "calls/window_waits.h"
#include "trace/trace.h"

namespace slackline {

/// Who waits for whom in a collective.
enum class CollectiveRule : std::uint8_t {
  none,           ///< nobody
  all_wait,       ///< everybody for everybody
  root_waits,     ///< the root for everybody
  wait_for_root,  ///< everybody for the root
  prefix,         ///< everybody for those before him in the communicator
  neighbours,     ///< everybody for those neighbours that it receives something from
  by_pair,        ///< as the operation says, but only for those whose data is needed
};

/// By what data flows when every member contributes some: barrier, all-to-all kinds all wait;
/// broadcast and scatter wait for the root; in reduce and gather the root waits; scans wait for
/// those before, neighbourhood collectives for the neighbours.
CollectiveRule rule_by_operation(Operation blocking_operation);
/// The same for one collective, of which some contributions may be empty: then it is by_pair.
CollectiveRule rule_by_data(const CollectiveInstance& c);

/// By the collective's number: whether its members went on before all had come, where MPI leaves
/// that to the library (freeing communicators, windows, files; of others it is false). Nobody waits
/// for all of them then. Linear in the members.
std::vector<bool> not_synchronising(const Trace& trace, const CallMatching& matching);

/// Those for whom one member of a collective has to wait, numbered from 0 to size(), some of which
/// may turn out not to be needed. Keeps references.
class NeededMembers {
 public:
  NeededMembers(const Trace& trace, const CallMatching& matching, const CollectiveInstance& c,
                CollectiveRule rule, const CollectiveMember& who);

  std::size_t size() const { return size_; }
  /// One that the member cannot leave before, or nullptr. Constant; for neighbours logarithmic in
  /// the size of the communicator.
  const CollectiveMember* operator[](std::size_t i) const;
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (const CollectiveMember* m = (*this)[i]) visit(*m);
    }
  }

 private:
  const Trace& trace_;
  const CallMatching& matching_;
  const CollectiveInstance& collective_;
  CollectiveRule rule_;
  const CollectiveMember& who_;
  Neighbourhood::List in_;
  std::size_t size_;
};

/// Takes all ranks' calls in an order in which nothing comes before what it waits for: calls
/// rules.step(rank, call) once for each call, in program order per rank, such that of everything
/// the call completes the other side has *begun* (its earlier calls have been stepped over).
///
/// Rules has: bool sender_waits(const MessageCalls&), CollectiveRule rule(const
/// CollectiveInstance&), step(rank, call), and window_waits(): what calls wait for at windows. A
/// program that cannot go on (unsynchronised clocks, a lost message, a deadlock) is forced on at
/// the stuck call that began first in the trace; released() counts these. Calls of a rank's threads
/// that overlap come one after the other here, so that one may seem to hold up another: such calls
/// are forced on first. Linear in calls and their partners.
template <class Rules>
class Replay {
 public:
  Replay(const Trace& trace, const CallMatching& matching, Rules& rules)
      : trace_(trace),
        matching_(matching),
        rules_(rules),
        ranks_(static_cast<std::size_t>(trace.ranks())),
        checked_(matching.collectives().size(), 0) {}

  void run() {
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) queue_.push_back(r);
    for (;;) {
      advance_all();
      const std::int32_t stuck = first_stuck();
      if (stuck < 0) return;
      ++released_;
      if (!overlaps_next(stuck)) ++deadlocked_;
      Rank& mine = ranks_[static_cast<std::size_t>(stuck)];
      mine.blocked = false;
      step(stuck, mine);
      queue_.push_back(stuck);
    }
  }

  std::uint64_t released() const { return released_; }
  /// Those of them that no other thread of their rank explains.
  std::uint64_t deadlocked() const { return deadlocked_; }

 private:
  void advance_all() {
    while (!queue_.empty()) {
      const std::int32_t rank = queue_.front();
      queue_.pop_front();
      advance(rank);
    }
  }

  struct Waiter {
    std::int32_t rank;
    CallIndex needs;  // may go on when this call has begun
  };
  struct Rank {
    CallIndex next = 0;
    bool blocked = false;
    std::vector<Waiter> waiters{};
    std::uint32_t pairs_of = UINT32_MAX;  // the collective whose pairs are looked at
    std::uint32_t pairs_checked = 0;      // how many of them have come
  };

  void advance(std::int32_t rank) {
    Rank& mine = ranks_[static_cast<std::size_t>(rank)];
    const auto calls = static_cast<CallIndex>(trace_.calls(rank).size());
    mine.blocked = false;
    while (mine.next < calls) {
      if (!ready(rank, mine.next)) {
        mine.blocked = true;
        break;
      }
      step(rank, mine);
    }
    wake(mine);
  }

  void step(std::int32_t rank, Rank& mine) { rules_.step(rank, mine.next++); }

  void wake(Rank& mine) {
    std::erase_if(mine.waiters, [&](const Waiter& w) {
      if (w.needs > mine.next) return false;
      Rank& other = ranks_[static_cast<std::size_t>(w.rank)];
      if (other.blocked) {
        other.blocked = false;
        queue_.push_back(w.rank);
      }
      return true;
    });
  }

  bool reached(std::int32_t rank, std::int32_t other, CallIndex call) {
    Rank& theirs = ranks_[static_cast<std::size_t>(other)];
    if (theirs.next >= call) return true;
    theirs.waiters.push_back({rank, call});
    return false;
  }

  bool ready(std::int32_t rank, CallIndex call) {
    for (const WindowWait& w : rules_.window_waits().of(rank, call)) {
      if (!reached(rank, w.source, w.source_call)) return false;
    }
    bool is_ready = true;
    matching_.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      if (!is_ready) return;
      using Completes = CallMatching::Completion::Kind;
      if (c.kind == Completes::incoming || c.kind == Completes::probed) {
        const MessageCalls& m = matching_.message(c.id);
        is_ready = reached(rank, m.source, m.send);
      } else if (c.kind == Completes::outgoing) {
        const MessageCalls& m = matching_.message(c.id);
        if (m.matched() && rules_.sender_waits(m))
          is_ready = reached(rank, m.destination, m.receive);
      } else {
        is_ready = collective_ready(rank, c.id);
      }
    });
    return is_ready;
  }

  bool collective_ready(std::int32_t rank, std::uint32_t id) {
    const CollectiveInstance& c = matching_.collective(id);
    const CollectiveRule rule = rules_.rule(c);
    const auto members = matching_.members(c);
    switch (rule) {
      case CollectiveRule::none:
        return true;
      case CollectiveRule::wait_for_root: {
        const CollectiveMember* root = matching_.member(c, c.root);
        return root == nullptr || reached(rank, root->rank, root->enter);
      }
      case CollectiveRule::root_waits:
        if (rank != c.root) return true;
        break;
      case CollectiveRule::prefix:
      case CollectiveRule::neighbours:
      case CollectiveRule::by_pair:
        return pairs_ready(rank, id, rule);
      case CollectiveRule::all_wait:
        break;
    }
    // Progress never goes back, so all members share the part that is known to have arrived.
    std::uint32_t& checked = checked_[id];
    while (checked < members.size()) {
      if (!reached(rank, members[checked].rank, members[checked].enter)) return false;
      ++checked;
    }
    return true;
  }

  /// A rank that is woken goes on where it found the one that it had to wait for.
  bool pairs_ready(std::int32_t rank, std::uint32_t id, CollectiveRule rule) {
    const CollectiveInstance& c = matching_.collective(id);
    const CollectiveMember* me = matching_.member(c, rank);
    if (me == nullptr) return true;
    const NeededMembers needed(trace_, matching_, c, rule, *me);
    Rank& mine = ranks_[static_cast<std::size_t>(rank)];
    if (mine.pairs_of != id) {
      mine.pairs_of = id;
      mine.pairs_checked = 0;
    }
    for (; mine.pairs_checked < needed.size(); ++mine.pairs_checked) {
      const CollectiveMember* m = needed[mine.pairs_checked];
      if (m != nullptr && !reached(rank, m->rank, m->enter)) return false;
    }
    return true;
  }

  std::int32_t first_stuck() const {
    std::int32_t first = -1;
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      if (!ranks_[static_cast<std::size_t>(r)].blocked) continue;
      if (first < 0 || comes_first(r, first)) first = r;
    }
    return first;
  }
  bool comes_first(std::int32_t rank, std::int32_t other) const {
    const bool overlaps = overlaps_next(rank);
    if (overlaps != overlaps_next(other)) return overlaps;
    return begin_of_next(rank) < begin_of_next(other);
  }
  /// Did the rank's next call begin while this one was under way?
  bool overlaps_next(std::int32_t rank) const {
    const RankCalls& calls = trace_.calls(rank);
    const std::size_t next = ranks_[static_cast<std::size_t>(rank)].next;
    return next + 1 < calls.size() && calls.begin_ns(next + 1) < calls.end_ns(next);
  }
  std::int64_t begin_of_next(std::int32_t rank) const {
    return trace_.calls(rank).begin_ns(ranks_[static_cast<std::size_t>(rank)].next);
  }

  const Trace& trace_;
  const CallMatching& matching_;
  Rules& rules_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> checked_;
  std::deque<std::int32_t> queue_;
  std::uint64_t released_ = 0;
  std::uint64_t deadlocked_ = 0;
};

}  // namespace slackline
