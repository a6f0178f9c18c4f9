#include "graph/transfers.h"

#include <fmt/format.h>

#include "base/error.h"

namespace slackline {

std::string describe_tag(const ChannelKey& key) {
  if (key.tag > collective_tag(0)) return fmt::format("tag {}", key.tag);
  return fmt::format("collective {} on communicator {}", collective_tag(0) - key.tag + 1, key.comm);
}

TransferId TransferTable::create(const ChannelKey& key) {
  TransferId id = 0;
  if (free_.empty()) {
    id = static_cast<TransferId>(transfers_.size());
    transfers_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    transfers_[id] = Transfer{};
  }
  transfers_[id].key = key;
  transfers_[id].local = key.source == key.destination;
  transfers_[id].references = 2;
  return id;
}

void TransferTable::push(Channel& channel, TransferId id) {
  if (channel.head == kNone) {
    channel.head = id;
  } else {
    transfers_[channel.tail].next = id;
  }
  channel.tail = id;
}

TransferId TransferTable::pop(const ChannelKey& key, Channel& channel) {
  const TransferId id = channel.head;
  channel.head = transfers_[id].next;
  transfers_[id].next = kNone;
  if (channel.head == kNone && channel.arrival_waiter == kNone) channels_.erase(key);
  return id;
}

void TransferTable::wake(StrandId& waiting) {
  if (waiting == kNone) return;
  woken_.push_back(waiting);
  waiting = kNone;
}

TransferId TransferTable::post_send(const ChannelKey& key, VertexId sent, std::uint32_t call,
                                    std::uint64_t bytes, bool synchronous, bool buffered) {
  Channel& channel = channels_[key];
  const bool meets = channel.head != kNone && transfers_[channel.head].has_receive;
  const TransferId id = meets ? pop(key, channel) : create(key);
  Transfer& t = transfers_[id];
  t.has_send = true;
  t.sent = sent;
  t.send_call = call;
  t.bytes = bytes;
  t.rendezvous = !buffered && (synchronous || bytes > options_.eager_threshold_bytes);
  if (meets) {
    matched(id);
  } else {
    push(channel, id);
    wake(channel.arrival_waiter);
  }
  return id;
}

TransferId TransferTable::post_receive(const ChannelKey& key, const PathPoint& posted) {
  Channel& channel = channels_[key];
  const bool meets = channel.head != kNone && transfers_[channel.head].has_send;
  const TransferId id = meets ? pop(key, channel) : create(key);
  Transfer& t = transfers_[id];
  t.has_receive = true;
  t.posted = posted;
  if (meets) {
    matched(id);
  } else {
    push(channel, id);
  }
  return id;
}

TransferId TransferTable::peek_send(const ChannelKey& key) {
  const Channel* channel = channels_.find(key);
  if (channel == nullptr || channel->head == kNone) return kNone;
  return transfers_[channel->head].has_send ? channel->head : kNone;
}

void TransferTable::wait_for_arrival(const ChannelKey& key, StrandId strand) {
  channels_[key].arrival_waiter = strand;
}

void TransferTable::matched(TransferId id) {
  Transfer& t = transfers_[id];
  builder_.count_message();
  hand_over(t, options_.rendezvous, builder_);
  wake(t.receiver_waiting);
  wake(t.sender_waiting);
}

void TransferTable::release_receive(TransferId id) {
  Transfer& t = transfers_[id];
  t.receive_released = true;
  // Take it out of its queue: messages that come later belong to later receives.
  if (Channel* channel = channels_.find(t.key); channel != nullptr) {
    TransferId previous = kNone;
    for (TransferId at = channel->head; at != kNone; previous = at, at = transfers_[at].next) {
      if (at != id) continue;
      (previous == kNone ? channel->head : transfers_[previous].next) = t.next;
      if (channel->tail == id) channel->tail = previous;
      if (channel->head == kNone && channel->arrival_waiter == kNone) channels_.erase(t.key);
      break;
    }
  }
  drop(id);  // the send side will never come
  wake(t.receiver_waiting);
}

void TransferTable::release_send(TransferId id) {
  transfers_[id].send_released = true;
  wake(transfers_[id].sender_waiting);
}

void TransferTable::drop(TransferId id) {
  expects(transfers_[id].references > 0, "a transfer is dropped once per side");
  if (--transfers_[id].references == 0) free_.push_back(id);
}

}  // namespace slackline
