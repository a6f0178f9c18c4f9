#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph_builder.h"
#include "graph/protocol.h"

namespace slackline {

/// Messages of up to this many bytes do not occupy a link: on the networks of timing/cost/loggps.h
/// they have left it before the processor has paid o for the next one.
inline constexpr std::uint64_t kShortMessage_bytes = 1024;

/// One direction of a rank's link, which carries one of the longer messages of an execution context
/// at a time, (bytes - 1) * G each.
///
/// Which of several messages a link takes first is not known where they wait for their receivers.
/// What holds in any order is that no message has left before it was posted: all of those that a
/// call completes are through no earlier than the post of any of them plus the time of this one and
/// of those posted later. For each post that is a path of edges, so the costs of the graph stay
/// linear forms in L, o and G.
class LinkOccupancy {
 public:
  struct Message {
    PathPoint posted{};
    std::uint64_t bytes = 0;
    RankPair pair{};
  };

  /// Where a message that follows all earlier ones begins to leave: a new vertex, unless it is the
  /// first one.
  VertexId leave(const Message& message, GraphBuilder& builder);

  /// The link is free of the messages of earlier parts of the run at that vertex.
  void resume(VertexId free) { begins_ = free; }
  /// Where the newest message of leave() begins to leave, and its bytes; without any, the vertex of
  /// resume(), and 0.
  VertexId newest() const { return begins_; }
  std::uint64_t newest_bytes() const { return last_.bytes; }

  /// `messages` are completed together by the next vertex of their context. Sorts them. Returns the
  /// edge into that vertex after which all of them are through, if they are several or the link
  /// had earlier ones.
  std::optional<Edge> complete(std::vector<Message>& messages, std::uint8_t overheads,
                               GraphBuilder& builder);
  /// That vertex.
  void completed(VertexId vertex) { completed_ = vertex; }

 private:
  VertexId vertex_of_last(std::uint8_t overheads, GraphBuilder& builder);
  VertexId follow(const Message& message, std::uint8_t overheads, GraphBuilder& builder);

  Message last_{};
  VertexId begins_ = kNoVertex;     // of `last_`, as soon as another one follows it
  VertexId completed_ = kNoVertex;  // the newest completion; kNoVertex: the link was not used yet
};

}  // namespace slackline
