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
  // The 95 % quantile of Student's t for 4 degrees of freedom is 2.131847.
  EXPECT_NEAR(slower.limits[0].interval.first, std::expm1(0.1 - 2.131847 * 0.0081650), 1e-6);
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

// By chance the new ones of 2 and 3 runs are the largest with a probability of 1 / 10, those of 2
// and 4 with 1 / 15: no times can be less likely than 5 %. For 3 and 4 runs it is 1 / 35, which is
// enough for one limit and not for two; for 4 and 5, 1 / 126.
TEST(CheckRegression, LimitsThatNothingCanExceedAreRefused) {
  const auto why = [](std::size_t base, std::size_t fresh, const CheckLimits& limits) {
    std::vector<JobSummary> slow;
    for (std::size_t i = 0; i < fresh; ++i) slow.push_back(runs_of({1e10 + 1e6 * double(i)}));
    std::vector<double> times;
    for (std::size_t i = 0; i < base; ++i) times.push_back(1e9 + 1e5 * double(i));
    try {
      return std::string(check_regression({runs_of(times)}, slow, limits).exceeded() ? "exceeded"
                                                                                     : "not");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(why(2, 3, {}), HasSubstr("Record at least 3 a side"));
  EXPECT_THAT(why(2, 4, {}), HasSubstr("2 of the base and 4 of the new version on 4 ranks"));
  EXPECT_EQ(why(2, 2, {}), "exceeded");
  EXPECT_EQ(why(2, 5, {}), "exceeded");
  EXPECT_EQ(why(3, 4, {}), "exceeded");
  const CheckLimits two{.max_slowdown = 0.02, .min_parallel_efficiency = 0.8};
  EXPECT_THAT(why(3, 4, two), HasSubstr("Record at least 4 a side"));
  EXPECT_EQ(why(4, 5, two), "exceeded");
}

// 1 of the 21 ways to choose 2 of 7 runs has the two largest.
TEST(CheckRegression, PermutationsOfFewRunsAreCounted) {
  const RegressionCheck check = check_regression({runs_of({1e9, 1.1e9, 1.2e9, 1.3e9, 1.4e9})},
                                                 {runs_of({1.5e9, 1.6e9})}, {.max_slowdown = 0});
  EXPECT_NEAR(check.limits[0].adjusted_p, 1.0 / 21, 1e-12);
}

TEST(CheckRegression, AnEfficiencyAtItsLimitIsKept) {
  const CheckLimits limits{.max_slowdown = {}, .min_parallel_efficiency = 0.9};
  EXPECT_EQ(check_regression({}, {runs_of({1e9, 1e9})}, limits).limits[0].outcome,
            CheckOutcome::kept);
}

TEST(CheckRegression, RunsAreOfOneProgram) {
  const auto of = [](std::string program) {
    JobSummary runs = runs_of({1e9, 1.1e9});
    runs.program = std::move(program);
    return runs;
  };
  const auto check = [&](std::string base, std::string fresh) {
    return check_regression({of(std::move(base))}, {of(std::move(fresh))}, {});
  };
  EXPECT_THROW(check("lammps", "cg -n 9"), Error);
  EXPECT_TRUE(check("/tmp/1/cg -n 9", "/tmp/2/cg -n 9").findings.empty());
  EXPECT_EQ(check("cg -n 9", "cg -n 8").findings.entries().at(0).name, "other_arguments");
  EXPECT_THROW(check_regression({of("cg"), of("ft")}, {of("cg")}, {}), Error);
  EXPECT_TRUE(check("", "cg").findings.empty());
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
