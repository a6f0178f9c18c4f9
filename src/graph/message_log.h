#pragma once

#include <cstdint>
#include <vector>

#include "graph/build.h"
#include "graph/execution_graph.h"
#include "graph/protocol.h"

namespace slackline {

/// One message of a program, with the places of its two sides that the edge of an eager message
/// does not show. Whoever applies another protocol to the program needs them.
struct LoggedMessage {
  VertexId sent = kNoVertex;       ///< the sender's hand-over: its start plus o
  PathPoint posted{};              ///< of the receive; its tail is kNoVertex if there is none
  VertexId completed = kNoVertex;  ///< where the sender waits for its completion; none: kNoVertex
  std::uint64_t bytes = 0;
  std::int32_t destination = 0;
  bool own_protocol = false;  ///< eager or rendezvous by its mode, against the threshold

  bool received() const { return posted.tail != kNoVertex; }
};

/// The messages of a program in the order of their `sent`, which grows strictly.
using MessageLog = std::vector<LoggedMessage>;

/// A program's graph with every message eager, and its messages.
struct EagerGraph {
  ExecutionGraph graph;
  MessageLog messages;
};

/// What build_graph() makes of `trace` with every message eager.
///
/// A program that deadlocks under the threshold and the send modes of `options` is let go on where
/// build_graph() lets it go on, and counted alike; a send released so has no completion. Costs as
/// build_graph() plus 64 bytes a message.
EagerGraph build_eager_graph(const Trace& trace, const GraphOptions& options);

}  // namespace slackline
