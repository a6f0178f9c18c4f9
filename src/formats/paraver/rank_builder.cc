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

#include "formats/paraver/rank_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/paraver/builder_rules.h"
#include "formats/paraver/findings.h"

namespace slackline::paraver {

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
    findings_.add(kUnfinishedCall,
                  fmt::format("{} at {} ns", mpi_name(open_call(thread)->call.operation),
                              open_call(thread)->call.begin_ns));
    close(thread, time);
  }
  if (number == 0) {
    computed_ = states_.computed_before(time);
    states_.enter_mpi(time);
    keep_counters(next_index());
  }
  window_.push_back(
      {given, std::vector(given.args.begin(), given.args.end()), false, false, false});
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

void RankBuilder::keep_counters(std::size_t gap) {
  if (counter_values_.size() < gained_.size()) counter_values_.resize(gained_.size());
  for (std::size_t i = 0; i < gained_.size(); ++i) {
    if (counter_values_[i].size() < gap + 1) counter_values_[i].resize(gap + 1);
    counter_values_[i][gap] += gained_[i];
  }
  std::ranges::fill(gained_, 0);
}

void RankBuilder::leave(std::uint32_t number, std::int64_t time) {
  Thread& thread = thread_of(number);
  if (thread.open == 0) return;
  Open& open = *open_call(thread);
  if (receives(operation_class(open.call.operation))) take_waiting(thread, number, open, time);
  close(thread, time);
}

void RankBuilder::close(Thread& thread, std::int64_t time) {
  Open& open = *open_call(thread);
  open.call.end_ns = std::max(open.call.begin_ns, time);
  open.closed = true;
  thread.open = 0;
}

void RankBuilder::counters(std::uint32_t thread, std::int64_t time,
                           std::span<const std::uint64_t> gained) {
  if (thread != 0) return;
  if (gained_.size() < gained.size()) gained_.resize(gained.size());
  // A line of its own may follow the one that enters a call.
  const bool entered = entered_at(thread, time) != nullptr;
  if (entered ? !computed_ : thread_of(0).open != 0 || !states_.computed_before(time)) return;
  for (std::size_t i = 0; i < gained.size(); ++i) gained_[i] += gained[i];
  if (entered) keep_counters(calls_.size() + thread_of(0).open - window_base_);
}

RankBuilder::Open* RankBuilder::entered_at(std::uint32_t thread, std::int64_t time) {
  Open* const open = open_call(thread_of(thread));
  return open != nullptr && open->call.begin_ns == time ? open : nullptr;
}

void RankBuilder::frame(std::uint32_t thread, std::int64_t time, FrameId frame) {
  Open* const open = entered_at(thread, time);
  if (open != nullptr && open->call.frame == 0) open->call.frame = frame;
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

// Hands on the calls that no record from `now` on can change (but for clocks that disagree).
void RankBuilder::flush(std::int64_t now) {
  while (!window_.empty() && window_.front().closed && window_.front().call.end_ns < now) {
    resolve(window_.front());
    window_.pop_front();
    ++window_base_;
  }
}

void RankBuilder::resolve(Open& open) {
  const OperationClass c = operation_class(open.call.operation);
  if (c == OperationClass::completion) resolve_completion(open);
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
// file does not say; see kCompletionGuessed.
void RankBuilder::resolve_completion(Open& open) {
  Call& call = open.call;
  const bool single = completes_one(call.operation);
  std::vector<std::uint32_t> done = completed_by(call.end_ns, single);
  const bool all = call.operation == Operation::waitall;
  const bool waits = !may_fail(call.operation);
  while (!outstanding_.empty() && (all || (waits && done.empty()))) {
    done.push_back(outstanding_.front());
    outstanding_.pop_front();
    findings_.add(kCompletionGuessed);
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

void RankBuilder::finish() {
  if (!seen_) return;
  states_.finish(thread_of(0).open != 0, next_index());
  const std::int64_t stop = states_.stop_ns();
  for (Open& open : window_) {
    if (open.closed) continue;
    findings_.add(kUnfinishedCall,
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
  keep_counters(calls_.size());
  if (late_.empty() && extra_.empty()) {
    for (const Pause& pause : states_.pauses()) calls_.append_pause(pause);
  }
  rebuild();
  for (std::size_t i = 0; i < counter_values_.size(); ++i) {
    calls_.set_counter(i, std::move(counter_values_[i]));
  }
  calls_.set_start_ns(states_.start_ns());
  calls_.set_stop_ns(stop);
}

}  // namespace slackline::paraver
