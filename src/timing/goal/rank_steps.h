#pragma once

#include <cstdint>
#include <vector>

#include "base/arithmetic.h"
#include "base/flat_map.h"
#include "base/large_pages.h"
#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// One direction between a rank and another one: what is sent there, or received from there, with
/// one tag. Messages of a channel do not overtake each other.
struct GoalChannel {
  std::uint32_t peer = 0;
  std::uint32_t tag = 0;

  bool operator==(const GoalChannel&) const = default;
};
struct GoalChannelHash {
  std::uint64_t operator()(const GoalChannel& c) const {
    const std::uint64_t product = (std::uint64_t{c.peer} << 32 | c.tag) * 0x9e3779b97f4a7c15ull;
    return product ^ product >> 32;
  }
};

/// A number for each channel of a rank.
using GoalChannelIds = FlatMap<GoalChannel, std::uint32_t, GoalChannelHash>;

/// What one rank's block of a GOAL program comes down to while nothing is known of the others: a
/// list of steps, each the maximum over its edges of (source + cost). A source is an earlier step
/// of the rank, its start, or a message. What the rank sends is a step and a cost, too.
struct RankSteps {
  /// Source of an edge: 0 is the rank's start, n its n-th step, kMessage + n its n-th receive.
  static constexpr std::uint32_t kMessage = std::uint32_t{1} << 31;

  struct Receive {
    std::uint32_t channel;  // index into `from`
    std::uint32_t ordinal;  // how many came before it there
  };
  struct Channel {
    GoalChannel name;
    std::uint32_t messages = 0;
    std::uint32_t begin = 0;  // the first one's place in the sender's `sends`
  };

  std::vector<std::uint32_t> edge_counts;  ///< of each step; the last one is the rank's end
  std::vector<std::uint32_t> uses;         ///< edges and sends that begin at each step
  PackedEdges edges;                       ///< by step
  PackedEdges sends;                       ///< by channel: when the message has been received
  BigVector<Receive> receives;
  std::vector<Channel> to;
  std::vector<Channel> from;
  GoalChannelIds to_ids;  ///< of each channel its index in `to`, plus one
  /// Once messages have been joined (join_messages()): whose step each edge begins at. Edges then
  /// hold the message's cost, too, and all of the above but steps and edges is gone.
  BigVector<std::uint32_t> source_ranks;

  Int128 nanoseconds = 0;  ///< sum over the block
  Int128 bytes = 0;
  std::uint64_t largest_message = 0;

  std::uint32_t size() const { return static_cast<std::uint32_t>(edge_counts.size()); }
};

}  // namespace slackline
