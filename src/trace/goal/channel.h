#pragma once

#include <cstdint>

#include "base/flat_map.h"

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

}  // namespace slackline
