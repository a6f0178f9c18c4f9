#include "analysis/regression/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace slackline {
namespace {

std::vector<double> steps(std::size_t before, std::size_t after, double height) {
  std::vector<double> values;
  for (std::size_t i = 0; i < before + after; ++i) {
    values.push_back(100 + static_cast<double>(i * 7 % 5) / 10 + (i < before ? 0 : height));
  }
  return values;
}

// In a random order of n values, all of the first k are the smallest, or the largest, with the
// probability 2 / (n choose k): for 4 of 8 with 2 / 70, and no other place separates them as
// clearly.
TEST(StrongestChange, HasTheProbabilityOfCompleteSeparation) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
  const ChangePoint change = strongest_change(values, 100'000);
  EXPECT_EQ(change.at, 4u);
  EXPECT_NEAR(change.p, 2.0 / 70, 0.002);
}

TEST(StrongestChange, IsNoneOfEqualOrFewValues) {
  EXPECT_EQ(strongest_change(std::vector<double>(30, 5.0)).p, 1);
  EXPECT_EQ(strongest_change(std::vector<double>{1, 2, 3, 4, 5, 6, 7}).p, 1);
  EXPECT_EQ(strongest_change({}).p, 1);
}

TEST(ChangePoints, AreWhereTheLevelChanges) {
  const auto changes = change_points({steps(17, 13, 3), steps(30, 0, 0)}, 0.05);
  ASSERT_EQ(changes[0].size(), 1u);
  EXPECT_EQ(changes[0][0].at, 17u);
  EXPECT_NEAR(changes[0][0].before, 100.2, 0.2);
  EXPECT_NEAR(changes[0][0].after, 103.2, 0.2);
  EXPECT_TRUE(changes[1].empty());
}

TEST(ChangePoints, OfTwoChangesBothAreFound) {
  std::vector<double> values = steps(12, 12, 5);
  for (const double value : steps(0, 12, 9)) values.push_back(value);
  const auto changes = change_points({values}, 0.05);
  ASSERT_EQ(changes[0].size(), 2u);
  EXPECT_EQ(changes[0][0].at, 12u);
  EXPECT_EQ(changes[0][1].at, 24u);
  EXPECT_NEAR(changes[0][1].before, 105.2, 0.2);
}

// 2 / (n choose n / 2) at most 5 % of one series is so from 8 values on (2 / 70), and of 11 from 12
// on: of 10 it is 2 / 252, of 11 between 2 and 4 / 462, and 5 % / 11 is 1 / 220.
TEST(ChangePoints, NeedSoManyValues) {
  EXPECT_EQ(least_values(1, 0.05), 8u);
  EXPECT_EQ(least_values(11, 0.05), 12u);
  EXPECT_EQ(least_values(1000, 0.05), 0u);
  std::vector<std::vector<double>> series(11, std::vector<double>(12, 1.0));
  series[3] = {1, 2, 3, 4, 5, 6, 57, 58, 59, 60, 61, 62};
  EXPECT_EQ(change_points(series, 0.05)[3].size(), 1u);
  series[3].pop_back();
  EXPECT_TRUE(change_points(series, 0.05)[3].empty());
}

// One run that took ten times as long is no change, and hides none.
TEST(ChangePoints, OutliersDoNotCount) {
  std::vector<double> values = steps(20, 10, 3);
  values[5] = 1000;
  values[25] = 1000;
  const auto changes = change_points({values}, 0.05);
  ASSERT_EQ(changes[0].size(), 1u);
  EXPECT_EQ(changes[0][0].at, 20u);
}

}  // namespace
}  // namespace slackline
