// Lock contention at windows: which call waits, and for which other origin's unlock.
//
// Epochs that conflict hold their target one after the other. A lock is released between the entry
// into the unlock and its return, so another origin may hold the lock before that unlock returns.
// An origin holds the lock when MPI_Win_lock has returned; or, where the library lets that return
// at once, only in the first flush or unlock that needs it. So of two epochs
//
//   - whose unlock was entered before the other one's lock returned held the target first;
//   - else one of the two locks returned before it was held: the first to return from its unlock
//     held the target first, but where the unlocks overlap, that of the other one was waiting.
//
// A call (lock, flush or unlock) waits for the last epoch before its own that is released while it
// runs, unless an earlier call of its epoch ended later than that.

#include "calls/window_waits.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace slackline {
namespace {

/// An epoch of one target, with its times.
struct Hold {
  const LockEpoch* epoch;
  std::int64_t locked_ns;      // return from the lock
  std::int64_t unlock_ns;      // entry into the unlock
  std::int64_t released_ns;    // return from it
  std::int64_t latest_ns = 0;  // return from an unlock that was entered no later, of this target
};

bool held_before(const Hold& first, const Hold& second) {
  if (first.unlock_ns <= second.locked_ns) return true;
  if (second.unlock_ns <= first.locked_ns) return false;
  if (first.released_ns <= second.unlock_ns) return true;
  if (second.released_ns <= first.unlock_ns) return false;
  return first.unlock_ns > second.unlock_ns;
}

class LockSearch {
 public:
  LockSearch(const Trace& trace, std::vector<std::vector<WindowWait>>& out)
      : trace_(trace), out_(out) {}

  void run(const std::vector<LockEpoch>& epochs) {
    std::map<std::pair<std::uint32_t, std::int32_t>, std::vector<Hold>> by_target;
    std::map<std::uint32_t, std::vector<Hold>> of_all_targets;
    for (const LockEpoch& e : epochs) {
      if (e.target == LockEpoch::kAllTargets) {
        of_all_targets[e.comm].push_back(hold(e));
      } else {
        by_target[{e.comm, e.target}].push_back(hold(e));
      }
    }
    for (auto& [target, holds] : by_target) {
      const auto exclusive = [](const Hold& h) { return h.epoch->exclusive; };
      if (std::ranges::none_of(holds, exclusive)) continue;
      const std::vector<Hold>& others = of_all_targets[target.first];
      holds.insert(holds.end(), others.begin(), others.end());
      find_waits(holds);
    }
    for (const auto& [call, wait] : latest_) {
      out_[static_cast<std::size_t>(call.first)].push_back(wait);
    }
  }

 private:
  std::int64_t begin(const LockEpoch& e, CallIndex call) const {
    return trace_.calls(e.origin).begin_ns(call);
  }
  std::int64_t end(const LockEpoch& e, CallIndex call) const {
    return trace_.calls(e.origin).end_ns(call);
  }
  Hold hold(const LockEpoch& e) const {
    return {&e, end(e, e.lock), begin(e, e.unlock), end(e, e.unlock)};
  }

  void find_waits(std::vector<Hold>& holds) {
    std::ranges::stable_sort(holds, {}, &Hold::unlock_ns);
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (Hold& h : holds) h.latest_ns = latest = std::max(latest, h.released_ns);
    for (const Hold& mine : holds) {
      const LockEpoch& e = *mine.epoch;
      std::int64_t since = std::numeric_limits<std::int64_t>::min();
      const auto look = [&](CallIndex call) {
        wait_for_holder(mine, call, since, holds);
        since = end(e, call);
      };
      look(e.lock);
      std::ranges::for_each(e.flushes, look);
      look(e.unlock);
    }
  }

  void wait_for_holder(const Hold& mine, CallIndex call, std::int64_t since,
                       const std::vector<Hold>& holds) {
    const LockEpoch& e = *mine.epoch;
    const std::int64_t from = begin(e, call);
    auto other = std::ranges::lower_bound(holds, end(e, call), {}, &Hold::unlock_ns);
    while (other != holds.begin()) {
      --other;
      if (other->unlock_ns < since || other->latest_ns <= from) return;
      const LockEpoch& o = *other->epoch;
      const bool conflicts = o.origin != e.origin && (o.exclusive || e.exclusive);
      if (conflicts && other->released_ns > from && held_before(*other, mine)) {
        return note({call, o.origin, o.unlock, other->released_ns, WindowWaitKind::lock}, e.origin);
      }
    }
  }

  /// A call that locks several targets waits for the last one.
  void note(const WindowWait& wait, std::int32_t origin) {
    const auto [known, is_new] = latest_.try_emplace({origin, wait.call}, wait);
    if (!is_new && wait.until_ns > known->second.until_ns) known->second = wait;
  }

  const Trace& trace_;
  std::vector<std::vector<WindowWait>>& out_;
  std::map<std::pair<std::int32_t, CallIndex>, WindowWait> latest_;  // by origin and call
};

}  // namespace

void add_lock_waits(const Trace& trace, const std::vector<LockEpoch>& epochs,
                    std::vector<std::vector<WindowWait>>& out) {
  LockSearch(trace, out).run(epochs);
}

}  // namespace slackline
