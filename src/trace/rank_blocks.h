#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/rank_range.h"

namespace slackline {

/// Which process has which ranks of a trace: each some that come one after the other, such that the
/// numbers of their calls are about equal. `calls`: of each rank. Processes may get no rank.
std::vector<RankRange> rank_blocks(std::span<const std::uint64_t> calls, int processes);

}  // namespace slackline
