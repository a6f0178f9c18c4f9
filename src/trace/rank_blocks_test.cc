#include "trace/rank_range.h"

#include <gtest/gtest.h>

#include <numeric>

namespace slackline {
namespace {

TEST(RankBlocks, CoverAllRanksInOrder) {
  const std::vector<std::uint64_t> calls{100, 0, 0, 7, 300, 1, 1, 1, 90, 100};
  for (const int processes : {1, 2, 3, 4, 7, 10, 30}) {
    const auto blocks = rank_blocks(calls, processes);
    ASSERT_EQ(blocks.size(), static_cast<std::size_t>(processes));
    std::int32_t next = 0;
    for (const RankRange& block : blocks) {
      EXPECT_EQ(block.first, next);
      EXPECT_LE(block.first, block.end);
      next = block.end;
    }
    EXPECT_EQ(next, 10);
  }
}

TEST(RankBlocks, BalanceCalls) {
  const std::vector<std::uint64_t> equal(64, 1000);
  for (const int processes : {2, 4, 8}) {
    for (const RankRange& block : rank_blocks(equal, processes)) {
      EXPECT_EQ(block.end - block.first, 64 / processes);
    }
  }
  const std::vector<std::uint64_t> one_large{10, 10, 10'000, 10, 10};
  const auto blocks = rank_blocks(one_large, 2);
  std::uint64_t most = 0;
  for (const RankRange& block : blocks) {
    most = std::max(most, std::accumulate(one_large.begin() + block.first,
                                          one_large.begin() + block.end, std::uint64_t{0}));
  }
  EXPECT_LE(most, 10'020u);
}

}  // namespace
}  // namespace slackline
