// Matching, and what the protocols add to the graph.
//
// Notation as in LogGPS: ts and tr are the times at which send and receive were posted; a send's
// hand-over vertex `sent` lies at ts + o. An eager message is one edge, sent -> completion of the
// receive, costing L + (s-1)G + o. A rendezvous needs both sides before data moves, so its vertices
// are made when the second side is posted:
//
//   handshake  m = max(sent + L, tr) + o     on the receiver    request arrives, answer leaves
//              d = m + L + o                 on the sender      answer arrives, data leaves
//              sender completes at d + (s-1)G, receiver at d + L + (s-1)G + o
//   rdma_read  m as above; q = m + L at the sender's network card; r = q + L + (s-1)G + o on the
//   receiver,
//              which completes it; the sender completes at r + L + o
//   sync       r = max(sent + L + (s-1)G, tr) + o completes both
//   loggopsim  the receiver completes as if eager; m = max(sent + L, tr) completes the sender
//
// Every crossing of the network is an edge of its own, from a vertex of one rank to a vertex of the
// other, so that costs may depend on the pair of ranks. Source: LogGPS (Ino et al. 2001), LLAMP
// appendix B.

#include "graph/transfers.h"

#include "base/error.h"

namespace slackline {

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
  if (!t.rendezvous) {
    t.receive_after = t.sent;
  } else {
    switch (options_.rendezvous) {
      case Rendezvous::handshake:
        hand_over_by_handshake(t);
        break;
      case Rendezvous::rdma_read:
        hand_over_by_rdma_read(t);
        break;
      case Rendezvous::sync:
        hand_over_by_sync(t);
        break;
      case Rendezvous::loggopsim:
        hand_over_by_loggopsim(t);
        break;
    }
  }
  wake(t.receiver_waiting);
  wake(t.sender_waiting);
}

namespace {

Edge crossing(const Transfer& t, VertexId from, EdgeKind kind, std::uint8_t overheads,
              std::uint64_t bytes) {
  return Edge{.from = from,
              .kind = kind,
              .latencies = static_cast<std::uint8_t>(t.local ? 0 : 1),
              .overheads = overheads,
              .nanoseconds = 0,
              .bytes = t.local ? 0 : bytes};
}

Edge hand_over(VertexId from, std::uint64_t bytes) {
  return Edge{.from = from,
              .kind = EdgeKind::protocol,
              .latencies = 0,
              .overheads = 0,
              .nanoseconds = 0,
              .bytes = bytes};
}

Edge posting(const PathPoint& posted, std::uint8_t overheads) {
  return Edge{.from = posted.tail,
              .kind = EdgeKind::order,
              .latencies = 0,
              .overheads = overheads,
              .nanoseconds = posted.gap_ns,
              .bytes = 0};
}

}  // namespace

VertexId TransferTable::request_arrival(const Transfer& t, std::uint8_t overheads) {
  const VertexId m = builder_.vertex(t.posted.global_call);
  builder_.edge(crossing(t, t.sent, EdgeKind::protocol, overheads, 0));
  builder_.edge(posting(t.posted, overheads));
  return m;
}

void TransferTable::hand_over_by_handshake(Transfer& t) {
  const VertexId m = request_arrival(t, 1);
  const VertexId d = builder_.vertex(t.send_call);
  builder_.edge(crossing(t, m, EdgeKind::protocol, 1, 0));
  t.receive_after = d;
  t.send_after = d;
}

void TransferTable::hand_over_by_rdma_read(Transfer& t) {
  const VertexId m = request_arrival(t, 1);
  const VertexId q = builder_.vertex(t.send_call);
  builder_.edge(crossing(t, m, EdgeKind::protocol, 0, 0));
  const VertexId r = builder_.vertex(t.posted.global_call);
  builder_.edge(crossing(t, q, EdgeKind::message, 1, t.bytes));
  t.receive_after = r;
  t.send_after = r;
  t.receive_hands_over = true;
}

void TransferTable::hand_over_by_sync(Transfer& t) {
  const VertexId r = builder_.vertex(t.posted.global_call);
  builder_.edge(crossing(t, t.sent, EdgeKind::message, 1, t.bytes));
  builder_.edge(posting(t.posted, 1));
  t.receive_after = r;
  t.send_after = r;
  t.receive_hands_over = true;
}

void TransferTable::hand_over_by_loggopsim(Transfer& t) {
  t.send_after = request_arrival(t, 0);
  t.receive_after = t.sent;
}

Edge TransferTable::receive_edge(TransferId id) const {
  const Transfer& t = transfers_[id];
  if (t.receive_hands_over) return hand_over(t.receive_after, 0);
  return crossing(t, t.receive_after, EdgeKind::message, 1, t.bytes);
}

Edge TransferTable::send_edge(TransferId id) const {
  const Transfer& t = transfers_[id];
  switch (options_.rendezvous) {
    case Rendezvous::handshake:
      return hand_over(t.send_after, t.local ? 0 : t.bytes);
    case Rendezvous::rdma_read:
      return crossing(t, t.send_after, EdgeKind::protocol, 1, 0);
    case Rendezvous::sync:
    case Rendezvous::loggopsim:
      return hand_over(t.send_after, 0);
  }
  return hand_over(t.send_after, 0);
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
