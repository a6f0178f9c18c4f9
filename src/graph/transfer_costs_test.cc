#include "graph/build.h"

#include <gtest/gtest.h>

#include <limits>

namespace slackline {
namespace {

TEST(TransferCosts, AreTheSizeWhereNothingWasMeasured) {
  EXPECT_EQ(TransferCosts().bytes(0), 0U);
  EXPECT_EQ(TransferCosts().bytes(4096), 4096U);
}

TEST(TransferCosts, FollowThePieceOfTheSize) {
  const TransferCosts costs({{.from_bytes = 1, .offset_bytes = -1, .slope = 2},
                             {.from_bytes = 1000, .offset_bytes = 5000, .slope = 0.5}});
  EXPECT_EQ(costs.bytes(0), 0U) << "an empty message has nothing to transfer";
  EXPECT_EQ(costs.bytes(1), 1U);
  EXPECT_EQ(costs.bytes(999), 1997U);
  EXPECT_EQ(costs.bytes(1000), 5500U);
  EXPECT_EQ(costs.bytes(std::numeric_limits<std::uint64_t>::max()), std::uint64_t{1} << 62);
}

// Where L and the overheads are already more than was measured.
TEST(TransferCosts, AreNeverLessThanOneByte) {
  const TransferCosts costs({{.from_bytes = 1, .offset_bytes = -500, .slope = 1}});
  EXPECT_EQ(costs.bytes(100), 1U);
}

}  // namespace
}  // namespace slackline
