#include "graph/link_occupancy.h"

#include <algorithm>
#include <tuple>

namespace slackline {
namespace {

auto position(const PathPoint& point) {
  return std::tuple(point.tail, point.gap_ns);
}

}  // namespace

VertexId LinkOccupancy::leave(const Message& message, GraphBuilder& builder) {
  const bool first = begins_ == kNoVertex;
  begins_ = first ? message.posted.tail : follow(message, 0, builder);
  if (first) builder.set_pair(begins_, message.pair);
  last_ = message;
  return begins_;
}

/// A vertex for `message`, which takes the link after the last one.
VertexId LinkOccupancy::follow(const Message& message, std::uint8_t overheads,
                               GraphBuilder& builder) {
  const VertexId v = builder.vertex(message.posted.global_call);
  builder.edge(posting_edge(message.posted, overheads));
  builder.edge(transmission_edge(begins_, last_.bytes, 0));
  builder.set_pair(v, message.pair);
  return v;
}

VertexId LinkOccupancy::vertex_of_last(std::uint8_t overheads, GraphBuilder& builder) {
  if (begins_ != kNoVertex) return begins_;
  const VertexId v = builder.vertex(last_.posted.global_call);
  builder.edge(posting_edge(last_.posted, overheads));
  builder.set_pair(v, last_.pair);
  return v;
}

std::optional<Edge> LinkOccupancy::complete(std::vector<Message>& messages, std::uint8_t overheads,
                                            GraphBuilder& builder) {
  std::ranges::stable_sort(messages, {}, [](const Message& m) { return position(m.posted); });
  bool follows = false;
  bool first = true;
  for (const Message& message : messages) {
    // Posted after everything before was through, it finds the link free.
    const bool finds_it_free =
        first && (completed_ == kNoVertex || message.posted.tail >= completed_);
    if (!finds_it_free && position(message.posted) < position(last_.posted)) continue;
    if (finds_it_free) {
      begins_ = kNoVertex;
    } else {
      begins_ = vertex_of_last(overheads, builder);
      begins_ = follow(message, overheads, builder);
      follows = true;
    }
    last_ = message;
    first = false;
  }
  if (!follows) return std::nullopt;
  return transmission_edge(begins_, last_.bytes, overheads);
}

}  // namespace slackline
