#include "calls/window_epochs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "calls/collective_scope.h"
#include "calls/window_waits.h"

namespace slackline {
namespace {

using Ranks = std::vector<std::int32_t>;

/// MPI_Win_lock has a tag of 1 more than others at the window, if it is shared.
bool is_exclusive(const Call& lock) {
  return lock.tag % 2 == 0;
}

bool fetches(Operation operation) {
  switch (operation) {
    case Operation::get:
    case Operation::rget:
    case Operation::get_accumulate:
    case Operation::rget_accumulate:
    case Operation::fetch_and_op:
    case Operation::compare_and_swap:
      return true;
    default:
      return false;
  }
}

/// Reads the calls of one rank.
class EpochReader {
 public:
  explicit EpochReader(RankEpochs& out) : out_(out) {}

  /// False if the rank has no call at a window.
  bool read(const RankCalls& calls, std::int32_t rank) {
    rank_ = rank;
    bool any = false;
    ObjectCommunicator windows;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Operation operation = calls.operation(i);
      if (operation_class(operation) != OperationClass::one_sided) continue;
      any = true;
      read(calls.action(i), static_cast<CallIndex>(i), windows.of(operation, calls.comm(i)));
    }
    return any;
  }

 private:
  static constexpr std::int32_t kAll = LockEpoch::kAllTargets;

  /// What a transfer ends with.
  enum class Under : std::uint8_t { fence, access, lock };
  struct OpenTransfer {
    std::size_t transfer;
    Under under;
  };

  void read(const Call& call, CallIndex i, std::uint32_t comm) {
    switch (call.operation) {
      case Operation::win_fence:
        return end_transfers(comm, kAll, i, Under::fence);
      case Operation::win_start:
        out_.access.push_back({.comm = comm, .open = i, .group = group_of(call)});
        return;
      case Operation::win_complete:
        if (WindowEpoch* e = open(out_.access, comm)) e->close = i;
        return end_transfers(comm, kAll, i, Under::access);
      case Operation::win_post:
        out_.exposure.push_back({.comm = comm, .open = i, .group = group_of(call)});
        return;
      case Operation::win_wait:
        if (WindowEpoch* e = open(out_.exposure, comm)) e->close = i;
        return;
      case Operation::win_test:
        return test(call, i, comm);
      case Operation::win_lock:
        held_[{comm, call.peer}] = {comm, rank_, call.peer, is_exclusive(call), i};
        return;
      case Operation::win_lock_all:
        held_[{comm, kAll}] = {.comm = comm, .origin = rank_, .lock = i};
        return;
      case Operation::win_flush:
      case Operation::win_flush_local:
        return flush(comm, call.peer, i, call.operation == Operation::win_flush_local);
      case Operation::win_flush_all:
      case Operation::win_flush_local_all:
        return flush(comm, kAll, i, call.operation == Operation::win_flush_local_all);
      case Operation::win_unlock:
        return unlock(comm, call.peer, i);
      case Operation::win_unlock_all:
        return unlock(comm, kAll, i);
      default:
        if (is_window_transfer(call.operation) && call.peer >= 0) transfer(call, i, comm);
    }
  }

  void test(const Call& call, CallIndex i, std::uint32_t comm) {
    WindowEpoch* const e = open(out_.exposure, comm);
    if (e == nullptr) return;
    if (call.has(SLK_FLAG_FAILED)) {
      e->tests.push_back(i);
    } else {
      e->close = i;
    }
  }

  /// `target` kAll: of all targets.
  void flush(std::uint32_t comm, std::int32_t target, CallIndex call, bool local) {
    for (auto& [key, epoch] : held_) {
      const bool includes = key.second == target || key.second == kAll || target == kAll;
      if (key.first == comm && includes) epoch.flushes.push_back(call);
    }
    end_transfers(comm, target, call, Under::lock, local);
  }

  void unlock(std::uint32_t comm, std::int32_t target, CallIndex call) {
    const auto held = held_.find({comm, target});
    if (held == held_.end()) return;
    end_transfers(comm, target, call, Under::lock);
    held->second.unlock = call;
    out_.locks.push_back(std::move(held->second));
    held_.erase(held);
  }

