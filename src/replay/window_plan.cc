// A replay makes the calls at windows again, so it must be sure that they are as MPI allows, and
// that no process waits forever in them: what one process waits for at a window, another one does.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "calls/call_actions.h"
#include "calls/call_matching.h"
#include "calls/collective_scope.h"
#include "calls/window_waits.h"
#include "replay/object_plans.h"
#include "replay/rank_windows.h"
#include "trace/trace.h"

namespace slackline {
namespace {

struct WindowLock {
  static constexpr std::int32_t kAllTargets = -1;  ///< MPI_Win_lock_all

  WindowId window{};
  std::int32_t origin = 0;
  std::int32_t target = kAllTargets;
  bool exclusive = false;
};

/// A lock as one rank held it.
struct HeldLock {
  WindowLock lock{};
  CallIndex waits = kNoCall;  ///< the first call under it that may wait for another process
  std::vector<std::pair<CallIndex, WindowLock>> inside{};  ///< locks that are taken under it
};

/// Whether one rank alone is in a set, or several.
class Origins {
 public:
  void add(std::int32_t rank) {
    several_ = several_ || (rank_ != kNone && rank_ != rank);
    rank_ = rank;
  }
  bool has_other_than(std::int32_t rank) const {
    return several_ || (rank_ != kNone && rank_ != rank);
  }

 private:
  static constexpr std::int32_t kNone = -1;
  std::int32_t rank_ = kNone;
  bool several_ = false;
};

/// The origins that lock a target of a window, or all its targets.
struct Lockers {
  Origins any;
  Origins exclusive;
};

class Conflicts {
 public:
  explicit Conflicts(const std::vector<HeldLock>& locks) {
    for (const HeldLock& held : locks) {
      const WindowLock& lock = held.lock;
      Lockers& lockers = of_[{lock.window, lock.target}];
      lockers.any.add(lock.origin);
      if (!lock.exclusive) continue;
      lockers.exclusive.add(lock.origin);
      of_[{lock.window, kAll}].exclusive.add(lock.origin);  // one of its targets is locked so
    }
  }
  bool has(const WindowLock& lock) const {
    const Lockers& same = at(lock.window, lock.target);
    if (!lock.exclusive) return same.exclusive.has_other_than(lock.origin);
    return same.any.has_other_than(lock.origin) ||
           at(lock.window, kAll).any.has_other_than(lock.origin);
  }

 private:
  static constexpr std::int32_t kAll = WindowLock::kAllTargets;

  const Lockers& at(const WindowId& window, std::int32_t target) const {
    static const Lockers kNobody{};
    const auto found = of_.find({window, target});
    return found == of_.end() ? kNobody : found->second;
  }

  std::map<std::pair<WindowId, std::int32_t>, Lockers> of_;
};

bool waits_at_window(Operation operation) {
  switch (operation) {
    case Operation::win_start:
    case Operation::win_complete:
    case Operation::win_wait:
    case Operation::win_test:
      return true;
    default:
      return false;
  }
}

/// May the call wait until another process has made one? Completions of one-sided transfers only
/// (`transfers_only`) do not, nor do transfers themselves. Locks are not asked about.
bool may_wait(const Call& call, bool transfers_only) {
  if (call.has(SLK_FLAG_FAILED)) return false;
  const CollectiveScope scope = collective_scope(call.operation);
  const OperationClass kind = operation_class(call.operation);
  if (scope == CollectiveScope::communicator && kind == OperationClass::icollective) return false;
  if (scope != CollectiveScope::none) return call.comm != kCommSelf;
  switch (kind) {
    case OperationClass::send:
      return call.operation != Operation::bsend && call.peer >= 0;
    case OperationClass::recv:
    case OperationClass::probe:
      return call.peer != kPeerNull;
    case OperationClass::sendrecv:
      return true;
    case OperationClass::completion:
      return !transfers_only;
    case OperationClass::one_sided:
      return waits_at_window(call.operation);
    default:
      return false;
  }
}

/// Which process gets a lock first may differ from the run. So where two processes lock the same
/// memory, and not both for reading, neither may wait for others meanwhile: they might wait for the
/// lock. Words for the first one that does; empty if none does. Linear.
std::string waits_under_lock(const Trace& trace, const std::vector<HeldLock>& locks) {
  const Conflicts conflicts(locks);
  for (const HeldLock& held : locks) {
    if (!conflicts.has(held.lock)) continue;
    const auto contended = std::ranges::find_if(
        held.inside, [&](const auto& inner) { return conflicts.has(inner.second); });
    CallIndex waits = held.waits;
    if (contended != held.inside.end()) waits = std::min(waits, contended->first);
    if (waits == kNoCall) continue;
    const std::int32_t rank = held.lock.origin;
    return fmt::format(
        "rank {} may wait in {} (call {}) for a process that waits for the lock which it holds",
        rank, mpi_name(trace.calls(rank).operation(waits)), waits);
  }
  return "";
}

using Sizes = std::map<std::pair<WindowId, std::int32_t>, std::uint64_t>;
/// Epochs of post-start-complete-wait, by window, origin and target.
struct EpochCount {
  std::uint64_t starts = 0;
  std::uint64_t posts = 0;
};
using EpochCounts = std::map<std::tuple<WindowId, std::int32_t, std::int32_t>, EpochCount>;

/// What is found out from one rank after the other.
struct Windows {
  Sizes sizes{};
  EpochCounts epochs{};
  std::vector<HeldLock> locks{};
};

/// The predefined types that a replay has for one element (runtime/replay/one_sided.c).
bool has_type(Operation operation, std::uint64_t bytes) {
  const bool integer = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (operation == Operation::compare_and_swap) return integer;
  return operation != Operation::fetch_and_op || integer || bytes == 16;
}

/// Walks over one rank's calls.
class RankCheck {
 public:
  RankCheck(const Trace& trace, std::int32_t rank, Windows& out)
      : calls_(trace.calls(rank)), rank_(rank), out_(out) {}

