#include "analysis/model/uncertainty.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/model/prediction_intervals.h"
#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;

Tolerances run_with(std::optional<double> value) {
  Tolerances t;
  t.rows.push_back({10'000, 0, value});
  return t;
}

// 10, 12, 14: mean 12, standard deviation 2; t = 4.303 with two degrees of freedom.
TEST(IntervalsOfRuns, AreStudents) {
  const ToleranceIntervals i = intervals_of_runs({run_with(10), run_with(14), run_with(12)});
  ASSERT_EQ(i.rows.size(), 1u);
  EXPECT_NEAR(*i.rows[0].middle_ns, 12, 1e-12);
  EXPECT_NEAR(*i.rows[0].low_ns, 12 - 4.303 * 2 / std::sqrt(3.0), 1e-9);
  EXPECT_NEAR(*i.rows[0].high_ns, 12 + 4.303 * 2 / std::sqrt(3.0), 1e-9);
  EXPECT_EQ(i.samples, 3u);
  EXPECT_EQ(i.of_traces.size(), 3u);
}

TEST(IntervalsOfRuns, OneUnlimitedRunLeavesNone) {
  const ToleranceIntervals i = intervals_of_runs({run_with(10), run_with(std::nullopt)});
  EXPECT_FALSE(i.rows[0].low_ns || i.rows[0].middle_ns || i.rows[0].high_ns);
}

/// 400 times: rank 0 computes (as long as `gaps` say in turn), sends, and gets an answer.
std::string ping_pong(const std::vector<int>& gaps) {
  std::string zero = "rank 0\n";
  std::string one = "rank 1\n";
  for (std::size_t i = 0; i < 400; ++i) {
    zero += " compute " + std::to_string(gaps[i % gaps.size()]) +
            "\n send to=1 bytes=1\n recv from=1 bytes=1\n";
    one += " recv from=0 bytes=1\n send to=0 bytes=1\n";
  }
  return zero + one;
}

ToleranceIntervals bootstrap(const std::string& program, std::size_t replicates) {
  const Trace trace = testing::untimed_trace(2, program);
  const ExecutionGraph graph = build_graph(trace, {});
  ModelChoice choice;
  choice.model = {10 * kNs, 0, 0};
  return bootstrap_tolerances(trace, graph, choice, Parameter::latency, {10'000}, replicates, 1);
}

TEST(Bootstrap, WithoutVariationThereIsNoDoubt) {
  // T = 400 * 200 + 800 L = 88 us, so 1 % more is 880 ns for 800 messages: L = 11.1 ns.
  const ToleranceIntervals i = bootstrap(ping_pong({200}), 10);
  EXPECT_NEAR(*i.rows[0].low_ns, 11.1, 1e-9);
  EXPECT_NEAR(*i.rows[0].middle_ns, 11.1, 1e-9);
  EXPECT_NEAR(*i.rows[0].high_ns, 11.1, 1e-9);
}

TEST(Bootstrap, IsAsWideAsTheSumOfDrawsSays) {
  // Gaps of 100 and 300 ns have a standard deviation of 100, their sum of 400 one of 2000 ns; the
  // tolerance is L + T / 100 / 800, so 0.025 ns, and 95 % lie within 1.96 times that.
  const ToleranceIntervals i = bootstrap(ping_pong({100, 300}), 2000);
  EXPECT_NEAR(*i.rows[0].middle_ns, 11.1, 0.004);
  EXPECT_NEAR(*i.rows[0].low_ns, 11.1 - 1.96 * 0.025, 0.006);
  EXPECT_NEAR(*i.rows[0].high_ns, 11.1 + 1.96 * 0.025, 0.006);
}

TEST(Bootstrap, TheSameSeedGivesTheSame) {
  const ToleranceIntervals a = bootstrap(ping_pong({100, 300}), 20);
  const ToleranceIntervals b = bootstrap(ping_pong({100, 300}), 20);
  EXPECT_EQ(a.rows[0].low_ns, b.rows[0].low_ns);
  EXPECT_EQ(a.rows[0].high_ns, b.rows[0].high_ns);
}

PredictionIntervals predicted(const std::string& program, std::size_t replicates) {
  const Trace trace = testing::untimed_trace(2, program);
  const ExecutionGraph graph = build_graph(trace, {});
  ModelChoice choice;
  choice.model = {10 * kNs, 0, 0};
  return bootstrap_prediction(trace, graph, choice, replicates, 1);
}

TEST(BootstrapPrediction, IsAsWideAsTheSumOfDrawsSays) {
  // T = 400 * 200 + 800 L = 88 us, with a standard deviation of 2 us as above; each path has all
  // messages.
  const PredictionIntervals i = predicted(ping_pong({100, 300}), 2000);
  EXPECT_NEAR(i.makespan_ns.middle, 88'000, 200);
  EXPECT_NEAR(i.makespan_ns.low, 88'000 - 1.96 * 2000, 400);
  EXPECT_NEAR(i.makespan_ns.high, 88'000 + 1.96 * 2000, 400);
  EXPECT_EQ(i.lambda_latency.low, 800);
  EXPECT_EQ(i.lambda_latency.high, 800);
  EXPECT_NEAR(i.rho_latency.middle, 8000.0 / 88'000, 1e-3);
}

TEST(BootstrapPrediction, WithoutVariationThereIsNoDoubt) {
  const PredictionIntervals i = predicted(ping_pong({200}), 10);
  EXPECT_EQ(i.makespan_ns.low, 88'000);
  EXPECT_EQ(i.makespan_ns.high, 88'000);
}

TEST(IntervalsOfPredictions, AreStudents) {
  std::vector<Prediction> runs(3);
  runs[0].makespan_ns = 10;
  runs[1].makespan_ns = 14;
  runs[2].makespan_ns = 12;
  const PredictionIntervals i = intervals_of_predictions(runs);
  EXPECT_NEAR(i.makespan_ns.middle, 12, 1e-12);
  EXPECT_NEAR(i.makespan_ns.high, 12 + 4.303 * 2 / std::sqrt(3.0), 1e-9);
  EXPECT_FALSE(i.measured_ns.has_value());
}

}  // namespace
}  // namespace slackline
