#include "sim/engine/matching.h"

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

TransferId Matching::post_send(const Channel& channel, std::int32_t sender, std::uint64_t bytes) {
  const TransferId id = queues_.post_send(channel);
  queues_[id].sender = sender;
  queues_[id].bytes = bytes;
  return id;
}

TransferId Matching::post_receive(const Channel& channel) {
  const TransferId id = queues_.post_receive(channel);
  if (!queues_[id].send_posted) queues_[id].sender = channel.source;
  return id;
}

bool Matching::can_probe(const Channel& channel) const {
  bool found = peek(channel) != kNone;
  queues_.for_each_queue([&](TransferId id) {
    const Transfer& first = queues_[id];
    const Channel& c = first.channel;
    const bool between = c.source == channel.source && c.destination == channel.destination;
    if (!between || c.comm != channel.comm) return;
    found = found || (first.send_posted && (!in_collective(c) || is_report(first)));
  });
  return found;
}

}  // namespace slackline::sim
