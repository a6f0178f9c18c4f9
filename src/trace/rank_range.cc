#include "trace/rank_range.h"

#include <numeric>

namespace slackline {

std::vector<RankRange> rank_blocks(std::span<const std::uint64_t> calls, int processes) {
  // A rank goes where the middle of its calls lies. Ranks without any count a little, so that they
  // are shared out as well.
  const auto weight = [&](std::size_t r) { return static_cast<double>(calls[r]) + 1; };
  double all = 0;
  for (std::size_t r = 0; r < calls.size(); ++r) all += weight(r);
  std::vector<RankRange> blocks;
  std::size_t next = 0;
  double before = 0;
  for (int p = 0; p < processes; ++p) {
    const std::size_t first = next;
    const double share = all * (p + 1) / processes;
    while (next < calls.size() && (p + 1 == processes || before + weight(next) / 2 < share)) {
      before += weight(next++);
    }
    blocks.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(next)});
  }
  return blocks;
}

}  // namespace slackline
