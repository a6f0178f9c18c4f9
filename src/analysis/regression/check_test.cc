#include "analysis/regression/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace slackline {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

JobSummary runs_of(std::vector<double> run_times, double efficiency = 0.9, std::int32_t ranks = 4) {
  JobSummary summary{.ranks = ranks};
  for (std::vector<double>& metric : summary.metrics) metric.assign(run_times.size(), efficiency);
  summary.waiting.assign(run_times.size(), 0.1);
  summary.metrics[0] = std::move(run_times);
  return summary;
}

// Holm 1979: 3 p(1), 2 p(2), p(3), each no smaller than the one before.
TEST(HolmProbabilities, StepDown) {
  EXPECT_THAT(
      holm_probabilities({0.03, 0.01, 0.04}),
      ElementsAre(DoubleNear(0.06, 1e-12), DoubleNear(0.03, 1e-12), DoubleNear(0.06, 1e-12)));
  EXPECT_THAT(holm_probabilities({0.9, 0.8}), ElementsAre(1, 1));
  EXPECT_TRUE(holm_probabilities({}).empty());
}

// exp(x) for x of -1 %, 0, 1 % and of 9 %, 10 %, 11 %: the means differ by 0.1, with a standard
// error of 0.01 * sqrt(2 / 3) and 4 degrees of freedom. For a limit of 0, t = 12.247 as in
// WelchTest, whose two-sided p is 0.000256.
TEST(CheckRegression, TestsTheLogarithmOneSided) {
  const auto times = [](double at) {
    std::vector<double> values;
    for (const double x : {-0.01, 0.0, 0.01}) values.push_back(1e9 * std::exp(at + x));
    return values;
  };
  const RegressionCheck slower =
      check_regression({runs_of(times(0))}, {runs_of(times(0.1))}, {.max_slowdown = 0});
  ASSERT_EQ(slower.limits.size(), 1u);
  EXPECT_NEAR(slower.limits[0].adjusted_p, 0.000128, 0.000001);
  EXPECT_NEAR(slower.limits[0].measured, std::expm1(0.1), 1e-9);
  // Student's t for 4 degrees of freedom is 2.776.
  EXPECT_NEAR(slower.limits[0].interval.first, std::expm1(0.1 - 2.776 * 0.0081650), 1e-6);
  EXPECT_EQ(slower.limits[0].outcome, CheckOutcome::exceeded);
  EXPECT_TRUE(slower.exceeded());
  // Slower, as is allowed.
  const RegressionCheck allowed =
      check_regression({runs_of(times(0))}, {runs_of(times(0.1))}, {.max_slowdown = 0.2});
  EXPECT_EQ(allowed.limits[0].outcome, CheckOutcome::kept);
  const RegressionCheck faster =
      check_regression({runs_of(times(0.1))}, {runs_of(times(0))}, {.max_slowdown = 0});
  EXPECT_EQ(faster.limits[0].outcome, CheckOutcome::kept);
  EXPECT_NEAR(faster.limits[0].adjusted_p, 1 - 0.000128, 0.000001);
}

TEST(CheckRegression, SaysWhereRunsDoNotDecide) {
  const RegressionCheck check =
      check_regression({runs_of({1e9, 1.1e9, 1.2e9})}, {runs_of({1.05e9, 1.15e9, 1.25e9})}, {});
  EXPECT_EQ(check.limits[0].outcome, CheckOutcome::undecided);
  EXPECT_FALSE(check.exceeded());
}

TEST(CheckRegression, OneRunIsNoBase) {
  EXPECT_THROW(check_regression({runs_of({1e9})}, {runs_of({1e9, 1e9})}, {}), Error);
  const CheckLimits only_efficiency{.max_slowdown = {}, .min_parallel_efficiency = 0.8};
  EXPECT_THROW(check_regression({}, {runs_of({1e9}, 0.7)}, only_efficiency), Error);
}

TEST(CheckRegression, ComparesEquallyManyRanksOnly) {
  EXPECT_THROW(check_regression({runs_of({1e9, 1e9}, 0.9, 2)}, {runs_of({1e9, 1e9})}, {}), Error);
  const RegressionCheck check =
      check_regression({runs_of({1e9, 1e9}, 0.9, 2), runs_of({1e9, 1.01e9}), runs_of({1.02e9})},
                       {runs_of({1e9}), runs_of({1.03e9, 1e9})}, {});
  ASSERT_EQ(check.limits.size(), 1u);
  EXPECT_EQ(check.limits[0].ranks, 4);
  EXPECT_EQ(check.limits[0].base_runs, 3u);
  EXPECT_THAT(check.unpaired, ElementsAre(2));
}

TEST(CheckRegression, AnEfficiencyBelowItsLimitFails) {
  JobSummary fresh = runs_of({1e9, 1e9, 1e9});
  fresh.metrics[1] = {0.70, 0.71, 0.72};
  const CheckLimits limits{.max_slowdown = 0.02, .min_parallel_efficiency = 0.8};
  const RegressionCheck check = check_regression({runs_of({1e9, 1e9, 1e9})}, {fresh}, limits);
  ASSERT_EQ(check.limits.size(), 2u);
  EXPECT_EQ(check.limits[0].metric, "run_time");
  EXPECT_EQ(check.limits[0].outcome, CheckOutcome::kept);
  EXPECT_EQ(check.limits[1].outcome, CheckOutcome::exceeded);
  // The mean is 15.59 standard errors below, with 2 degrees of freedom: p = (1 - t / sqrt(2 + t^2))
  // / 2, and Holm counts it twice.
  EXPECT_NEAR(check.limits[1].adjusted_p, 2 * 0.002045, 0.00001);
  EXPECT_EQ(conditions(check)[1].outcome, CheckedCondition::Outcome::failed);
}

TEST(CheckRegression, NamesTheFunctionThatChanged) {
  JobSummary base = runs_of({1e9, 1.01e9, 0.99e9, 1e9, 1.005e9});
  JobSummary fresh = base;
  base.functions = {
      {"kernel",
       {5e8, 5.01e8, 4.99e8, 5e8, 5e8},
       {5.02e8, 5.03e8, 5.01e8, 5.02e8, 5.02e8},
       {0, 3, 1, 1, 2}},
      {"halo", {1e7, 1.1e7, 0.9e7, 1e7, 1e7}, {1e7, 1.1e7, 0.9e7, 1e7, 1e7}, {0, 0, 0, 0, 0}}};
  fresh.functions = base.functions;
  fresh.functions[0].slowest_ns = {5.2e8, 5.21e8, 5.2e8, 5.19e8, 5.2e8};
  fresh.functions[0].slowest_rank = {2, 2, 2, 1, 2};
  const RegressionCheck check = check_regression({base}, {fresh}, {});
  ASSERT_EQ(check.changes.size(), 1u);
  EXPECT_EQ(check.changes[0].function, "kernel");
  EXPECT_EQ(check.changes[0].metric, "slowest");
  EXPECT_EQ(check.changes[0].rank, 2);
}

}  // namespace
}  // namespace slackline
