#include "page/pair_sums.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(PairSums, AreByBlocksAboveItsLimit) {
  PairSums sums(1000);
  EXPECT_EQ(sums.block(), 2);
  sums.add(0, 999, 5);
  sums.add(1, 998, 7);
  sums.add(4, 2, 1);
  const Matrix m = sums.matrix({});
  EXPECT_EQ(m.size, 500);
  EXPECT_EQ(m.total, 13u);
  EXPECT_EQ(m.maximum, 12u);
  EXPECT_EQ(m.cells.bytes, 500u * 500u);
  const auto largest = sums.largest(2);
  ASSERT_EQ(largest.size(), 2u);
  EXPECT_EQ(largest[0].row, 0);
  EXPECT_EQ(largest[0].column, 998);
  EXPECT_EQ(largest[0].value, 12);
  EXPECT_EQ(largest[1].row, 4);
  EXPECT_EQ(largest[1].column, 2);
  EXPECT_EQ(largest[1].value, 1);
}

}  // namespace
}  // namespace slackline
