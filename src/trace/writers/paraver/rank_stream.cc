#include "trace/writers/paraver/rank_stream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "trace/readers/paraver/collectives.h"
#include "trace/readers/paraver/mpi_values.h"
#include "trace/readers/paraver/thread_states.h"

namespace slackline::paraver {
namespace {

constexpr std::int64_t kOwnValues = 1000;

constexpr std::size_t kLongestNumber = 21;  // with the colon and a sign
// The event of a rooted collective with both counters has nineteen numbers.
constexpr std::size_t kLongestRecord = 32 * kLongestNumber;

// Numbers of Paraver's states.
constexpr int kStateReceive = 3;
constexpr int kStateSend = 4;
constexpr int kStateSynchronization = 5;
constexpr int kStateProbe = 6;
constexpr int kStateWait = 8;
constexpr int kStateImmediateSend = 10;
constexpr int kStateImmediateReceive = 11;
constexpr int kStateIo = 12;
constexpr int kStateCollective = 13;
constexpr int kStateOthers = 15;
constexpr int kStateSendReceive = 16;
constexpr int kStateOneSided = 25;

int state_of(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::recv:
      return kStateReceive;
    case OperationClass::send:
      return kStateSend;
    case OperationClass::probe:
      return kStateProbe;
    case OperationClass::completion:
      return kStateWait;
    case OperationClass::isend:
    case OperationClass::start:
      return kStateImmediateSend;
    case OperationClass::irecv:
      return kStateImmediateReceive;
    case OperationClass::io:
      return kStateIo;
    case OperationClass::collective:
    case OperationClass::icollective:
      return operation == Operation::barrier ? kStateSynchronization : kStateCollective;
    case OperationClass::sendrecv:
      return kStateSendReceive;
    case OperationClass::one_sided:
      return kStateOneSided;
    default:
      return kStateOthers;
  }
}

struct Sizes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

// What the event of a collective tells, such that collective_bytes() gives Call::bytes again.
Sizes sizes_of(const Call& call, std::uint64_t members, bool is_root) {
  const std::uint64_t bytes = call.bytes;
  switch (blocking_form(call.operation)) {
    case Operation::barrier:
      return {};
    case Operation::bcast:
      return is_root ? Sizes{bytes, 0} : Sizes{0, bytes};
    case Operation::reduce:
      return {bytes, is_root ? bytes : 0};
    case Operation::gather:
    case Operation::gatherv:
      return {bytes, is_root ? bytes * members : 0};
    case Operation::scatter:
    case Operation::scatterv:
      return {is_root ? bytes * members : 0, bytes};
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::neighbor_allgather:
    case Operation::alltoall:
      return {bytes, bytes * members};
    case Operation::alltoallv:
    case Operation::alltoallw: {
      const auto half = call.args.size() / 2;
      const auto sum = [](std::span<const std::int64_t> values) {
        return std::accumulate(
            values.begin(), values.end(), std::uint64_t{0},
            [](std::uint64_t s, std::int64_t v) { return s + static_cast<std::uint64_t>(v); });
      };
      if (half > 0) return {sum(call.args.first(half)), sum(call.args.subspan(half))};
      return {bytes, bytes};
    }
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return {bytes * members, bytes};
    default:
      return {bytes, bytes};
  }
}

EventValue value_of(Operation operation) {
  const auto values = mpi_values();
  const auto found = std::ranges::find(values, operation, &MpiValue::operation);
  if (found != values.end()) return {found->type, found->value};
  const OperationClass c = operation_class(operation);
  const std::int64_t own = kOwnValues + static_cast<std::int64_t>(operation);
  if (c == OperationClass::collective || c == OperationClass::icollective)
    return {kCollective, own};
  if (c == OperationClass::one_sided) return {kOneSided, own};
  if (c == OperationClass::io) return {kIo, own};
  return {kOther, own};
}

std::array<EventValue, kOperationCount> all_event_values() {
  std::array<EventValue, kOperationCount> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(static_cast<Operation>(i));
  return values;
}

}  // namespace

std::int64_t communicator_number(const Trace& trace, std::uint32_t comm, std::int32_t rank) {
  if (comm == kCommWorld) return 1;
  const auto own = static_cast<std::int64_t>(trace.communicators().size());
  if (comm == kCommSelf) return own + 1 + rank;
  return comm < trace.communicators().size() ? std::int64_t{comm} : 0;
}

EventValue event_value(Operation operation) {
  static const auto values = all_event_values();
  return values[static_cast<std::size_t>(operation)];
}