  /// Words for what cannot be replayed; empty if all can.
  std::string run() {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const Call call = calls_.action(i);
      const std::string_view why = check(call, static_cast<CallIndex>(i));
      if (!why.empty()) {
        return fmt::format("{} of rank {} (call {}) {}", mpi_name(call.operation), rank_, i, why);
      }
    }
    for (const auto& [window, epochs] : epochs_) {
      if (epochs.is_open()) return fmt::format("rank {} never ends an epoch at a window", rank_);
    }
    return "";
  }

 private:
  static constexpr std::int32_t kAll = WindowLock::kAllTargets;

  struct Epochs {
    bool fenced = false;
    bool exposed = false;
    bool access = false;
    std::vector<std::int64_t> targets{};       // of the access epoch
    std::map<std::int32_t, HeldLock> locks{};  // by target

    bool is_open() const { return exposed || access || !locks.empty(); }
    bool reaches(std::int32_t target) const {
      return fenced || locks.contains(target) || locks.contains(kAll) ||
             (access && std::ranges::find(targets, target) != targets.end());
    }
  };

  std::string_view check(const Call& call, CallIndex i) {
    if (held_ > 0 && may_wait(call, completes_transfers(call))) {
      for_held([i](HeldLock& held) { held.waits = std::min(held.waits, i); });
    }
    if (operation_class(call.operation) != OperationClass::one_sided) return "";
    if (call.request != kRequestNone) transfers_.insert(call.request);
    const std::optional<WindowId> window = windows_.next(call);
    if (!window) {
      return windows_.open_windows() == 0 ? "names no window that is open"
                                          : "is on one of several windows of its communicator, and "
                                            "the recording does not tell which";
    }
    return check_at(*window, epochs_[*window], call, i);
  }

  std::string_view check_at(const WindowId& window, Epochs& e, const Call& call, CallIndex i) {
    using enum Operation;
    switch (call.operation) {
      case win_create:
      case win_allocate:
      case win_allocate_shared:
      case win_create_dynamic:
      case win_sync:
        return "";
      case win_free:
        return e.is_open() ? "comes before the end of an epoch" : "";
      case win_fence:
        e.fenced = true;
        return e.is_open() ? "comes before the end of an epoch" : "";
      case win_post:
      case win_wait:
      case win_test:
        return expose(window, e, call);
      case win_start:
      case win_complete:
        return access(window, e, call);
      case win_lock:
      case win_lock_all:
        return lock(window, e, call, i);
      case win_unlock:
      case win_unlock_all:
        return unlock(e, call.operation == win_unlock ? call.peer : kAll);
      case win_flush:
      case win_flush_local:
        return is_locked(e, call.peer) ? "" : "is outside of an epoch";
      case win_flush_all:
      case win_flush_local_all:
        return e.locks.empty() ? "is outside of an epoch" : "";
      default:
        return transfer(window, e, call);
    }
  }

  static bool is_locked(const Epochs& e, std::int32_t target) {
    return target == kPeerNull || e.locks.contains(target) || e.locks.contains(kAll);
  }

  std::string_view expose(const WindowId& window, Epochs& e, const Call& call) {
    if (call.operation != Operation::win_post) {
      if (!e.exposed) return "has no MPI_Win_post";
      e.exposed = call.has(SLK_FLAG_FAILED);
      return "";
    }
    if (e.exposed) return "comes before the end of an epoch";
    if (call.args.empty()) return kNoGroup;
    for (const std::int64_t origin : call.args) {
      ++out_.epochs[{window, static_cast<std::int32_t>(origin), rank_}].posts;
    }
    e.exposed = true;
    return "";
  }

