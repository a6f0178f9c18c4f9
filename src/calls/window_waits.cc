// Who waits for whom at a window, beside what all its members do together.
//
// Post, start, complete and wait: the k-th start of an origin that names a target belongs to the
// k-th post of that target that names the origin. The origin waits in MPI_Win_start or, where the
// library lets that return at once, in MPI_Win_complete; the target waits in MPI_Win_wait for the
// last MPI_Win_complete.
//
// Locks: lock_waits.cc.

#include "calls/window_waits.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "calls/collective_scope.h"
#include "calls/lock_waits.h"

namespace slackline {
namespace {

using Ranks = std::vector<std::int32_t>;

struct Epoch {
  std::uint32_t comm;
  CallIndex open, close;         // start and complete, or post and wait; close kNoCall: none
  Ranks group;                   // empty: not told
  std::vector<CallIndex> tests;  // that failed
};

/// The epochs of one rank, in program order.
class RankEpochs {
 public:
  std::vector<Epoch> access;
  std::vector<Epoch> exposure;
  std::vector<LockEpoch> locks;

  void read(const RankCalls& calls, std::int32_t rank) {
    rank_ = rank;
    ObjectCommunicator windows;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Operation operation = calls.operation(i);
      if (operation_class(operation) != OperationClass::one_sided) continue;
      read(calls.action(i), static_cast<CallIndex>(i), windows.of(operation, calls.comm(i)));
    }
  }

 private:
  void read(const Call& call, CallIndex i, std::uint32_t comm) {
    switch (call.operation) {
      case Operation::win_start:
        access.push_back({comm, i, kNoCall, group_of(call), {}});
        return;
      case Operation::win_complete:
        if (Epoch* e = open(access, comm)) e->close = i;
        return;
      case Operation::win_post:
        exposure.push_back({comm, i, kNoCall, group_of(call), {}});
        return;
      case Operation::win_wait:
        if (Epoch* e = open(exposure, comm)) e->close = i;
        return;
      case Operation::win_test:
        if (Epoch* e = open(exposure, comm)) {
          if (call.has(SLK_FLAG_FAILED)) {
            e->tests.push_back(i);
          } else {
            e->close = i;
          }
        }
        return;
      case Operation::win_lock:
        held_[{comm, call.peer}] = {comm, rank_, call.peer, call.tag != 1, i};
        return;
      case Operation::win_lock_all:
        held_[{comm, LockEpoch::kAllTargets}] = {.comm = comm, .origin = rank_, .lock = i};
        return;
      case Operation::win_flush:
      case Operation::win_flush_local:
        flush(comm, call.peer, i);
        flush(comm, LockEpoch::kAllTargets, i);
        return;
      case Operation::win_flush_all:
      case Operation::win_flush_local_all:
        for (auto& [key, epoch] : held_) {
          if (key.first == comm) epoch.flushes.push_back(i);
        }
        return;
      case Operation::win_unlock:
        unlock(comm, call.peer, i);
        return;
      case Operation::win_unlock_all:
        unlock(comm, LockEpoch::kAllTargets, i);
        return;
      default:
        break;
    }
    if (told_ || call.peer < 0 || !is_window_transfer(call.operation)) return;
    Epoch* e = open(access, comm);
    if (e != nullptr && std::ranges::find(e->group, call.peer) == e->group.end()) {
      e->group.push_back(call.peer);
    }
  }

  void flush(std::uint32_t comm, std::int32_t target, CallIndex call) {
    const auto held = held_.find({comm, target});
    if (held != held_.end()) held->second.flushes.push_back(call);
  }

  void unlock(std::uint32_t comm, std::int32_t target, CallIndex call) {
    const auto held = held_.find({comm, target});
    if (held == held_.end()) return;
    held->second.unlock = call;
    locks.push_back(std::move(held->second));
    held_.erase(held);
  }

  Ranks group_of(const Call& call) {
    Ranks group;
    for (const std::int64_t rank : call.args) group.push_back(static_cast<std::int32_t>(rank));
    if (call.operation == Operation::win_start) told_ = !group.empty();
    return group;
  }

  static Epoch* open(std::vector<Epoch>& epochs, std::uint32_t comm) {
    for (auto e = epochs.rbegin(); e != epochs.rend(); ++e) {
      if (e->comm == comm) return e->close == kNoCall ? &*e : nullptr;
    }
    return nullptr;
  }

  std::int32_t rank_ = 0;
  bool told_ = false;  // the last start says its group
  std::map<std::pair<std::uint32_t, std::int32_t>, LockEpoch> held_;  // by window and target
};

class Search {
 public:
  Search(const Trace& trace, std::vector<std::vector<WindowWait>>& out)
      : trace_(trace), out_(out) {}

  void run() {
    bool any = false;
    std::vector<LockEpoch> locks;
    std::vector<RankEpochs> ranks(static_cast<std::size_t>(trace_.ranks()));
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      RankEpochs& mine = ranks[static_cast<std::size_t>(r)];
      mine.read(trace_.calls(r), r);
      any = any || !mine.access.empty();
      std::ranges::move(mine.locks, std::back_inserter(locks));
    }
    if (!any && locks.empty()) return;
    out_.resize(ranks.size());
    match_epochs(ranks);
    add_lock_waits(trace_, locks, out_);
    for (auto& own : out_) std::ranges::stable_sort(own, {}, &WindowWait::call);
  }

