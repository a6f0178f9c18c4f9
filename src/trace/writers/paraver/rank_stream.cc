#include "trace/writers/paraver/rank_stream.h"

#include <algorithm>

#include "trace/readers/paraver/mpi_values.h"
#include "trace/readers/paraver/thread_states.h"
#include "trace/writers/paraver/event_values.h"

namespace slackline::paraver {

RankStream::RankStream(const WriterContext& context, std::int32_t rank, std::uint16_t thread,
                       std::size_t block_bytes)
    : context_(context),
      calls_(context.trace.calls(rank)),
      rank_(rank),
      thread_(thread),
      block_bytes_(block_bytes),
      block_(rank, thread),
      last_end_(calls_.start_ns()) {}

void RankStream::state(std::int64_t begin, std::int64_t end, int state) {
  if (thread_ != 0 || end <= begin) return;
  block_.open('1');
  block_.repeated(begin - context_.zero_ns);
  block_.repeated(end - context_.zero_ns);
  block_.number(state);
  block_.close(begin);
}

void RankStream::open_event(std::int64_t time) {
  block_.open('2');
  block_.repeated(time - context_.zero_ns);
}

void RankStream::pair(std::int64_t type, std::int64_t value) {
  block_.number(type);
  block_.number(value);
}

bool RankStream::has_record() {
  if (!block_.empty()) return true;
  block_.clear();
  while (block_.bytes() < block_bytes_ && !finished_) refill();
  return !block_.empty();
}

void RankStream::refill() {
  if (!begun_) {
    begun_ = true;
    return begin();
  }
  while (next_call_ < calls_.size() && calls_.thread(next_call_) != thread_) ++next_call_;
  if (next_call_ == calls_.size()) {
    finished_ = true;
    return finish();
  }
  gap(next_call_);
  call(next_call_);
  ++next_call_;
}

void RankStream::begin() {
  if (thread_ != 0 || !present()) return;
  state(context_.zero_ns, calls_.start_ns(), static_cast<int>(kNotCreated));
  open_event(calls_.start_ns());
  pair(kApplication, 1);
  block_.close(calls_.start_ns());
}

// States, regions and pauses between two calls (i = size(): after the last one).
void RankStream::gap(std::size_t i) {
  if (thread_ != 0) return;
  const std::int64_t until = i < calls_.size() ? calls_.begin_ns(i) : calls_.stop_ns();
  const auto regions = calls_.regions();
  const auto pauses = calls_.pauses();
  std::int64_t now = last_end_;
  const std::size_t mark = block_.mark();
  for (; next_pause_ < pauses.size() && pauses[next_pause_].before_call <= i; ++next_pause_) {
    const Pause& pause = pauses[next_pause_];
    state(now, pause.begin_ns, static_cast<int>(kRunning));
    state(std::max(now, pause.begin_ns), pause.end_ns, kStateIo);
    now = std::max(now, pause.end_ns);
  }
  state(now, until, static_cast<int>(kRunning));
  for (; next_region_ < regions.size() && regions[next_region_].before_call <= i; ++next_region_) {
    const RegionEvent& event = regions[next_region_];
    const std::int64_t time = std::clamp(event.time_ns, std::min(last_end_, until), until);
    open_event(time);
    pair(kUserFunction, event.enter ? std::int64_t{event.region} + 1 : 0);
    block_.close(time);
  }
  block_.sort_from(mark);
}

void RankStream::counters(std::size_t gap) {
  if (thread_ != 0) return;
  const auto& names = context_.trace.counters();
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::int64_t type = names[c] == "PAPI_TOT_INS"   ? kInstructions
                              : names[c] == "PAPI_TOT_CYC" ? kCycles
                                                           : 0;
    if (type != 0) pair(type, static_cast<std::int64_t>(calls_.counter(c, gap)));
  }
}

void RankStream::call(std::size_t i) {
  const Call call = calls_[i];
  const EventTexts& value = event_texts(call.operation);
  state(call.begin_ns, call.end_ns, state_of(call.operation));
  open_event(call.begin_ns);
  block_.text(value.begin);
  const OperationClass c = operation_class(call.operation);
  if (c == OperationClass::collective || c == OperationClass::icollective) collective(call);
  counters(i);
  block_.close(call.begin_ns);
  messages(i, call);
  open_event(call.end_ns);
  block_.text(value.end);
  block_.close(call.end_ns);
  last_end_ = std::max(last_end_, call.end_ns);
}

void RankStream::collective(const Call& call) {
  const Trace& trace = context_.trace;
  const std::uint64_t members =
      call.comm == kCommSelf || call.comm >= trace.communicators().size()
          ? 1
          : std::max<std::size_t>(1, trace.communicators()[call.comm].members.size());
  const bool is_root = has_root(call.operation) && call.peer == rank_;
  const EventSizes sizes = event_sizes(call, members, is_root);
  // Sizes beyond 63 bits make no sense in any trace; the format has signed numbers.
  constexpr std::uint64_t kMost = INT64_MAX;
  pair(kSendSize, static_cast<std::int64_t>(std::min(sizes.sent, kMost)));
  pair(kReceiveSize, static_cast<std::int64_t>(std::min(sizes.received, kMost)));
  const std::int64_t comm = communicator_number(trace, call.comm, rank_);
  // A number that no line lists tells the reader that it is not known.
  pair(kCommunicator, comm == 0 ? INT32_MAX : comm);
  if (is_root) pair(kRootFlag, 1);
}

void RankStream::messages(std::size_t i, const Call& call) {
  const auto& outgoing = context_.outgoing[static_cast<std::size_t>(rank_)];
  // Threads share the list; each looks for its own calls.
  while (next_message_ < outgoing.size() && outgoing[next_message_].send < i) ++next_message_;
  const bool lasts = operation_class(call.operation) != OperationClass::sendrecv;
  for (; next_message_ < outgoing.size() && outgoing[next_message_].send == i; ++next_message_) {
    const Outgoing& message = outgoing[next_message_];
    const RankCalls& other = context_.trace.calls(message.destination);
    const MessagePair& pair = *message.pair;
    block_.open('3');
    block_.repeated(call.begin_ns - context_.zero_ns);
    block_.repeated((lasts ? call.end_ns : call.begin_ns) - context_.zero_ns);
    block_.object(message.destination, other.thread(pair.post));
    const bool blocks = pair.done == pair.post;
    const std::int64_t logical = blocks ? other.begin_ns(pair.post) : other.end_ns(pair.post);
    const std::int64_t physical = pair.done == MessagePair::kNeverCompleted
                                      ? std::max(other.stop_ns(), logical) + 1
                                      : other.end_ns(pair.done);
    block_.number(logical - context_.zero_ns);
    block_.number(physical - context_.zero_ns);
    block_.number(static_cast<std::int64_t>(std::min<std::uint64_t>(pair.bytes, INT64_MAX)));
    block_.number(pair.tag);
    block_.close(call.begin_ns);
  }
}

bool RankStream::present() const {
  return context_.trace.rank_info(rank_).present || !calls_.empty();
}

void RankStream::finish() {
  if (thread_ != 0 || !present()) return;
  gap(calls_.size());
  const std::int64_t stop = std::max(calls_.stop_ns(), last_end_);
  open_event(stop);
  pair(kApplication, 0);
  counters(calls_.size());
  block_.close(stop);
}

}  // namespace slackline::paraver
