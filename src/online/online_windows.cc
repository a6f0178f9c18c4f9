// One-sided calls, and cancelling: what OnlineProgram does of them.

#include <algorithm>

#include "online/online_program.h"

namespace slackline::online {
namespace {

using State = sim::ExecutionContext::State;

bool moves_data(Operation operation) {
  return operation >= Operation::put && operation <= Operation::rget_accumulate;
}

bool has_request(Operation operation) {
  return operation >= Operation::rput && operation <= Operation::rget_accumulate;
}

bool is_lock(Operation operation) {
  return operation == Operation::win_lock || operation == Operation::win_lock_all;
}

bool is_unlock(Operation operation) {
  return operation == Operation::win_unlock || operation == Operation::win_unlock_all;
}

}  // namespace

void OnlineProgram::begin_one_sided(sim::ExecutionContext& context, Operation operation) {
  RankState& of = state(context.rank);
  const slk_online_call& call = of.call;
  const OneSided::Transfer transfer{call.comm, call.peer, call.bytes, call.back};
  const bool remote = call.peer >= 0 && call.peer != context.rank;
  if (has_request(operation)) {
    requests_->add(context.rank, call.serial,
                   remote ? one_sided_.start(context, transfer) : sim::Request{});
    return end_one_sided(context);
  }
  if (moves_data(operation)) {
    if (remote) one_sided_.start_unnamed(context, transfer);
    return end_one_sided(context);
  }
  // Whoever polls its own window for what others put there lets time pass.
  if (operation == Operation::win_sync) {
    return contexts_->sleep(context, job_.test_seconds, State::computing);
  }
  of.phase = is_lock(operation) ? Phase::locking : Phase::transferring;
  if (is_lock(operation) && remote) one_sided_.start_unnamed(context, transfer);
  one_sided_.wait(context, call.comm, call.peer);
}

/// Its request has arrived where the lock is.
void OnlineProgram::ask_for_lock(sim::ExecutionContext& context) {
  RankState& of = state(context.rank);
  of.phase = Phase::transferring;
  one_sided_.lock(context, of.call.comm, of.call.peer, of.call.tag % 2 == 0);
}

void OnlineProgram::end_one_sided(sim::ExecutionContext& context) {
  RankState& of = state(context.rank);
  const slk_online_call& call = of.call;
  const auto operation = static_cast<Operation>(call.operation);
  if (is_unlock(operation)) one_sided_.unlock(context.rank, call.comm, call.peer);
  append(context, {.operation = operation,
                   .bytes = std::max(call.bytes, call.back),
                   .peer = call.peer == OneSided::kAll ? kPeerNone : call.peer,
                   .tag = call.tag,
                   .comm = call.comm,
                   .request = has_request(operation) ? call.serial : kRequestNone});
}

/// A message that was sent and is cancelled is received by nobody, but has been on its way; a
/// receive gets an empty one.
void OnlineProgram::cancel(sim::ExecutionContext& context) {
  const slk_online_call& call = state(context.rank).call;
  std::int32_t& cancelled = job_.memory.rank(context.rank).answer.found;
  cancelled = 0;
  if (call.data == 0) {
    const PostedReceive posted{.rank = context.rank, .request = call.serial};
    const std::int64_t number = matching_.cancel_receive(call.comm, posted);
    if (number == 0) return;
    one_sided_.satisfy(context.rank, call.comm, number);
    state(context.rank).receives.erase(call.serial);
  } else {
    const std::int64_t number = matching_.cancel_send(call.peer, call.comm, call.data);
    if (number == 0) return;
    one_sided_.discard(call.peer, call.comm, number);
  }
  cancelled = 1;
  requests_->add(context.rank, call.serial, sim::Request{});
  RankCallsBuilder& calls = job_.trace.calls(context.rank);
  for (std::size_t i = calls.size(); i-- > 0;) {
    if (calls.action(i).request != call.serial) continue;
    return calls.add_flags(i, SLK_FLAG_CANCELLED);
  }
}

}  // namespace slackline::online
