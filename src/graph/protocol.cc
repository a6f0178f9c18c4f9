// What the protocols add to the graph.
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

#include "graph/protocol.h"

namespace slackline {
namespace {

Edge crossing(const Message& t, VertexId from, EdgeKind kind, std::uint8_t overheads,
              std::uint64_t bytes) {
  return Edge{.from = from,
              .kind = kind,
              .latencies = static_cast<std::uint8_t>(t.local ? 0 : 1),
              .overheads = overheads,
              .nanoseconds = 0,
              .bytes = t.local ? 0 : bytes};
}

/// Where the request of `t` has arrived and its receive is posted.
VertexId request_arrival(const Message& t, std::uint8_t overheads, GraphBuilder& builder) {
  const VertexId m = builder.vertex(t.posted.global_call);
  builder.edge(crossing(t, t.sent, EdgeKind::protocol, overheads, 0));
  builder.edge(posting_edge(t.posted, overheads));
  return m;
}

void hand_over_by_handshake(Message& t, GraphBuilder& builder) {
  const VertexId m = request_arrival(t, 1, builder);
  const VertexId d = builder.vertex(t.send_call);
  builder.edge(crossing(t, m, EdgeKind::protocol, 1, 0));
  t.receive_after = d;
  t.send_after = d;
}

void hand_over_by_rdma_read(Message& t, GraphBuilder& builder) {
  const VertexId m = request_arrival(t, 1, builder);
  const VertexId q = builder.vertex(t.send_call);
  builder.edge(crossing(t, m, EdgeKind::protocol, 0, 0));
  const VertexId r = builder.vertex(t.posted.global_call);
  builder.edge(crossing(t, q, EdgeKind::message, 1, t.bytes));
  t.receive_after = r;
  t.send_after = r;
  t.receive_hands_over = true;
}

void hand_over_by_sync(Message& t, GraphBuilder& builder) {
  const VertexId r = builder.vertex(t.posted.global_call);
  builder.edge(crossing(t, t.sent, EdgeKind::message, 1, t.bytes));
  builder.edge(posting_edge(t.posted, 1));
  t.receive_after = r;
  t.send_after = r;
  t.receive_hands_over = true;
}

void hand_over_by_loggopsim(Message& t, GraphBuilder& builder) {
  t.send_after = request_arrival(t, 0, builder);
  t.receive_after = t.sent;
}

}  // namespace

Edge posting_edge(const PathPoint& posted, std::uint8_t overheads) {
  return Edge{.from = posted.tail,
              .kind = EdgeKind::order,
              .latencies = 0,
              .overheads = overheads,
              .nanoseconds = posted.gap_ns,
              .bytes = 0};
}

Edge transmission_edge(VertexId from, std::uint64_t bytes, std::uint8_t overheads) {
  return Edge{.from = from,
              .kind = EdgeKind::protocol,
              .latencies = 0,
              .overheads = overheads,
              .nanoseconds = 0,
              .bytes = bytes};
}

void hand_over(Message& t, Rendezvous protocol, GraphBuilder& builder) {
  if (!t.rendezvous) {
    t.receive_after = t.sent;
    return;
  }
  switch (protocol) {
    case Rendezvous::handshake:
      hand_over_by_handshake(t, builder);
      return;
    case Rendezvous::rdma_read:
      hand_over_by_rdma_read(t, builder);
      return;
    case Rendezvous::sync:
      hand_over_by_sync(t, builder);
      return;
    case Rendezvous::loggopsim:
      hand_over_by_loggopsim(t, builder);
      return;
  }
}

Edge receive_edge(const Message& t) {
  if (t.receive_hands_over) return transmission_edge(t.receive_after, 0, 0);
  if (t.free) return Edge{t.receive_after, EdgeKind::message, 0, 0, 0, 0};
  return crossing(t, t.receive_after, EdgeKind::message, 1, t.bytes);
}

Edge send_edge(const Message& t, Rendezvous protocol) {
  switch (protocol) {
    case Rendezvous::handshake:
      return transmission_edge(t.send_after, t.local ? 0 : t.bytes, 0);
    case Rendezvous::rdma_read:
      return crossing(t, t.send_after, EdgeKind::protocol, 1, 0);
    case Rendezvous::sync:
    case Rendezvous::loggopsim:
      return transmission_edge(t.send_after, 0, 0);
  }
  return transmission_edge(t.send_after, 0, 0);
}

}  // namespace slackline