 private:
  struct Exposed {
    const Epoch* epoch;
    WindowWait last{};  // the last complete of its origins
  };

  std::int64_t begin(std::int32_t rank, CallIndex call) const {
    return trace_.calls(rank).begin_ns(call);
  }
  std::int64_t end(std::int32_t rank, CallIndex call) const {
    return trace_.calls(rank).end_ns(call);
  }
  std::vector<WindowWait>& of(std::int32_t rank) { return out_[static_cast<std::size_t>(rank)]; }

  void match_epochs(const std::vector<RankEpochs>& ranks) {
    std::vector<std::vector<Exposed>> exposed(ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      for (const Epoch& e : ranks[r].exposure) exposed[r].push_back({&e, {}});
    }
    // By window, origin and target: how many epochs of the target's list are used up.
    std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t>, std::size_t> next;
    for (std::int32_t origin = 0; origin < trace_.ranks(); ++origin) {
      for (const Epoch& access : ranks[static_cast<std::size_t>(origin)].access) {
        std::optional<WindowWait> at_start;
        std::optional<WindowWait> at_complete;
        for (const std::int32_t target : targets_of(access, origin, ranks)) {
          if (target < 0 || target >= trace_.ranks()) continue;
          auto& list = exposed[static_cast<std::size_t>(target)];
          std::size_t& at = next[{access.comm, origin, target}];
          while (at < list.size() && !exposes(*list[at].epoch, access.comm, origin)) ++at;
          if (at == list.size()) continue;
          match(origin, access, target, list[at++], at_start, at_complete);
        }
        if (at_start) of(origin).push_back(*at_start);
        if (at_complete) of(origin).push_back(*at_complete);
      }
    }
    for (std::int32_t target = 0; target < trace_.ranks(); ++target) {
      for (const Exposed& e : exposed[static_cast<std::size_t>(target)]) add_waits(target, e);
    }
  }

  static bool exposes(const Epoch& e, std::uint32_t comm, std::int32_t origin) {
    return e.comm == comm &&
           (e.group.empty() || std::ranges::find(e.group, origin) != e.group.end());
  }

  Ranks targets_of(const Epoch& access, std::int32_t origin,
                   const std::vector<RankEpochs>& ranks) const {
    if (!access.group.empty()) return access.group;
    Ranks all;
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      const auto& theirs = ranks[static_cast<std::size_t>(r)].exposure;
      if (r != origin && std::ranges::any_of(theirs, [&](const Epoch& e) {
            return exposes(e, access.comm, origin);
          })) {
        all.push_back(r);
      }
    }
    return all;
  }

  void match(std::int32_t origin, const Epoch& access, std::int32_t target, Exposed& exposed,
             std::optional<WindowWait>& at_start, std::optional<WindowWait>& at_complete) const {
    const CallIndex post = exposed.epoch->open;
    const std::int64_t posted = begin(target, post);
    const auto wait_in = [&](CallIndex call, std::optional<WindowWait>& latest) {
      if (posted <= begin(origin, call)) return;
      if (!latest || posted > latest->until_ns) {
        latest = WindowWait{call, target, post, posted, WindowWaitKind::late_post};
      }
    };
    if (posted <= end(origin, access.open)) {
      wait_in(access.open, at_start);
    } else if (access.close != kNoCall) {
      wait_in(access.close, at_complete);
    }
    if (access.close == kNoCall) return;
    const std::int64_t completed = begin(origin, access.close);
    if (exposed.last.call == kNoCall || completed > exposed.last.until_ns) {
      exposed.last = {exposed.epoch->open, origin, access.close, completed,
                      WindowWaitKind::late_complete};
    }
  }

  void add_waits(std::int32_t target, const Exposed& e) {
    if (e.last.call == kNoCall) return;
    WindowWait wait = e.last;
    const auto add = [&](CallIndex call) {
      wait.call = call;
      if (wait.until_ns > begin(target, call)) of(target).push_back(wait);
    };
    for (const CallIndex test : e.epoch->tests) add(test);
    if (e.epoch->close != kNoCall &&
        trace_.calls(target).operation(e.epoch->close) == Operation::win_wait) {
      add(e.epoch->close);
    }
  }

  const Trace& trace_;
  std::vector<std::vector<WindowWait>>& out_;
};

}  // namespace

bool is_window_transfer(Operation operation) {
  switch (operation) {
    case Operation::put:
    case Operation::get:
    case Operation::accumulate:
    case Operation::get_accumulate:
    case Operation::fetch_and_op:
    case Operation::compare_and_swap:
    case Operation::rput:
    case Operation::rget:
    case Operation::raccumulate:
    case Operation::rget_accumulate:
      return true;
    default:
      return false;
  }
}

WindowWaits::WindowWaits(const Trace& trace) {
  if (trace.timed()) Search(trace, by_rank_).run();
}

std::span<const WindowWait> WindowWaits::of(std::int32_t rank) const {
  if (by_rank_.empty()) return {};
  return by_rank_[static_cast<std::size_t>(rank)];
}

std::span<const WindowWait> WindowWaits::of(std::int32_t rank, CallIndex call) const {
  if (by_rank_.empty()) return {};
  const auto found = std::ranges::equal_range(by_rank_[static_cast<std::size_t>(rank)], call, {},
                                              &WindowWait::call);
  return {found.begin(), found.end()};
}

}  // namespace slackline
