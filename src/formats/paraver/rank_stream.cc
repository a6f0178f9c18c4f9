#include "formats/paraver/rank_stream.h"

#include <algorithm>

#include "formats/paraver/event_values.h"
#include "formats/paraver/mpi_values.h"
#include "formats/paraver/names.h"
#include "formats/paraver/thread_states.h"

namespace slackline::paraver {
namespace {

constexpr std::size_t kPairRoom = 2 * (1 + kNumberRoom);

char* put_pair(char* to, std::int64_t type, std::int64_t value) {
  return put_field(put_field(to, type), value);
}

// Passes over a step as RankStream::step() does; returns the latest time its records may have.
std::int64_t pass_step(const RankCalls& calls, std::uint16_t thread, StreamPosition& at) {
  const std::uint64_t step = at.step++;
  if (step == 0) return calls.start_ns();
  const std::size_t i = step - 1;
  const bool is_call = i < calls.size();
  if (is_call && calls.thread(i) != thread) return INT64_MIN;
  std::int64_t latest = std::max(at.last_end, is_call ? calls.begin_ns(i) : calls.stop_ns());
  if (is_call) {
    at.last_end = std::max(at.last_end, calls.end_ns(i));
    latest = std::max(latest, at.last_end);
  }
  if (thread != 0) return latest;
  const auto pauses = calls.pauses();
  for (; at.next_pause < pauses.size() && pauses[at.next_pause].before_call <= i; ++at.next_pause) {
    const Pause& pause = pauses[at.next_pause];
    latest = std::max({latest, pause.begin_ns, pause.end_ns});
  }
  const auto regions = calls.regions();
  while (at.next_region < regions.size() && regions[at.next_region].before_call <= i)
    ++at.next_region;
  return latest;
}

}  // namespace

std::vector<StreamPosition> stream_positions(const RankCalls& calls, std::uint16_t thread,
                                             std::span<const RecordPlace> places) {
  std::vector<StreamPosition> positions;
  StreamPosition at{.last_end = calls.start_ns()};
  while (positions.size() < places.size() && at.step < calls.size() + 2) {
    const StreamPosition before = at;
    const std::int64_t latest = pass_step(calls, thread, at);
    while (positions.size() < places.size() && places[positions.size()].time <= latest)
      positions.push_back(before);
  }
  positions.resize(places.size(), at);
  return positions;
}

namespace {

std::span<const MessageCalls> messages_of(const CallMatching& matching, std::int32_t rank) {
  const std::uint32_t first = matching.first_message(rank);
  return std::span(matching.messages()).subspan(first, matching.first_message(rank + 1) - first);
}

}  // namespace

RankStream::RankStream(const WriterContext& context, StreamThread which, const StreamPosition& from,
                       RecordBlock& block)
    : context_(context),
      calls_(context.trace.calls(which.rank)),
      rank_(which.rank),
      thread_(which.thread),
      at_(from),
      block_(block),
      messages_(messages_of(context.matching, which.rank)) {
  const std::size_t next_call = from.step == 0 ? 0 : from.step - 1;
  messages_ = {std::ranges::lower_bound(messages_, next_call, {}, &MessageCalls::send),
               messages_.end()};
}

void RankStream::make() {
  const std::uint64_t last = calls_.size() + 1;
  bool more = true;
  for (; more && at_.step <= last; ++at_.step) {
    step();
    more = block_.end_step(at_.step);
  }
}

void RankStream::step() {
  if (at_.step == 0) return begin();
  const std::size_t i = at_.step - 1;
  if (i == calls_.size()) return finish();
  if (calls_.thread(i) != thread_) return;
  gap(i);
  call(i);
}

void RankStream::state(std::int64_t begin, std::int64_t end, std::int64_t state) {
  if (thread_ != 0 || end <= begin) return;
  char* to = block_.open('1');
  to = put_field(to, begin - context_.zero_ns);
  to = put_field(to, end - context_.zero_ns);
  block_.close(put_field(to, state), begin);
}

char* RankStream::open_event(std::int64_t time, std::size_t more_pairs) {
  const std::size_t pairs = context_.trace.counters().size() + more_pairs;
  return put_field(block_.open('2', kPairRoom * pairs), time - context_.zero_ns);
}

void RankStream::begin() {
  if (thread_ != 0 || !present()) return;
  state(context_.zero_ns, calls_.start_ns(), kNotCreated);
  char* const to = open_event(calls_.start_ns());
  block_.close(put_pair(to, kApplication, 1), calls_.start_ns());
}

// States, regions and pauses between two calls (i = size(): after the last one).
void RankStream::gap(std::size_t i) {
  if (thread_ != 0) return;
  const std::int64_t until = i < calls_.size() ? calls_.begin_ns(i) : calls_.stop_ns();
  const auto regions = calls_.regions();
  const auto pauses = calls_.pauses();
  std::int64_t now = at_.last_end;
  const std::size_t mark = block_.mark();
  for (; at_.next_pause < pauses.size() && pauses[at_.next_pause].before_call <= i;
       ++at_.next_pause) {
    const Pause& pause = pauses[at_.next_pause];
    state(now, pause.begin_ns, kRunning);
    state(std::max(now, pause.begin_ns), pause.end_ns, state_of(pause.kind));
    now = std::max(now, pause.end_ns);
  }
  state(now, until, kRunning);
  for (; at_.next_region < regions.size() && regions[at_.next_region].before_call <= i;
       ++at_.next_region) {
    const RegionEvent& event = regions[at_.next_region];
    const std::int64_t time = std::clamp(event.time_ns, std::min(at_.last_end, until), until);
    if (!block_.may_keep(time)) continue;
    block_.close(
        put_pair(open_event(time), kUserFunction, event.enter ? std::int64_t{event.region} + 1 : 0),
        time);
  }
  block_.sort_from(mark);
}

char* RankStream::counters(char* to, std::size_t gap) const {
  if (thread_ != 0) return to;
  const auto& names = context_.trace.counters();
  for (std::size_t c = 0; c < names.size(); ++c) {
    to = put_pair(to, counter_type(names[c], c), static_cast<std::int64_t>(calls_.counter(c, gap)));
  }
  return to;
}

void RankStream::call(std::size_t i) {
  const Call call = calls_[i];
  const EventTexts& value = event_texts(call.operation);
  state(call.begin_ns, call.end_ns, state_of(call.operation));
  const OperationClass c = operation_class(call.operation);
  const bool collective_call = c == OperationClass::collective || c == OperationClass::icollective;
  const std::size_t own_pairs = collective_call ? 2 + call.args.size() : 0;
  char* to = value.begin.put(open_event(call.begin_ns, own_pairs));
  if (collective_call) to = collective(to, call);
  block_.close(counters(to, i), call.begin_ns);
  messages(i, call);
  block_.close(value.end.put(open_event(call.end_ns)), call.end_ns);
  at_.last_end = std::max(at_.last_end, call.end_ns);
}

char* RankStream::collective(char* to, const Call& call) const {
  const Trace& trace = context_.trace;
  const std::uint64_t members =
      call.comm == kCommSelf || call.comm >= trace.communicators().size()
          ? 1
          : std::max<std::size_t>(1, trace.communicators()[call.comm].members.size());
  const bool is_root = has_root(call.operation) && call.peer == rank_;
  const EventSizes sizes = event_sizes(call, members, is_root);
  // Sizes beyond 63 bits make no sense in any trace; the format has signed numbers.
  constexpr std::uint64_t kMost = INT64_MAX;
  to = put_pair(to, kSendSize, static_cast<std::int64_t>(std::min(sizes.sent, kMost)));
  to = put_pair(to, kReceiveSize, static_cast<std::int64_t>(std::min(sizes.received, kMost)));
  const std::int64_t comm = communicator_number(trace, call.comm, rank_);
  // A number that no line lists tells the reader that it is not known.
  to = put_pair(to, kCommunicator, comm == 0 ? INT32_MAX : comm);
  if (is_root) to = put_pair(to, kRootFlag, 1);
  if (call.tag > 0) to = put_pair(to, kElementSize, call.tag);
  for (const std::int64_t contribution : call.args) {
    to = put_pair(to, kContribution, std::max(contribution, -INT64_MAX));
  }
  const bool given = collective_bytes(call.operation, sizes.sent, sizes.received, members) ==
                     std::min(call.bytes, kMost);
  return given ? to : put_pair(to, kBytes, static_cast<std::int64_t>(std::min(call.bytes, kMost)));
}

void RankStream::messages(std::size_t i, const Call& call) {
  // Threads share the list; each looks for its own calls.
  while (!messages_.empty() && messages_.front().send < i) messages_ = messages_.subspan(1);
  if (messages_.empty() || messages_.front().send != i) return;
  for_each_send(call, [&](const PostedMessage& sent) {
    if (sent.peer < 0 || sent.peer >= context_.trace.ranks()) return;
    if (messages_.front().matched()) message(messages_.front(), sent.tag, call);
    messages_ = messages_.subspan(1);
  });
}

void RankStream::message(const MessageCalls& message, std::int32_t tag, const Call& call) {
  const bool lasts = operation_class(call.operation) != OperationClass::sendrecv;
  const RankCalls& other = context_.trace.calls(message.destination);
  const bool blocks = message.receive_done == message.receive;
  const std::int64_t logical =
      blocks ? other.begin_ns(message.receive) : other.end_ns(message.receive);
  const std::int64_t physical = message.receive_done == kNoCall
                                    ? std::max(other.stop_ns(), logical) + 1
                                    : other.end_ns(message.receive_done);
  char* to = block_.open('3');
  to = put_field(to, call.begin_ns - context_.zero_ns);
  to = put_field(to, (lasts ? call.end_ns : call.begin_ns) - context_.zero_ns);
  to = put_object(to, message.destination, other.thread(message.receive));
  to = put_field(to, logical - context_.zero_ns);
  to = put_field(to, physical - context_.zero_ns);
  to = put_field(to, std::min<std::uint64_t>(message.bytes, INT64_MAX));
  block_.close(put_field(to, tag), call.begin_ns);
}

bool RankStream::present() const {
  return context_.trace.rank_info(rank_).present || !calls_.empty();
}

void RankStream::finish() {
  if (thread_ != 0 || !present()) return;
  gap(calls_.size());
  const std::int64_t stop = std::max(calls_.stop_ns(), at_.last_end);
  block_.close(counters(put_pair(open_event(stop), kApplication, 0), calls_.size()), stop);
}

}  // namespace slackline::paraver
