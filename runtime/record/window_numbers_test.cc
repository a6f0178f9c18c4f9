#include "window_numbers.h"

#include <gtest/gtest.h>

namespace slackline::record {
namespace {

TEST(WindowNumbers, AreTheLowestFreeOnesOfACommunicator) {
  WindowNumbers windows;
  EXPECT_EQ(windows.take(3), 0u);
  EXPECT_EQ(windows.take(3), 1u);
  EXPECT_EQ(windows.take(4), 0u);
  windows.release(3, 0);
  EXPECT_EQ(windows.take(3), 0u);
  EXPECT_EQ(windows.take(3), 2u);
}

TEST(WindowNumbers, AreNoneWhereTooManyAreOpen) {
  WindowNumbers windows;
  for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(windows.take(0), i);
  EXPECT_EQ(windows.take(0), 0u);
  windows.release(0, 17);
  EXPECT_EQ(windows.take(0), 17u);
}

}  // namespace
}  // namespace slackline::record
