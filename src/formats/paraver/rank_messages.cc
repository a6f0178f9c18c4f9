// How message ends find their calls, by their times (rank_builder.cc tells which times those are).

#include <fmt/format.h>

#include "formats/paraver/builder_rules.h"
#include "formats/paraver/findings.h"
#include "formats/paraver/rank_builder.h"

namespace slackline::paraver {

// Ends that came before their call and whose logical time lies in [its begin, until].
void RankBuilder::take_waiting(Thread& thread, std::uint32_t number, Open& open,
                               std::int64_t until) {
  const bool blocking = !is_exact(open.call.operation, 0, 1, 1);
  while (!thread.receives.empty() && thread.receives.front().end.logical_ns <= until) {
    const std::int64_t time = thread.receives.front().end.logical_ns;
    // What is logically at the end of a blocking call belongs to the next one.
    if (blocking && time == until && until > open.call.begin_ns) return;
    if (time >= open.call.begin_ns && open.received) return;
    const Waiting waiting = pop(thread.receives, kLaterWaiting);
    if (time < open.call.begin_ns || !give_receive(open, waiting.end)) {
      without_call(number, waiting.end, Operation::recv);
    }
  }
}

bool RankBuilder::give_send(Open& open, const MessageEnd& end) {
  const OperationClass c = operation_class(open.call.operation);
  if (!sends(c) || open.sent) return false;
  if (c == OperationClass::start) {
    open.args.insert(open.args.end(),
                     {++last_request_, static_cast<std::int64_t>(Operation::send_init), end.peer,
                      end.tag, static_cast<std::int64_t>(end.bytes), kCommWorld});
    outstanding_.push_back(last_request_);
    return true;
  }
  open.call.peer = end.peer;
  open.call.tag = end.tag;
  open.call.bytes = end.bytes;
  open.sent = true;
  return true;
}

bool RankBuilder::give_receive(Open& open, const MessageEnd& end) {
  const OperationClass c = operation_class(open.call.operation);
  if (!receives(c) || open.received) return false;
  switch (c) {
    case OperationClass::start:
      open.args.insert(open.args.end(),
                       {++last_request_, static_cast<std::int64_t>(Operation::recv_init), end.peer,
                        end.tag, static_cast<std::int64_t>(end.bytes), kCommWorld});
      completes_at(last_request_, end.physical_ns);
      return true;
    case OperationClass::sendrecv:
      open.args = {end.peer, end.tag, static_cast<std::int64_t>(end.bytes), 0};
      break;
    default:
      open.call.peer = end.peer;
      open.call.tag = end.tag;
      open.call.bytes = end.bytes;
      if (c == OperationClass::irecv) completes_at(open.call.request, end.physical_ns);
  }
  open.received = true;
  return true;
}

void RankBuilder::sent(std::uint32_t number, const MessageEnd& end, std::int64_t now) {
  seen_ = true;
  for (Open& open : window_) {
    if (open.call.thread == number && open.call.begin_ns == end.logical_ns &&
        give_send(open, end)) {
      return;
    }
  }
  if (end.logical_ns >= now) {
    thread_of(number).sends.push_back({end, ++order_});
    return;
  }
  if (!send_in_past(number, end)) without_call(number, end, Operation::send);
}

void RankBuilder::received(std::uint32_t number, const MessageEnd& end, std::int64_t now) {
  seen_ = true;
  for (Open& open : window_) {
    const Call& call = open.call;
    if (call.thread != number || call.begin_ns > end.logical_ns) continue;
    const std::int64_t call_end = open.closed ? call.end_ns : kTimeLimit_ns;
    if (is_exact(call.operation, call.begin_ns, call_end, end.logical_ns) &&
        give_receive(open, end)) {
      return;
    }
  }
  if (end.logical_ns >= now) {
    return push(thread_of(number).receives, Waiting{end, ++order_}, kLaterWaiting);
  }
  if (receive_in_past(number, end)) return;
  for (Open& open : window_) {
    if (open.call.thread == number && open.call.begin_ns <= end.logical_ns &&
        (!open.closed || end.logical_ns <= open.call.end_ns) && give_receive(open, end)) {
      return;
    }
  }
  without_call(number, end, Operation::recv);
}

bool RankBuilder::send_in_past(std::uint32_t thread, const MessageEnd& end) {
  std::size_t i = calls_.first_from(end.logical_ns);
  for (std::size_t n = 0; n < kLookBack && i < calls_.size(); ++n, ++i) {
    if (calls_.begin_ns(i) != end.logical_ns) return false;
    const Call call = calls_[i];
    const OperationClass c = operation_class(call.operation);
    if (call.thread != thread || !sends(c) || call.peer != kPeerNull) continue;
    if (c == OperationClass::start) continue;
    calls_.resolve(i, end.peer, end.tag, end.bytes);
    return true;
  }
  return false;
}

// The call of an end that its rank has long gone past. The best one that has no message yet: one
// whose times are exact, or else one that encloses the logical time.
bool RankBuilder::receive_in_past(std::uint32_t thread, const MessageEnd& end) {
  std::size_t best = calls_.size();
  bool best_exact = false;
  std::size_t i = calls_.first_from(end.logical_ns + 1);
  for (std::size_t n = 0; n < kLookBack && i > 0; ++n) {
    const Call call = calls_[--i];
    if (call.thread != thread) continue;
    if (call.end_ns < end.logical_ns) break;
    const OperationClass c = operation_class(call.operation);
    if (!receives(c)) continue;
    const bool taken = c == OperationClass::sendrecv
                           ? call.args.empty() || call.args[0] != kPeerNull
                           : c != OperationClass::start && call.peer != kPeerNull;
    if (taken) continue;
    const bool exact = is_exact(call.operation, call.begin_ns, call.end_ns, end.logical_ns);
    if (!exact && (best_exact || best < calls_.size())) continue;
    best = i;
    best_exact = exact;
  }
  if (best == calls_.size()) return false;
  const Call call = calls_[best];
  switch (operation_class(call.operation)) {
    case OperationClass::sendrecv: {
      const auto args = calls_.mutable_args(best);
      args[0] = end.peer;
      args[1] = end.tag;
      args[2] = static_cast<std::int64_t>(end.bytes);
      break;
    }
    case OperationClass::start:
      late_.push_back({best,
                       {++last_request_, static_cast<std::int64_t>(Operation::recv_init), end.peer,
                        end.tag, static_cast<std::int64_t>(end.bytes), kCommWorld}});
      completes_at(last_request_, end.physical_ns);
      break;
    default:
      calls_.resolve(best, end.peer, end.tag, end.bytes);
      if (call.request != kRequestNone) completes_at(call.request, end.physical_ns);
  }
  return true;
}

void RankBuilder::completes_at(std::uint32_t request, std::int64_t time) {
  // Has the call that completed it gone on already? Then the message was received before its send.
  std::size_t i =
      calls_.empty() || calls_.end_ns(calls_.size() - 1) < time ? 0 : calls_.first_from(time + 1);
  for (std::size_t n = 0; n < kLookBack && i > 0; ++n) {
    --i;
    if (calls_.end_ns(i) < time) break;
    if (calls_.end_ns(i) == time &&
        operation_class(calls_.operation(i)) == OperationClass::completion) {
      findings_.add(kLateMessage, fmt::format("at {} ns", time));
      late_.push_back({i, {request}});
      return;
    }
  }
  push(completions_, Completion{time, request}, kLaterCompletion);
}

void RankBuilder::without_call(std::uint32_t thread, const MessageEnd& end, Operation operation) {
  findings_.add(kWithoutCall, fmt::format("{} at {} ns", mpi_name(operation), end.logical_ns));
  Call call;
  call.operation = operation;
  call.thread = static_cast<std::uint16_t>(thread);
  call.begin_ns = end.logical_ns;
  call.end_ns = std::max(end.logical_ns, end.physical_ns);
  call.peer = end.peer;
  call.tag = end.tag;
  call.bytes = end.bytes;
  extra_.push_back(call);
}

}  // namespace slackline::paraver
