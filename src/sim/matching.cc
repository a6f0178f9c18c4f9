#include "sim/matching.h"

namespace slackline::sim {
namespace {

// Collectives' tags lie below all that MPI allows.
constexpr std::int64_t kCollectiveTags = -1'000'000'000'000;
constexpr auto kOperations = static_cast<std::int64_t>(kOperationCount);

bool is_report(const Transfer& t) {
  const Operation operation = operation_of(t.channel);
  return t.bytes == 1 && (operation == Operation::bcast || operation == Operation::reduce);
}

}  // namespace

std::int64_t collective_tag(Operation operation, std::uint32_t sequence) {
  const std::int64_t call = operation == Operation::bcast ? 0 : sequence;
  return kCollectiveTags - (call * kOperations + static_cast<std::int64_t>(operation));
}

bool in_collective(const Channel& channel) {
  return channel.tag <= kCollectiveTags;
}

Operation operation_of(const Channel& channel) {
  if (!in_collective(channel)) return Operation::send;
  return static_cast<Operation>((kCollectiveTags - channel.tag) % kOperations);
}

TransferId Matching::create(const Channel& channel) {
  TransferId id = static_cast<TransferId>(transfers_.size());
  if (free_.empty()) {
    transfers_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    transfers_[id] = Transfer{};
  }
  transfers_[id].channel = channel;
  transfers_[id].references = 2;
  return id;
}

void Matching::push(Queue& queue, TransferId id) {
  if (queue.head == kNone) {
    queue.head = id;
  } else {
    transfers_[queue.tail].next = id;
  }
  queue.tail = id;
}

TransferId Matching::pop(const Channel& channel, Queue& queue) {
  const TransferId id = queue.head;
  queue.head = transfers_[id].next;
  transfers_[id].next = kNone;
  if (queue.head == kNone) queues_.erase(channel);
  return id;
}

TransferId Matching::post_send(const Channel& channel, std::int32_t sender, std::uint64_t bytes) {
  Queue& queue = queues_[channel];
  const bool waiting = queue.head != kNone && transfers_[queue.head].posted;
  const TransferId id = waiting ? pop(channel, queue) : create(channel);
  if (!waiting) push(queue, id);
  transfers_[id].sent = true;
  transfers_[id].channel.source = sender;
  transfers_[id].bytes = bytes;
  return id;
}

TransferId Matching::post_receive(const Channel& channel) {
  Queue& queue = queues_[channel];
  const bool waiting = queue.head != kNone && transfers_[queue.head].sent;
  const TransferId id = waiting ? pop(channel, queue) : create(channel);
  if (!waiting) push(queue, id);
  transfers_[id].posted = true;
  return id;
}

TransferId Matching::peek(const Channel& channel) {
  const Queue* queue = queues_.find(channel);
  return queue != nullptr && transfers_[queue->head].sent ? queue->head : kNone;
}

bool Matching::can_probe(const Channel& channel) {
  bool found = peek(channel) != kNone;
  queues_.for_each([&](const Channel& c, const Queue& queue) {
    const bool between = c.source == channel.source && c.destination == channel.destination;
    if (!between || c.comm != channel.comm) return;
    const Transfer& first = transfers_[queue.head];
    found = found || (first.sent && (!in_collective(c) || is_report(first)));
  });
  return found;
}

bool Matching::expects(const Channel& channel) {
  const Queue* queue = queues_.find(channel);
  return queue != nullptr && transfers_[queue->head].posted && !transfers_[queue->head].sent;
}

void Matching::drop(TransferId id) {
  if (--transfers_[id].references == 0) free_.push_back(id);
}

}  // namespace slackline::sim
