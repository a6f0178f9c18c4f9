#include "base/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace slackline {
namespace {

struct Moments {
  double mean = 0, variance = 0;
};

/// The factors' over many lengths of 2.
Moments moments(const Noise& noise) {
  constexpr int kDraws = 200000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = noise.factor(2, 3, static_cast<std::uint64_t>(i));
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

// Evenly in [1, 1.4): mean 1.2, variance 0.4^2 / 12. A time of 0.8 is 0.4 of a length of 2.
TEST(Noise, IsEvenlyDistributed) {
  for (const Noise& noise : {Noise{.share = 0.4}, Noise{.time = 0.8}}) {
    const Moments found = moments(noise);
    EXPECT_NEAR(found.mean, 1.2, 0.001);
    EXPECT_NEAR(found.variance, 0.16 / 12, 0.0002);
  }
}

// Mean 1 + 0.4, variance 0.4^2.
TEST(Noise, IsExponentiallyDistributed) {
  for (const Noise& noise :
       {Noise{.share = 0.4, .exponential = true}, Noise{.time = 0.8, .exponential = true}}) {
    const Moments found = moments(noise);
    EXPECT_NEAR(found.mean, 1.4, 0.004);
    EXPECT_NEAR(found.variance, 0.16, 0.003);
  }
}

TEST(Noise, DependsOnSeedStreamAndNumberOnly) {
  const Noise noise{.share = 1};
  const double x = noise.factor(1, 2, 3);
  EXPECT_EQ(x, noise.factor(7, 2, 3));
  EXPECT_NE(x, noise.factor(1, 3, 3));
  EXPECT_NE(x, noise.factor(1, 2, 4));
  EXPECT_NE(x, (Noise{.share = 1, .seed = 2}.factor(1, 2, 3)));
  EXPECT_EQ(Noise{}.factor(1, 2, 3), 1);
}

}  // namespace
}  // namespace slackline
