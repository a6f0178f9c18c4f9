#include "replay/window_locks.h"

#include <fmt/format.h>

#include <algorithm>

#include "calls/collective_scope.h"

namespace slackline {
namespace {

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

}  // namespace

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

}  // namespace slackline
