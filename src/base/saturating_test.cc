#include "base/arithmetic.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(SaturatedSum, IsTheSumOrTheLimit) {
  EXPECT_EQ(saturated_sum(2, -5), -3);
  EXPECT_EQ(saturated_sum(kMost, 0), kMost);
  EXPECT_EQ(saturated_sum(kMost, 1), kMost);
  EXPECT_EQ(saturated_sum(kLeast, -1), kLeast);
  EXPECT_EQ(saturated_sum(kLeast, kMost), -1);
}

TEST(SaturatedSum, OfSizesDoesNotWrap) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t sum = 5;
  add_saturated(sum, 7);
  EXPECT_EQ(sum, 12u);
  add_saturated(sum, kLargest - 12);
  EXPECT_EQ(sum, kLargest);
  add_saturated(sum, 1);
  EXPECT_EQ(sum, kLargest);
}

TEST(NearestWhole, IsRoundedOrTheLimit) {
  EXPECT_EQ(nearest_whole(2.5), 3);
  EXPECT_EQ(nearest_whole(-2.5), -3);
  EXPECT_EQ(nearest_whole(9.3e18), kMost);
  EXPECT_EQ(nearest_whole(9'223'372'036'854'774'784.0), 9'223'372'036'854'774'784);  // the last one
  EXPECT_EQ(nearest_whole(-9.3e18), kLeast);
  EXPECT_EQ(nearest_whole(std::numeric_limits<double>::infinity()), kMost);
  EXPECT_EQ(nearest_whole(std::numeric_limits<double>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace slackline
