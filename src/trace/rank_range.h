#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace slackline {

/// Ranks that come one after the other; all, unless something else is said.
struct RankRange {
  std::int32_t first = 0;
  std::int32_t end = std::numeric_limits<std::int32_t>::max();

  bool contains(std::int32_t rank) const { return rank >= first && rank < end; }
  bool contains(std::size_t rank) const { return contains(static_cast<std::int32_t>(rank)); }
};

/// Which process has which ranks of a trace: each some that come one after the other, such that the
/// numbers of their calls are about equal. `calls`: of each rank. Processes may get no rank.
std::vector<RankRange> rank_blocks(std::span<const std::uint64_t> calls, int processes);

}  // namespace slackline
