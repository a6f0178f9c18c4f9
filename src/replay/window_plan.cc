// A replay makes the calls at windows again, so it must be sure that they are as MPI allows, and
// that no process waits forever in them: what one process waits for at a window, another one does.

#include "replay/window_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "calls/call_actions.h"
#include "calls/window_waits.h"
#include "replay/object_collectives.h"
#include "replay/window_locks.h"

namespace slackline {
namespace {

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
