// How one rank's calls come out of the records of a .prv file.
//
// Enter and leave events give the calls. What they do not give stands in communication records: one
// for each message, at the time of its send, with two times for either end. A send's logical time
// is when its call was entered. A receive's logical time is when MPI_Recv was entered or MPI_Irecv
// left; its physical time is when the call that completed it was left. So ends find their calls by
// their times. An end may come before its call (the receiver gets there later): it then waits in a
// heap. It may come after it: a call that is not over at the time of the record stands in a short
// window, and older ones are found in the Trace by bisection. Completions work alike: a heap of
// physical times is emptied by the calls that complete requests. Only what comes later than the
// clocks allow (a message received before it was sent) makes it necessary to put arguments into
// calls that have gone on; a rank with such ones is rebuilt once at the end. Cost: constant per
// record, but for heaps as large as the number of messages under way.

#include "trace/readers/paraver/rank_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/readers/paraver/findings.h"

namespace slackline::paraver {
namespace {

constexpr std::size_t kLookBack = 64;  // calls of one time among which an end looks for its own

constexpr auto kLaterWaiting = [](const auto& a, const auto& b) {
  return a.end.logical_ns != b.end.logical_ns ? a.end.logical_ns > b.end.logical_ns
                                              : a.order > b.order;
};
constexpr auto kLaterCompletion = [](const auto& a, const auto& b) {
  return a.time != b.time ? a.time > b.time : a.request > b.request;
};

template <class T, class Later>
void push(std::vector<T>& heap, T value, Later later) {
  heap.push_back(std::move(value));
  std::ranges::push_heap(heap, later);
}

template <class T, class Later>
T pop(std::vector<T>& heap, Later later) {
  std::ranges::pop_heap(heap, later);
  T value = std::move(heap.back());
  heap.pop_back();
  return value;
}

bool sends(OperationClass c) {
  return c == OperationClass::send || c == OperationClass::isend || c == OperationClass::sendrecv ||
         c == OperationClass::start;
}

bool receives(OperationClass c) {
  return c == OperationClass::recv || c == OperationClass::irecv || c == OperationClass::sendrecv ||
         c == OperationClass::start;
}

bool completes_one(Operation operation) {
  return operation == Operation::wait || operation == Operation::waitany ||
         operation == Operation::test || operation == Operation::testany;
}

bool may_fail(Operation operation) {
  return operation == Operation::test || operation == Operation::testany ||
         operation == Operation::testall || operation == Operation::testsome;
}

// Do the times of a receive say that it belongs to this call?
bool is_exact(Operation operation, std::int64_t begin, std::int64_t end, std::int64_t logical) {
  const OperationClass c = operation_class(operation);
  return (c == OperationClass::irecv || c == OperationClass::start ? end : begin) == logical;
}

}  // namespace

void RankBuilder::begin_event(std::uint32_t thread, std::int64_t time) {
  seen_ = true;
  if (thread == 0) states_.advance(time, thread_of(0).open != 0, next_index());
  flush(time);
}

void RankBuilder::state(std::uint32_t thread, std::int64_t begin, std::int64_t end,
                        std::int64_t state) {
  seen_ = true;
  if (thread != 0) return;
  states_.advance(begin, thread_of(0).open != 0, next_index());
  states_.state(begin, end, state);
}

RankBuilder::Open* RankBuilder::open_call(Thread& thread) {
  return thread.open == 0 ? nullptr : &window_[thread.open - window_base_];
}

void RankBuilder::enter_unnamed(std::uint32_t thread, std::int64_t time) {
  if (thread == 0) states_.enter_unnamed_mpi(time);
}

void RankBuilder::enter(std::uint32_t number, std::int64_t time, const Call& given) {
  Thread& thread = thread_of(number);
  if (thread.open != 0) {
    findings_.add(kUnfinished,
                  fmt::format("{} at {} ns", mpi_name(open_call(thread)->call.operation),
                              open_call(thread)->call.begin_ns));
    close(thread, time);
  }
  if (number == 0) {
    states_.enter_mpi(time);
    const std::size_t gap = next_index();
    for (std::size_t i = 0; has_counters_ && i < kCounters; ++i) {
      if (counter_values_[i].size() < gap + 1) counter_values_[i].resize(gap + 1);
      counter_values_[i][gap] = gained_[i];
    }
    gained_ = {};
  }
  window_.push_back({given, {}, false, false, false});
  thread.open = window_base_ + window_.size() - 1;
  Open& open = window_.back();
  open.call.begin_ns = open.call.end_ns = time;
  open.call.thread = static_cast<std::uint16_t>(number);
  const OperationClass c = operation_class(open.call.operation);
  if (c == OperationClass::isend || c == OperationClass::irecv ||
      c == OperationClass::icollective) {
    open.call.request = ++last_request_;
  }
  if (c == OperationClass::isend || c == OperationClass::icollective) {
    outstanding_.push_back(open.call.request);
  }
  if (sends(c) || receives(c)) open.call.peer = kPeerNull;
  if (c == OperationClass::sendrecv) open.args = {kPeerNull, 0, 0, 0};
  std::erase_if(thread.sends, [&](const Waiting& w) {
    if (w.end.logical_ns == time) return give_send(open, w.end);
    without_call(number, w.end, Operation::send);
    return true;
  });
  if (c == OperationClass::recv || c == OperationClass::sendrecv) {
    take_waiting(thread, number, open, time);
  }
}

void RankBuilder::leave(std::uint32_t number, std::int64_t time) {
  Thread& thread = thread_of(number);
  if (thread.open == 0) return;
  Open& open = *open_call(thread);
  if (receives(operation_class(open.call.operation))) take_waiting(thread, number, open, time);
  close(thread, time);
}

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

void RankBuilder::close(Thread& thread, std::int64_t time) {
  Open& open = *open_call(thread);
  open.call.end_ns = std::max(open.call.begin_ns, time);
  open.closed = true;
  thread.open = 0;
}

void RankBuilder::counters(std::uint32_t thread, std::int64_t time, const CounterValues& gained) {
  if (thread != 0) return;
  has_counters_ = true;
  if (thread_of(0).open != 0 || !states_.computed_before(time)) return;
  for (std::size_t i = 0; i < kCounters; ++i) gained_[i] += gained[i];
}

void RankBuilder::region(std::uint32_t thread, std::int64_t time, std::int64_t region) {
  if (thread != 0 || (region < 0 && region_stack_.empty())) return;
  if (region >= 0) region_stack_.push_back(static_cast<std::uint32_t>(region));
  calls_.append_region({.time_ns = time,
                        .region = region_stack_.back(),
                        .before_call = static_cast<std::uint32_t>(next_index()),
                        .enter = region >= 0});
  if (region < 0) region_stack_.pop_back();
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
  findings_.add(kNoCall, fmt::format("{} at {} ns", mpi_name(operation), end.logical_ns));
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

// Hands on the calls that no record from `now` on can change (but for clocks that disagree).
void RankBuilder::flush(std::int64_t now) {
  while (!window_.empty() && window_.front().closed && window_.front().call.end_ns < now) {
    settle(window_.front());
    window_.pop_front();
    ++window_base_;
  }
}

void RankBuilder::settle(Open& open) {
  const OperationClass c = operation_class(open.call.operation);
  if (c == OperationClass::completion) settle_completion(open);
  open.call.args = open.args;
  calls_.append(open.call);
}

std::vector<std::uint32_t> RankBuilder::completed_by(std::int64_t end, bool single) {
  std::vector<std::uint32_t> done;
  while (!completions_.empty() && completions_.front().time <= end) {
    const Completion completion = pop(completions_, kLaterCompletion);
    if (completion.time == end && (!single || done.empty())) {
      done.push_back(completion.request);
    } else {
      overdue_.push_back(completion.request);
    }
  }
  while (!overdue_.empty() && (!single || done.empty())) {
    done.push_back(overdue_.front());
    overdue_.pop_front();
  }
  return done;
}

// Receives are completed by the call whose end is their physical time. Of sends and collectives the
// file does not say; see kGuessedCompletion.
void RankBuilder::settle_completion(Open& open) {
  Call& call = open.call;
  const bool single = completes_one(call.operation);
  std::vector<std::uint32_t> done = completed_by(call.end_ns, single);
  const bool all = call.operation == Operation::waitall;
  const bool waits = !may_fail(call.operation);
  while (!outstanding_.empty() && (all || (waits && done.empty()))) {
    done.push_back(outstanding_.front());
    outstanding_.pop_front();
    findings_.add(kGuessedCompletion);
  }
  if (done.empty() && may_fail(call.operation)) {
    call.flags |= SLK_FLAG_FAILED;
    open.args = {1, call.end_ns - call.begin_ns};
    return;
  }
  if (single) {
    if (!done.empty()) call.request = done.front();
  } else {
    open.args.assign(done.begin(), done.end());
  }
}

// Puts late arguments and calls without events where they belong.
void RankBuilder::rebuild() {
  if (late_.empty() && extra_.empty()) return;
  std::ranges::stable_sort(late_, {}, &LateArguments::call);
  std::ranges::stable_sort(extra_, {}, &Call::begin_ns);
  RankCalls whole;
  whole.reserve(calls_.size() + extra_.size());
  std::vector<std::size_t> new_index;  // of every old call, and of the end
  auto late = late_.begin();
  auto extra = extra_.begin();
  std::int64_t last_end = INT64_MIN;
  const auto add_extra = [&](std::int64_t until) {
    Call call = *extra++;
    call.begin_ns = std::max(call.begin_ns, last_end);
    call.end_ns = std::max(call.begin_ns, std::min(call.end_ns, until));
    last_end = call.end_ns;
    whole.append(call);
  };
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Call call = calls_[i];
    while (extra != extra_.end() && extra->begin_ns < call.begin_ns) {
      const auto next = std::next(extra);
      add_extra(std::min(call.begin_ns, next == extra_.end() ? call.begin_ns : next->begin_ns));
    }
    std::vector<std::int64_t> args(call.args.begin(), call.args.end());
    for (; late != late_.end() && late->call == i; ++late) {
      if (completes_one(call.operation)) {
        call.request = static_cast<std::uint32_t>(late->args.front());
      } else {
        if (call.has(SLK_FLAG_FAILED)) args.clear();
        args.insert(args.end(), late->args.begin(), late->args.end());
      }
      if (call.has(SLK_FLAG_FAILED)) {
        call.flags = static_cast<std::uint8_t>(call.flags & ~SLK_FLAG_FAILED);
        if (completes_one(call.operation)) args.clear();
      }
    }
    call.args = args;
    new_index.push_back(whole.size());
    whole.append(call);
    last_end = std::max(last_end, call.end_ns);
  }
  while (extra != extra_.end()) {
    const auto next = std::next(extra);
    add_extra(next == extra_.end() ? INT64_MAX : next->begin_ns);
  }
  new_index.push_back(whole.size());
  for (RegionEvent event : calls_.regions()) {
    event.before_call = static_cast<std::uint32_t>(new_index[event.before_call]);
    whole.append_region(event);
  }
  for (std::size_t c = 0; c < kCounters; ++c) {
    std::vector<std::uint64_t> moved(counter_values_[c].empty() ? 0 : whole.size() + 1);
    for (std::size_t i = 0; i < counter_values_[c].size(); ++i) {
      moved[new_index[i]] = counter_values_[c][i];
    }
    counter_values_[c] = std::move(moved);
  }
  for (const Pause& pause : states_.pauses()) {
    whole.append_pause({pause.begin_ns, pause.end_ns,
                        static_cast<std::uint32_t>(new_index[pause.before_call]), pause.in_mpi});
  }
  calls_ = std::move(whole);
}

void RankBuilder::finish() {
  if (!seen_) return;
  const std::int64_t stop = states_.stop_ns();
  states_.finish(thread_of(0).open != 0, next_index());
  for (Open& open : window_) {
    if (open.closed) continue;
    findings_.add(kUnfinished,
                  fmt::format("{} at {} ns", mpi_name(open.call.operation), open.call.begin_ns));
    open.call.end_ns = std::max(open.call.begin_ns, stop);
    open.call.flags |= SLK_FLAG_UNFINISHED;
    open.closed = true;
  }
  flush(INT64_MAX);
  threads_.for_each([&](std::uint32_t number, Thread& thread) {
    for (const Waiting& w : thread.sends) without_call(number, w.end, Operation::send);
    for (const Waiting& w : thread.receives) without_call(number, w.end, Operation::recv);
  });
  if (!outstanding_.empty()) findings_.add(kNeverCompleted, {}, outstanding_.size());
  if (has_counters_) {
    for (std::size_t i = 0; i < kCounters; ++i) {
      counter_values_[i].resize(calls_.size() + 1);
      counter_values_[i].back() = gained_[i];
    }
  }
  if (late_.empty() && extra_.empty()) {
    for (const Pause& pause : states_.pauses()) calls_.append_pause(pause);
  }
  rebuild();
  for (std::size_t i = 0; has_counters_ && i < kCounters; ++i) {
    calls_.set_counter(i, std::move(counter_values_[i]));
  }
  calls_.set_start_ns(states_.start_ns());
  calls_.set_stop_ns(stop);
}

}  // namespace slackline::paraver