RankStream::RankStream(const WriterContext& context, std::int32_t rank, std::uint16_t thread,
                       std::size_t block_bytes)
    : context_(context),
      calls_(context.trace.calls(rank)),
      rank_(rank),
      thread_(thread),
      block_bytes_(block_bytes),
      text_(kLongestRecord, '\0') {
  object(rank, thread);
  prefix_ = text_.substr(0, used_);
  used_ = 0;
  last_end_ = calls_.start_ns();
}

void RankStream::number(std::int64_t value) {
  char* const to = text_.data() + used_;
  *to = ':';
  used_ = static_cast<std::size_t>(std::to_chars(to + 1, to + kLongestNumber, value).ptr -
                                   text_.data());
}

void RankStream::object(std::int32_t rank, std::uint16_t thread) {
  number(std::int64_t{rank} + 1);
  number(1);
  number(std::int64_t{rank} + 1);
  number(std::int64_t{thread} + 1);
}

void RankStream::open(char kind) {
  // Room for the whole record, so that no number has to look.
  if (text_.size() - used_ < kLongestRecord) text_.resize(2 * text_.size() + kLongestRecord);
  text_[used_++] = kind;
  prefix_.copy(text_.data() + used_, prefix_.size());
  used_ += prefix_.size();
}

void RankStream::close(std::int64_t time) {
  text_[used_++] = '\n';
  records_.push_back({time, record_begin_, used_});
  record_begin_ = used_;
}

void RankStream::state(std::int64_t begin, std::int64_t end, int state) {
  if (thread_ != 0 || end <= begin) return;
  open('1');
  number(begin - context_.zero_ns);
  number(end - context_.zero_ns);
  number(state);
  close(begin);
}

void RankStream::open_event(std::int64_t time) {
  open('2');
  number(time - context_.zero_ns);
}

void RankStream::pair(std::int64_t type, std::int64_t value) {
  number(type);
  number(value);
}

bool RankStream::has_record() {
  if (at_ < records_.size()) return true;
  records_.clear();
  used_ = record_begin_ = at_ = 0;
  while (used_ < block_bytes_ && !finished_) refill();
  return !records_.empty();
}

std::string_view RankStream::take(std::int64_t until) {
  const std::size_t begin = records_[at_].begin;
  std::size_t end = begin;
  do {
    end = records_[at_++].end;
  } while (at_ < records_.size() && records_[at_].time < until && records_[at_].begin == end);
  return std::string_view(text_).substr(begin, end - begin);
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
  close(calls_.start_ns());
}

// States, regions and pauses between two calls (i = size(): after the last one).
void RankStream::gap(std::size_t i) {
  if (thread_ != 0) return;
  const std::int64_t until = i < calls_.size() ? calls_.begin_ns(i) : calls_.stop_ns();
  const auto regions = calls_.regions();
  const auto pauses = calls_.pauses();
  std::int64_t now = last_end_;
  const std::size_t first = records_.size();
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
    close(time);
  }
  std::stable_sort(records_.begin() + static_cast<std::ptrdiff_t>(first), records_.end(),
                   [](const Record& a, const Record& b) { return a.time < b.time; });
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
  const EventValue value = event_value(call.operation);
  state(call.begin_ns, call.end_ns, state_of(call.operation));
  open_event(call.begin_ns);
  pair(value.type, value.value);
  const OperationClass c = operation_class(call.operation);
  if (c == OperationClass::collective || c == OperationClass::icollective) collective(call);
  counters(i);
  close(call.begin_ns);
  messages(i, call);
  open_event(call.end_ns);
  pair(value.type, 0);
  close(call.end_ns);
  last_end_ = std::max(last_end_, call.end_ns);
}

void RankStream::collective(const Call& call) {
  const Trace& trace = context_.trace;
  const std::uint64_t members =
      call.comm == kCommSelf || call.comm >= trace.communicators().size()
          ? 1
          : std::max<std::size_t>(1, trace.communicators()[call.comm].members.size());
  const bool is_root = has_root(call.operation) && call.peer == rank_;
  const Sizes sizes = sizes_of(call, members, is_root);
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
    open('3');
    number(call.begin_ns - context_.zero_ns);
    number((lasts ? call.end_ns : call.begin_ns) - context_.zero_ns);
    object(message.destination, other.thread(pair.post));
    const bool blocks = pair.done == pair.post;
    const std::int64_t logical = blocks ? other.begin_ns(pair.post) : other.end_ns(pair.post);
    const std::int64_t physical = pair.done == MessagePair::kNeverCompleted
                                      ? std::max(other.stop_ns(), logical) + 1
                                      : other.end_ns(pair.done);
    number(logical - context_.zero_ns);
    number(physical - context_.zero_ns);
    number(static_cast<std::int64_t>(std::min<std::uint64_t>(pair.bytes, INT64_MAX)));
    number(pair.tag);
    close(call.begin_ns);
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
  close(stop);
}

}  // namespace slackline::paraver
