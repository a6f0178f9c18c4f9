#include "analysis/cube/significance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slackline {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// Means 100 and 110, variances of the means 1/3 each: t = 10 / sqrt(2/3) with 4 degrees of freedom,
// where p = 1 - t (t^2 + 6) / (t^2 + 4)^1.5.
TEST(WelchTest, IsTheProbabilityOfStudentsT) {
  EXPECT_NEAR(welch_test({99, 100, 101}, {109, 110, 111}, 0), 0.000256, 0.000001);
  EXPECT_GT(welch_test({99, 100, 101}, {91, 101, 111}, 0), 0.8);
  EXPECT_EQ(welch_test({5, 5}, {5, 5}, 1), 1);
}

// Constant numbers of calls: a difference of one may be chance, one of many is none.
TEST(WelchTest, KnowsTheResolutionOfWholeNumbers) {
  EXPECT_GT(welch_test({10, 10}, {11, 11}, 1), 0.05);
  EXPECT_LT(welch_test({100, 100}, {110, 110}, 1), 0.001);
}

// Five hypotheses: 5 p / rank, and no larger than that of the next one.
TEST(AdjustedProbabilities, AreThoseOfBenjaminiAndHochberg) {
  EXPECT_THAT(adjusted_probabilities({{0.5}, {0.01}, {0.03}, {0.032}, {1}}),
              ElementsAre(DoubleNear(0.625, 1e-12), DoubleNear(0.05, 1e-12),
                          DoubleNear(0.16 / 3, 1e-12), DoubleNear(0.16 / 3, 1e-12), 1));
  EXPECT_TRUE(adjusted_probabilities({}).empty());
}

// The first has half of the weight of five: it counts as one of two.
TEST(AdjustedProbabilities, CountWeights) {
  EXPECT_THAT(adjusted_probabilities({{0.02, 4}, {1}, {1}, {1}, {1}}),
              ElementsAre(DoubleNear(0.04, 1e-12), 1, 1, 1, 1));
}

}  // namespace
}  // namespace slackline
