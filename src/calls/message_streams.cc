#include "calls/message_streams.h"

#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

constexpr std::uint32_t kMostMessages = std::uint32_t{1} << 30;  // as CallMatching numbers them

}  // namespace

MessageStreams::MessageStreams(const Trace& trace)
    : trace_(trace),
      streams_(static_cast<std::size_t>(trace.ranks())),
      first_(streams_.size() + 1, 0) {
  std::vector<std::uint32_t> counts(streams_.size());
  parallel_for(counts.size(),
               [&](std::size_t r) { counts[r] = count_sends(static_cast<std::int32_t>(r)); });
  std::uint64_t all = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    all += counts[r];
    expects(all < kMostMessages, "messages can be numbered");
    first_[r + 1] = static_cast<std::uint32_t>(all);
  }
  messages_.resize(all);
  next_.resize(all);
  parallel_for(counts.size(), [this](std::size_t r) { queue_sends(static_cast<std::int32_t>(r)); });
}

std::uint32_t MessageStreams::count_sends(std::int32_t rank) const {
  const RankCalls& calls = trace_.calls(rank);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!may_send(operation_class(calls.operation(i)))) continue;
    for_each_sent(calls[i], [&count](const Posted&) { ++count; });
  }
  return count;
}

void MessageStreams::queue_sends(std::int32_t rank) {
  const RankCalls& calls = trace_.calls(rank);
  Streams& streams = streams_[static_cast<std::size_t>(rank)];
  std::uint32_t id = first_of(rank);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!may_send(operation_class(calls.operation(i)))) continue;
    for_each_sent(calls[i], [&](const Posted& p) {
      MessageCalls& m = messages_[id];
      m.source = rank;
      m.destination = p.peer;
      m.send = static_cast<CallIndex>(i);
      m.bytes = p.bytes & ((std::uint64_t{1} << 61) - 1);
      m.synchronous = is_synchronous(p.mode) ? 1 : 0;
      m.buffered = is_buffered(p.mode) ? 1 : 0;
      next_[id] = kNone;
      Queue& queue = streams[{p.peer, p.tag, p.comm}];
      (queue.head == kNone ? queue.head : next_[queue.tail]) = id;
      queue.tail = id++;
    });
  }
}

std::uint32_t MessageStreams::take(std::int32_t source, std::int32_t destination, std::int32_t tag,
                                   std::uint32_t comm) {
  if (!exists(source)) return kNone;
  Queue* queue = streams_[static_cast<std::size_t>(source)].find({destination, tag, comm});
  if (queue == nullptr || queue->head == kNone) return kNone;
  const std::uint32_t id = queue->head;
  queue->head = next_[id];
  if (queue->head != kNone) {
    // The stream's next message lies far from this one, and is wanted after a while.
    __builtin_prefetch(&next_[queue->head]);
    __builtin_prefetch(&messages_[queue->head], 1);
  }
  return id;
}

}  // namespace slackline
