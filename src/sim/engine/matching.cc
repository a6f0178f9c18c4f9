#include "sim/engine/matching.h"

#include <utility>

namespace slackline::sim {
namespace {

// The tags of collectives lie below all that MPI allows.
constexpr std::int64_t kCollectiveTags = -1'000'000'000'000;
constexpr auto kOperations = static_cast<std::int64_t>(kOperationCount);

/// A report of a rank's arrival to the root of a collective by order of arrival.
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
  const TransferId id = transfers_.acquire();
  transfers_[id].channel = channel;
  transfers_[id].sender = channel.source;
  transfers_[id].references = 2;
  return id;
}

/// The first of the channel's queue; kNone when the queue is empty.
TransferId Matching::first_of(const Channel& channel, std::uint64_t hash) const {
  return queues_.find(hash, [&](TransferId id) { return transfers_[id].channel == channel; });
}

void Matching::push(TransferId first, TransferId id, std::uint64_t hash) {
  if (first == kNone) {
    transfers_[id].last = id;
    return queues_.insert(hash, id, hash_of());
  }
  transfers_[transfers_[first].last].next = id;
  transfers_[first].last = id;
}

void Matching::pop(TransferId first, std::uint64_t hash) {
  const TransferId next = std::exchange(transfers_[first].next, kNone);
  if (next == kNone) return queues_.erase(hash, first, hash_of());
  transfers_[next].last = transfers_[first].last;
  queues_.replace(hash, first, next);
}

/// The first of the channel's queue if it is of the other side; else a new one, which queues.
TransferId Matching::meet(const Channel& channel, bool Transfer::*other_side) {
  const std::uint64_t key = hash(channel);
  const TransferId first = first_of(channel, key);
  if (first != kNone && transfers_[first].*other_side) {
    pop(first, key);
    return first;
  }
  const TransferId id = create(channel);
  push(first, id, key);
  return id;
}

TransferId Matching::post_send(const Channel& channel, std::int32_t sender, std::uint64_t bytes) {
  const TransferId id = meet(channel, &Transfer::posted);
  transfers_[id].sent = true;
  transfers_[id].sender = sender;
  transfers_[id].bytes = bytes;
  return id;
}

TransferId Matching::post_receive(const Channel& channel) {
  const TransferId id = meet(channel, &Transfer::sent);
  transfers_[id].posted = true;
  return id;
}

TransferId Matching::peek(const Channel& channel) const {
  const TransferId first = first_of(channel, hash(channel));
  return first != kNone && transfers_[first].sent ? first : kNone;
}

bool Matching::can_probe(const Channel& channel) const {
  bool found = peek(channel) != kNone;
  queues_.for_each([&](TransferId id) {
    const Transfer& first = transfers_[id];
    const Channel& c = first.channel;
    const bool between = c.source == channel.source && c.destination == channel.destination;
    if (!between || c.comm != channel.comm) return;
    found = found || (first.sent && (!in_collective(c) || is_report(first)));
  });
  return found;
}

bool Matching::expects(const Channel& channel) const {
  const TransferId first = first_of(channel, hash(channel));
  return first != kNone && transfers_[first].posted && !transfers_[first].sent;
}

void Matching::drop(TransferId id) {
  if (--transfers_[id].references == 0) transfers_.release(id);
}

}  // namespace slackline::sim
