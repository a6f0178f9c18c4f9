#include "graph/message_table.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"

namespace slackline {

std::string describe_tag(const MessageChannel& channel) {
  if (channel.tag > collective_tag(0)) return fmt::format("tag {}", channel.tag);
  if (channel.tag <= one_sided_tag(0)) return "one-sided communication";
  if (channel.tag <= object_tag(0)) {
    return fmt::format("a window or file of communicator {}", channel.comm);
  }
  return fmt::format("collective {} on communicator {}", collective_tag(0) - channel.tag + 1,
                     channel.comm);
}

void MessageTable::wake(ContextId& waiting) {
  if (waiting == kNone) return;
  woken_.push_back(waiting);
  waiting = kNone;
}

void MessageTable::wake_arrival_waiter(const MessageChannel& channel) {
  if (std::optional<ContextId> waiting = arrival_waiters_.take(channel)) wake(*waiting);
}

MessageId MessageTable::post_send(const MessageChannel& channel, VertexId sent, std::uint32_t call,
                                  std::uint64_t bytes, bool synchronous, bool buffered) {
  const MessageId id = queues_.post_send(channel);
  MessageState& t = queues_[id];
  t.sent = sent;
  t.send_call = call;
  t.size = bytes;
  t.bytes = log_ == nullptr ? options_.transfer.bytes(bytes) : bytes;
  t.local = channel.source == channel.destination;
  t.synchronous = synchronous;
  t.rendezvous = waits(bytes, synchronous, buffered);
  if (log_ != nullptr) log_send(t);
  if (t.receive_posted) {
    matched(id);
  } else if (arrival_waiters_.size() > 0) {
    wake_arrival_waiter(channel);
  }
  return id;
}

MessageId MessageTable::post_receive(const MessageChannel& channel, const PathPoint& posted) {
  const MessageId id = queues_.post_receive(channel);
  queues_[id].posted = posted;
  if (queues_[id].send_posted) matched(id);
  return id;
}

void MessageTable::log_send(MessageState& t) {
  t.log_index = static_cast<std::uint32_t>(log_->size());
  log_->push_back({.sent = t.sent,
                   .bytes = t.bytes,
                   .destination = t.channel.destination,
                   .own_protocol = t.rendezvous != (t.bytes > options_.eager_threshold_bytes)});
}

void MessageTable::hand_over(MessageState& t) {
  if (log_ == nullptr) return slackline::hand_over(t, options_.rendezvous, builder_);
  t.receive_after = t.sent;
  t.send_after = t.sent;
  (*log_)[t.log_index].posted = t.posted;
}

void MessageTable::matched(MessageId id) {
  MessageState& t = queues_[id];
  builder_.count_message();
  hand_over(t);
  wake(t.receiver_waiting);
  wake(t.sender_waiting);
}

void MessageTable::release_receive(MessageId id) {
  MessageState& t = queues_[id];
  t.receive_released = true;
  queues_.remove(id);  // messages that come later belong to later receives
  drop(id);            // the send side will never come
  wake(t.receiver_waiting);
}

void MessageTable::release_send(MessageId id) {
  queues_[id].send_released = true;
  wake(queues_[id].sender_waiting);
}

void MessageTable::drop(MessageId id) {
  expects(queues_[id].references > 0, "a message is dropped once per side");
  queues_.drop(id);
}

}  // namespace slackline