  void transfer(const Call& call, CallIndex i, std::uint32_t comm) {
    WindowEpoch* const e = open(out_.access, comm);
    if (e != nullptr && !told_ && std::ranges::find(e->group, call.peer) == e->group.end()) {
      e->group.push_back(call.peer);
    }
    const bool locked = held_.contains({comm, call.peer}) || held_.contains({comm, kAll});
    open_.push_back({out_.transfers.size(), locked         ? Under::lock
                                            : e != nullptr ? Under::access
                                                           : Under::fence});
    out_.transfers.push_back({.call = i,
                              .comm = comm,
                              .target = call.peer,
                              .bytes = call.bytes,
                              .fetches = fetches(call.operation)});
  }

  /// `only_fetches`: what has left the origin is not waited for.
  void end_transfers(std::uint32_t comm, std::int32_t target, CallIndex call, Under under,
                     bool only_fetches = false) {
    std::erase_if(open_, [&](const OpenTransfer& open) {
      WindowTransfer& t = out_.transfers[open.transfer];
      const bool ends = open.under == under && t.comm == comm &&
                        (target == kAll || t.target == target) && (t.fetches || !only_fetches);
      if (ends) t.close = call;
      return ends;
    });
  }

  Ranks group_of(const Call& call) {
    Ranks group;
    for (const std::int64_t rank : call.args) group.push_back(static_cast<std::int32_t>(rank));
    if (call.operation == Operation::win_start) told_ = !group.empty();
    return group;
  }

  static WindowEpoch* open(std::vector<WindowEpoch>& epochs, std::uint32_t comm) {
    for (auto e = epochs.rbegin(); e != epochs.rend(); ++e) {
      if (e->comm == comm) return e->close == kNoCall ? &*e : nullptr;
    }
    return nullptr;
  }

  RankEpochs& out_;
  std::int32_t rank_ = 0;
  bool told_ = false;  // the last start says its group
  std::map<std::pair<std::uint32_t, std::int32_t>, LockEpoch> held_;  // by window and target
  std::vector<OpenTransfer> open_;
};

bool exposes(const WindowEpoch& e, std::uint32_t comm, std::int32_t origin) {
  return e.comm == comm && (e.group.empty() || std::ranges::find(e.group, origin) != e.group.end());
}

Ranks targets_of(const WindowEpoch& access, std::int32_t origin,
                 const std::vector<RankEpochs>& ranks) {
  if (!access.group.empty()) return access.group;
  Ranks all;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    if (rank != origin && std::ranges::any_of(ranks[r].exposure, [&](const WindowEpoch& e) {
          return exposes(e, access.comm, origin);
        })) {
      all.push_back(rank);
    }
  }
  return all;
}

std::vector<EpochMatch> match(const std::vector<RankEpochs>& ranks) {
  std::vector<EpochMatch> matches;
  // By window, origin and target: how many epochs of the target are used up.
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t>, std::size_t> next;
  for (std::size_t o = 0; o < ranks.size(); ++o) {
    const auto origin = static_cast<std::int32_t>(o);
    for (std::size_t a = 0; a < ranks[o].access.size(); ++a) {
      const WindowEpoch& access = ranks[o].access[a];
      for (const std::int32_t target : targets_of(access, origin, ranks)) {
        if (target < 0 || static_cast<std::size_t>(target) >= ranks.size()) continue;
        const auto& exposure = ranks[static_cast<std::size_t>(target)].exposure;
        std::size_t& at = next[{access.comm, origin, target}];
        while (at < exposure.size() && !exposes(exposure[at], access.comm, origin)) ++at;
        if (at < exposure.size()) matches.push_back({origin, a, target, at++});
      }
    }
  }
  return matches;
}

}  // namespace

std::vector<LockEpoch> WindowEpochs::locks() const {
  std::vector<LockEpoch> locks;
  for (const RankEpochs& rank : by_rank_) std::ranges::copy(rank.locks, std::back_inserter(locks));
  return locks;
}

WindowEpochs::WindowEpochs(const Trace& trace) {
  std::vector<RankEpochs> ranks(static_cast<std::size_t>(trace.ranks()));
  bool any = false;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    any = EpochReader(ranks[static_cast<std::size_t>(r)]).read(trace.calls(r), r) || any;
  }
  if (!any) return;
  by_rank_ = std::move(ranks);
  matches_ = match(by_rank_);
}

}  // namespace slackline