  std::string_view access(const WindowId& window, Epochs& e, const Call& call) {
    if (call.operation == Operation::win_complete) {
      if (!e.access) return "has no MPI_Win_start";
      e.access = false;
      return "";
    }
    if (e.access || !e.locks.empty()) return "comes before the end of an epoch";
    if (call.args.empty()) return kNoGroup;
    for (const std::int64_t target : call.args) {
      ++out_.epochs[{window, rank_, static_cast<std::int32_t>(target)}].starts;
    }
    e.access = true;
    e.fenced = false;
    e.targets.assign(call.args.begin(), call.args.end());
    return "";
  }

  std::string_view lock(const WindowId& window, Epochs& e, const Call& call, CallIndex i) {
    const bool all = call.operation == Operation::win_lock_all;
    const std::int32_t target = all ? kAll : call.peer;
    const bool taken = all ? !e.locks.empty() : is_locked(e, target) && target != kPeerNull;
    if (e.access || taken) return "comes before the end of an epoch";
    e.fenced = false;
    const WindowLock lock{.window = window,
                          .origin = rank_,
                          .target = target,
                          .exclusive = !all && call.tag % 2 == 0};
    for_held([&](HeldLock& outer) { outer.inside.emplace_back(i, lock); });
    e.locks[target] = {.lock = lock};
    ++held_;
    return "";
  }

  std::string_view unlock(Epochs& e, std::int32_t target) {
    const auto held = e.locks.find(target);
    if (held == e.locks.end()) return "has no lock";
    if (target != kPeerNull) out_.locks.push_back(held->second);
    e.locks.erase(held);
    --held_;
    return "";
  }

  std::string_view transfer(const WindowId& window, const Epochs& e, const Call& call) {
    if (!is_window_transfer(call.operation)) return "is not known to a replay";
    if (!has_type(call.operation, call.bytes)) return "has an element of an unusual size";
    if (call.peer < 0) return "";
    if (!e.reaches(call.peer)) return "is outside of an epoch";
    std::uint64_t& room = out_.sizes[{window, call.peer}];
    room = std::max(room, call.bytes);
    return "";
  }

  /// Whether all requests that the call completes are those of transfers.
  bool completes_transfers(const Call& call) const {
    if (operation_class(call.operation) != OperationClass::completion) return false;
    bool all = true;
    for_each_completed_request(
        call, [&](std::uint32_t serial) { all = all && transfers_.contains(serial); });
    return all;
  }

  template <class Visit>
  void for_held(Visit visit) {
    if (held_ == 0) return;
    for (auto& [window, epochs] : epochs_) {
      for (auto& [target, held] : epochs.locks) visit(held);
    }
  }

  static constexpr std::string_view kNoGroup =
      "does not tell its group (it is empty, or has over 256 members)";

  const RankCalls& calls_;
  std::int32_t rank_;
  Windows& out_;
  RankWindows windows_;
  std::map<WindowId, Epochs> epochs_;
  std::unordered_set<std::uint32_t> transfers_;  // requests
  std::size_t held_ = 0;                         // locks
};

/// Each start belongs to a post of each of its targets.
std::string lonely_epoch(const EpochCounts& epochs) {
  for (const auto& [of, count] : epochs) {
    if (count.starts == count.posts) continue;
    const auto& [window, origin, target] = of;
    return fmt::format("rank {} starts {} epochs with rank {}, which posts {}", origin,
                       count.starts, target, count.posts);
  }
  return "";
}

std::string problem(const Trace& trace, const CallMatching& matching, Windows& windows) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    std::string why = RankCheck(trace, rank, windows).run();
    if (!why.empty()) return why;
  }
  std::string why = incomplete_collective(trace, matching, CollectiveScope::window);
  if (why.empty()) why = lonely_epoch(windows.epochs);
  return why.empty() ? waits_under_lock(trace, windows.locks) : why;
}

}  // namespace

WindowPlan::WindowPlan(const Trace& trace, const CallMatching& matching) {
  for (std::int32_t rank = 0; rank < trace.ranks() && !any_; ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size() && !any_; ++i) {
      any_ = operation_class(calls.operation(i)) == OperationClass::one_sided;
    }
  }
  if (!any_) return;
  Windows windows;
  refusal_ = problem(trace, matching, windows);
  bytes_ = std::move(windows.sizes);
}

std::uint64_t WindowPlan::bytes(const WindowId& window, std::int32_t rank) const {
  const auto found = bytes_.find({window, rank});
  return found == bytes_.end() ? 0 : found->second;
}

}  // namespace slackline
