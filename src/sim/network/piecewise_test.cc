#include "sim/network/network_model.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace slackline {
namespace {

TEST(Piecewise, ASegmentHoldsAboveItsThresholdUpToTheNext) {
  const Piecewise p("10:3;0:2", "factors");
  EXPECT_EQ(p.factor(0), 1);
  EXPECT_EQ(p.factor(0.5), 2);
  EXPECT_EQ(p.factor(10), 2);
  EXPECT_EQ(p.factor(10.5), 3);
}

TEST(Piecewise, SecondsGrowWithTheSize) {
  const Piecewise p("0:1e-6:1e-9;100:2e-6:0", "overheads");
  EXPECT_EQ(p.seconds(0), 0);
  EXPECT_DOUBLE_EQ(p.seconds(50), 1e-6 + 50e-9);
  EXPECT_DOUBLE_EQ(p.seconds(101), 2e-6);
}

TEST(Piecewise, OneNumberHoldsEverywhere) {
  EXPECT_EQ(Piecewise("13.01", "factors").factor(1e9), 13.01);
  EXPECT_EQ(Piecewise().factor(7), 1);
}

TEST(Piecewise, RefusesWhatIsNoNumber) {
  EXPECT_THROW(Piecewise("0:x", "factors"), Error);
  EXPECT_THROW(Piecewise("0:1:2:3", "factors"), Error);
  EXPECT_THROW(Piecewise("-1", "factors"), Error);
}

}  // namespace
}  // namespace slackline
