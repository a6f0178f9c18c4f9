#pragma once

#include <cstdint>
#include <limits>

namespace slackline {

/// Ranks that come one after the other; all, unless something else is said.
struct RankRange {
  std::int32_t first = 0;
  std::int32_t end = std::numeric_limits<std::int32_t>::max();

  bool contains(std::int32_t rank) const { return rank >= first && rank < end; }
  bool contains(std::size_t rank) const { return contains(static_cast<std::int32_t>(rank)); }
};

}  // namespace slackline
