#include "analysis/waits/wait_states.h"

#include "analysis/waits/cut_calls.h"
#include "calls/collective_scope.h"
#include "calls/replay.h"
#include "calls/window_waits.h"

namespace slackline {
namespace {

/// One-sided calls that only move data or change what the rank itself sees, and those of epochs
/// whose partners are looked for. Locks and flushes also wait for the target's progress, which is
/// not.
bool is_known_at_windows(Operation operation) {
  switch (operation) {
    case Operation::win_post:
    case Operation::win_start:
    case Operation::win_complete:
    case Operation::win_wait:
    case Operation::win_test:
    case Operation::win_sync:
      return true;
    default:
      return is_window_transfer(operation);
  }
}

/// Does the operation wait for processes that are not in the trace?
bool meets_another_job(Operation operation) {
  return operation == Operation::comm_spawn || operation == Operation::comm_spawn_multiple ||
         operation == Operation::comm_accept || operation == Operation::comm_connect ||
         operation == Operation::comm_join;
}

std::size_t size_of(const Trace& trace, std::uint32_t comm) {
  const Communicator& c = trace.communicators()[comm];
  if (comm == kCommWorld || c.members.empty()) return static_cast<std::size_t>(trace.ranks());
  return c.members.size() + c.remote.size();
}

bool says_neighbours(const Trace& trace, const CallMatching& matching, const CollectiveInstance& c,
                     std::int32_t rank) {
  const CollectiveMember* member = matching.member(c, rank);
  return member != nullptr && !trace.calls(rank).args(member->enter).empty();
}

bool is_complete(const Trace& trace, const CallMatching& matching, const CollectiveInstance& c,
                 std::int32_t rank) {
  if (c.member_count != size_of(trace, c.comm) || meets_another_job(c.operation)) return false;
  const CollectiveRule rule = rule_by_operation(c.operation);
  if (rule == CollectiveRule::neighbours) return says_neighbours(trace, matching, c, rank);
  return rule != CollectiveRule::none;
}

class Completed {
 public:
  Completed(const Trace& trace, const CallMatching& matching, std::int32_t rank, CallIndex call) {
    using Kind = CallMatching::Completion::Kind;
    matching.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      any = true;
      if (c.kind == Kind::outgoing) all_known = all_known && matching.message(c.id).matched();
      if (c.kind == Kind::collective) {
        all_known = all_known && is_complete(trace, matching, matching.collective(c.id), rank);
      }
    });
  }

  bool any = false;
  bool all_known = true;
};

bool goes_to_nobody(const RankCalls& calls, CallIndex call) {
  return calls.peer(call) == kPeerNull || calls.comm(call) == kCommSelf;
}

bool names_requests(const RankCalls& calls, CallIndex call) {
  bool any = false;
  for_each_completed_request(calls.action(call), [&](std::uint32_t r) { any |= r != 0; });
  return any;
}

}  // namespace

bool waiting_is_known(const Trace& trace, const CallMatching& matching, std::int32_t rank,
                      CallIndex call) {
  const RankCalls& calls = trace.calls(rank);
  const Operation operation = calls.operation(call);
  const OperationClass kind = operation_class(operation);
  if (calls.is_cut(call) && missing_partner(trace, matching, rank, call)) return true;
  const auto completed = [&] { return Completed(trace, matching, rank, call); };
  switch (kind) {
    case OperationClass::send:
    case OperationClass::recv:
    case OperationClass::sendrecv: {
      const Completed done = completed();
      return done.all_known && (done.any || goes_to_nobody(calls, call));
    }
    case OperationClass::probe:
      return calls.has(call, SLK_FLAG_FAILED) || completed().any || goes_to_nobody(calls, call);
    case OperationClass::completion: {
      if (calls.has(call, SLK_FLAG_FAILED)) return true;
      const Completed done = completed();
      return done.all_known && (done.any || !names_requests(calls, call) ||
                                matching.completed_file_access(rank, call) != kNoCall);
    }
    case OperationClass::collective:
    case OperationClass::comm_create: {
      const Completed done = completed();
      return calls.comm(call) == kCommSelf || (done.any && done.all_known);
    }
    case OperationClass::one_sided:
    case OperationClass::io:
      if (collective_scope(operation) == CollectiveScope::none) {
        return kind == OperationClass::io || is_known_at_windows(operation);
      }
      return calls.comm(call) == kCommSelf || (completed().any && completed().all_known);
    default:
      return true;
  }
}

}  // namespace slackline
