#include "diagnosis/message_streams.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "diagnosis/posted_messages.h"

namespace slackline {
namespace {

constexpr std::uint32_t kMostMessages = std::uint32_t{1} << 30;  // as CallMatching numbers them

}  // namespace

MessageStreams::MessageStreams(const Trace& trace)
    : trace_(trace), sources_(static_cast<std::size_t>(trace.ranks())) {
  parallel_for(sources_.size(),
               [this](std::size_t r) { queue_sends(static_cast<std::int32_t>(r)); });
  std::uint64_t all = 0;
  for (const Source& source : sources_) {
    first_.push_back(static_cast<std::uint32_t>(all));
    all += source.messages.size();
    expects(all < kMostMessages, "messages can be numbered");
  }
  first_.push_back(static_cast<std::uint32_t>(all));
  messages_.resize(all);
  requests_.resize(all);
  parallel_for(sources_.size(), [this](std::size_t r) {
    Source& source = sources_[r];
    std::ranges::copy(source.messages, messages_.begin() + first_[r]);
    std::ranges::copy(source.requests, requests_.begin() + first_[r]);
    source.messages = {};
    source.requests = {};
  });
}

void MessageStreams::queue_sends(std::int32_t rank) {
  const RankCalls& calls = trace_.calls(rank);
  Source& source = sources_[static_cast<std::size_t>(rank)];
  std::size_t most = 0;  // but for calls that start several
  for (std::size_t i = 0; i < calls.size(); ++i) {
    most += may_send(operation_class(calls.operation(i))) ? 1 : 0;
  }
  source.messages.reserve(most);
  source.requests.reserve(most);
  source.next.reserve(most);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!may_send(operation_class(calls.operation(i)))) continue;
    for_each_send(calls[i], [&](const Posted& p) {
      if (!exists(p.peer)) return;
      MessageCalls m;
      m.source = rank;
      m.destination = p.peer;
      m.send = static_cast<CallIndex>(i);
      m.bytes = p.bytes & ((std::uint64_t{1} << 61) - 1);
      m.synchronous = is_synchronous(p.mode) ? 1 : 0;
      m.buffered = is_buffered(p.mode) ? 1 : 0;
      const auto id = static_cast<std::uint32_t>(source.messages.size());
      source.messages.push_back(m);
      source.requests.push_back(p.request);
      source.next.push_back(kNone);
      Queue& queue = source.streams[{p.peer, p.tag, p.comm}];
      (queue.head == kNone ? queue.head : source.next[queue.tail]) = id;
      queue.tail = id;
    });
  }
}

std::uint32_t MessageStreams::take(std::int32_t source, std::int32_t destination, std::int32_t tag,
                                   std::uint32_t comm) {
  if (!exists(source)) return kNone;
  Source& from = sources_[static_cast<std::size_t>(source)];
  Queue* queue = from.streams.find({destination, tag, comm});
  if (queue == nullptr || queue->head == kNone) return kNone;
  const std::uint32_t id = queue->head;
  queue->head = from.next[id];
  if (queue->head != kNone) {
    // The stream's next message lies far from this one, and is wanted after a while.
    __builtin_prefetch(&from.next[queue->head]);
    __builtin_prefetch(&messages_[first_of(source) + queue->head], 1);
  }
  return first_of(source) + id;
}

}  // namespace slackline
