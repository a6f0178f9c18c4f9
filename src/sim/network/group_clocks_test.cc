#include "sim/network/group_clocks.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

// A message of 6 units: 2 seconds at a level of 1, 2 at 0.5, and what is left at 3 takes 1 second.
TEST(GroupClocks, AnEndFollowsTheLevel) {
  GroupClocks clocks;
  clocks.set_level(4, 1, 10);
  clocks.enter(4, 7, 6, 10);
  EXPECT_DOUBLE_EQ(clocks.next_time(), 16);
  clocks.set_level(4, 0.5, 12);
  EXPECT_DOUBLE_EQ(clocks.next_time(), 20);
  clocks.set_level(4, 3, 14);
  EXPECT_DOUBLE_EQ(clocks.next_time(), 15);
  EXPECT_EQ(clocks.pop(), 7U);
  EXPECT_TRUE(clocks.empty());
}

// The group whose message ends first comes first; a message that leaves has the rest of its work
// left.
TEST(GroupClocks, PoolsAreIndependent) {
  GroupClocks clocks;
  clocks.set_level(1, 1, 0);
  clocks.set_level(2, 2, 0);
  clocks.enter(1, 10, 5, 0);
  clocks.enter(1, 11, 3, 0);
  clocks.enter(2, 20, 8, 0);
  EXPECT_DOUBLE_EQ(clocks.next_time(), 3);
  EXPECT_EQ(clocks.pop(), 11U);
  EXPECT_DOUBLE_EQ(clocks.next_time(), 4);
  EXPECT_DOUBLE_EQ(clocks.leave(2, 20, 1), 6);
  EXPECT_DOUBLE_EQ(clocks.next_time(), 5);
  EXPECT_EQ(clocks.pop(), 10U);
  EXPECT_TRUE(clocks.empty());
}

}  // namespace
}  // namespace slackline
