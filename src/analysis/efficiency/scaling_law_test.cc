#include "analysis/efficiency/scaling_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace slackline {
namespace {

constexpr double kRanks[] = {4, 8, 16, 32, 64, 128};

template <class Value>
std::vector<ScalingPoint> points(Value value) {
  std::vector<ScalingPoint> all;
  for (const double p : kRanks) all.push_back({p, value(p)});
  return all;
}

TEST(ScalingLaw, FindsPlantedExponents) {
  struct Planted {
    double exponent;
    int log_exponent;
  };
  for (const Planted planted : {Planted{1, 0}, Planted{0.5, 0}, Planted{0, 1}, Planted{1, 1},
                                Planted{2, 0}, Planted{-1, 0}, Planted{2.0 / 3, 0}}) {
    const auto law = fit_scaling_law(points([&](double p) {
      return 1000 +
             300 * std::pow(p, planted.exponent) * std::pow(std::log2(p), planted.log_exponent);
    }));
    ASSERT_TRUE(law);
    EXPECT_DOUBLE_EQ(law->exponent, planted.exponent);
    EXPECT_EQ(law->log_exponent, planted.log_exponent);
    EXPECT_NEAR(law->constant, 1000, 1e-5);
    EXPECT_NEAR(law->coefficient, 300, 1e-5);
    EXPECT_NEAR(law->cross_validation_error, 0, 1e-9);
  }
}

TEST(ScalingLaw, IsAConstantWhereNothingGrows) {
  const auto law = fit_scaling_law(points([](double) { return 5.0; }));
  ASSERT_TRUE(law);
  EXPECT_EQ(law->coefficient, 0);
  EXPECT_EQ(law->formula(), "5");
  EXPECT_DOUBLE_EQ(law->extrapolate(1024).high, 5);
}

/// Runs with 2 % of noise: the interval must have the truth in about 95 of 100 cases, whatever the
/// law is.
TEST(ScalingLaw, ExtrapolatesWithinItsInterval) {
  constexpr int kTrials = 200;
  constexpr double kMore = 256;
  double (*const laws[])(double) = {
      [](double p) { return 100 + 10 * p; }, [](double p) { return 1000 + 50 * std::log2(p); },
      [](double p) { return 20 + 4000 / p; }, [](double) { return 500.0; }};
  for (const auto law : laws) {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.02);
    int inside = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const auto fitted =
          fit_scaling_law(points([&](double p) { return law(p) * (1 + noise(random)); }));
      ASSERT_TRUE(fitted);
      const Extrapolation e = fitted->extrapolate(kMore);
      inside += e.low <= law(kMore) && law(kMore) <= e.high ? 1 : 0;
    }
    EXPECT_GE(inside, kTrials * 90 / 100);
  }
}

TEST(ScalingLaw, NeedsThreeNumbersOfRanks) {
  const std::vector<ScalingPoint> two{{2, 1}, {4, 2}, {4, 2.1}};
  EXPECT_FALSE(fit_scaling_law(two));
}

}  // namespace
}  // namespace slackline
