#pragma once

#include <cstdint>

#include "graph/build.h"
#include "graph/graph_builder.h"

namespace slackline {

/// A point on an execution context's path: `gap_ns` of computation after vertex `tail`.
struct PathPoint {
  VertexId tail = kNoVertex;
  std::int64_t gap_ns = 0;
  std::uint64_t overheads = 0;  ///< multiples of o on the context's path up to `tail`
  std::uint32_t global_call = 0;
};

/// One message whose two sides are known, and what its protocol makes of them.
struct Message {
  std::uint64_t bytes = 0;
  PathPoint posted{};                  ///< where the receive was posted
  VertexId sent = kNoVertex;           ///< the sender's hand-over: its start plus o
  VertexId receive_after = kNoVertex;  ///< what the receive's completion waits for
  VertexId send_after = kNoVertex;     ///< what a rendezvous sender's completion waits for
  std::uint32_t send_call = 0;
  bool rendezvous = false;
  bool local = false;  ///< to oneself: no network
  bool free = false;   ///< costs nothing: stands for waiting whose cost is elsewhere
  bool receive_hands_over =
      false;  ///< receive_after already includes the transfer (sync, rdma_read)
};

/// Adds the protocol's own vertices, which come after both sides have been posted, and fills
/// receive_after and send_after.
void hand_over(Message& message, Rendezvous protocol, GraphBuilder& builder);

/// From where something was posted.
Edge posting_edge(const PathPoint& posted, std::uint8_t overheads);
/// Bytes that the rank of both ends pays for: until they have left, or have arrived.
Edge transmission_edge(VertexId from, std::uint64_t bytes, std::uint8_t overheads);

/// The message edge into the completion of the receive.
Edge receive_edge(const Message& message);
/// The edge into the completion of the send, if it is a rendezvous.
Edge send_edge(const Message& message, Rendezvous protocol);

}  // namespace slackline
