#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "analysis/phases/level_changes.h"
#include "analysis/phases/loop_changes.h"
#include "analysis/phases/monitor.h"
#include "analysis/phases/prepared_series.h"
#include "calls/iterations.h"
#include "graph/testing/text_graph.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using ::testing::Each;
using ::testing::SizeIs;
using testing::timed_trace;

/// One rank whose calls take 10 ns, each after a computation.
class Program {
 public:
  Program& call(const std::string& text, std::int64_t computation) {
    now_ += computation;
    text_ += " @" + std::to_string(now_) + " +10 " + text + "\n";
    now_ += 10;
    return *this;
  }
  Trace trace() const { return timed_trace(1, text_); }

 private:
  std::string text_ = "rank 0\n";
  std::int64_t now_ = 0;
};

/// A step of 1,000 ns with an inner loop of 5 to 25 rounds of 100 ns, `factor` times as long from
/// step `slower` on.
Trace rounds_of_varying_number(std::size_t steps, std::size_t slower, std::int64_t factor) {
  Program program;
  for (std::size_t k = 0; k < steps; ++k) {
    program.call("bcast root=0 bytes=8", 1000);
    const std::size_t rounds = 5 + k * 7919 % 21;
    for (std::size_t i = 0; i < rounds; ++i) {
      program.call("allreduce bytes=8", k < slower ? 100 : 100 * factor).call("barrier", 50);
    }
  }
  return program.trace();
}

TEST(RankLoops, RoundsOfVaryingNumberAreAnInnerLoop) {
  const Trace trace = rounds_of_varying_number(40, 40, 1);
  const std::vector<RankLoop> loops = rank_loops(trace, CallPaths(trace), 0);
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].count(), 40u);
}

TEST(RankLoops, SingleCallsBetweenOutputsAreIterations) {
  Program program;
  for (int k = 0; k < 60; ++k) {
    program.call("allreduce bytes=8", 1000);
    if (k % 10 == 9) program.call("gather root=0 bytes=4096", 10);
  }
  const Trace trace = program.trace();
  const std::vector<RankLoop> loops = rank_loops(trace, CallPaths(trace), 0);
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].count(), 60u);
}

TEST(RankLoops, EqualCallsFromDifferentFunctionsAreDifferent) {
  TraceBuilder trace(1, true);
  std::int64_t now = 0;
  for (int k = 0; k < 20; ++k) {
    for (const char* function : {"density", "energy", "momentum", "pressure"}) {
      const FrameId frame = trace.call_tree().child(0, {.function = function, .file = "a.c"});
      trace.calls(0).append({.operation = Operation::allreduce,
                             .frame = frame,
                             .begin_ns = now + 100,
                             .end_ns = now + 110,
                             .bytes = 8,
                             .tag = 8});
      now += 110;
    }
  }
  const std::vector<RankLoop> loops = rank_loops(trace, CallPaths(trace), 0);
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].count(), 20u);
}

std::vector<IterationTimes> times_of(const Trace& trace) {
  const CallPaths paths(trace);
  const std::vector<IterationLoop> loops = find_iterations(trace, paths);
  return {iteration_times(trace, paths, {}, loops.at(0).first_call.at(0), 0)};
}

// In each step the mean of the rounds is the same: so is the time of a step with as many rounds.
TEST(IterationTimes, DoNotDependOnTheNumberOfRounds) {
  const std::vector<IterationTimes> times = times_of(rounds_of_varying_number(42, 42, 1));
  ASSERT_THAT(times, SizeIs(1));
  EXPECT_THAT(times[0].computation, Each(::testing::DoubleNear(times[0].computation[0], 1e-6)));
  // 42 steps have each number of rounds twice, 15 on average.
  EXPECT_NEAR(times[0].computation[0], 1000 + 15 * 150, 1e-6);
  EXPECT_NEAR(times[0].length[0], 1000 + 10 + 5 * 170, 1e-6);
}

TEST(IterationTimes, FollowWhatRoundsCost) {
  const std::vector<IterationTimes> times = times_of(rounds_of_varying_number(42, 21, 3));
  EXPECT_NEAR(times[0].computation[20], 1000 + 15 * 150, 1e-6);
  EXPECT_NEAR(times[0].computation[21], 1000 + 15 * 350, 1e-6);
}

TEST(IterationTimes, AreTheMeasuredOnesWhereIterationsMakeEqualCalls) {
  Program program;
  for (int k = 0; k < 10; ++k) program.call("barrier", 100 + k).call("allreduce bytes=8", 7 * k);
  const std::vector<IterationTimes> times = times_of(program.trace());
  for (std::size_t k = 1; k < 10; ++k) {
    EXPECT_NEAR(times[0].computation[k], 100 + 8 * static_cast<double>(k), 1e-9);
    EXPECT_NEAR(times[0].communication[k], 20, 1e-9);
  }
}

// The computation is equally long; the machine takes the processor away from step 30 on.
TEST(IterationTimes, TakeTimeWithoutAProcessorOut) {
  TraceBuilder trace(1, true);
  std::int64_t now = 0;
  for (std::uint32_t k = 0; k < 60; ++k) {
    now += 1000;
    if (k >= 30) {
      trace.calls(0).append_pause({now, now + 700, k, PauseKind::no_processor});
      now += 700;
    }
    trace.calls(0).append({.operation = Operation::allreduce, .begin_ns = now, .end_ns = now + 10});
    now += 10;
  }
  const std::vector<IterationTimes> times = times_of(trace);
  EXPECT_THAT(times[0].computation, Each(::testing::DoubleNear(1000, 1e-9)));
  EXPECT_EQ(times[0].without_processor[29], 0);
  EXPECT_EQ(times[0].without_processor[30], 700);
  const LoopChanges changes = loop_changes(find_iterations(trace, CallPaths(trace))[0], times);
  ASSERT_THAT(changes.changes, SizeIs(1));
  EXPECT_EQ(changes.changes[0].iteration, 30u);
  EXPECT_EQ(changes.changes[0].metric, PhaseMetric::processors);
  EXPECT_NEAR(changes.off_processor_share, 21.0 / 81, 1e-9);
}

double grown(const SeriesTrend& trend) {
  return std::exp(trend.at(1));
}

TEST(SeriesTrend, IsFoundBesideLevels) {
  const std::size_t steps = 101;
  for (const bool linear : {false, true}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < steps; ++i) {
      const double t = static_cast<double>(i) / 100;
      const double level = i < 30 ? 2 : i < 60 ? 5 : 3;
      values.push_back(level + (linear ? std::log(1 + 1.5 * t) : std::log(2.5) * t));
    }
    const SeriesTrend trend = fit_trend(values, {30, 60}, {-1, 0, 0.5, 1, 2});
    EXPECT_EQ(trend.power, linear ? 1 : 0);
    EXPECT_NEAR(grown(trend), 2.5, 1e-6);
  }
}

TEST(LevelChanges, AreNoneWhereAllGrowsSteadily) {
  for (const double growth : {0.004, 0.02, -0.004}) {
    StepSeries series{.values = {}, .least_change = 5};
    for (int i = 0; i < 100; ++i) series.values.push_back(100 * (1 + growth * i) + i * 7919 % 3);
    const LevelAnalysis found = level_changes({series});
    EXPECT_THAT(found.changes, SizeIs(0)) << growth;
    ASSERT_THAT(found.trends, SizeIs(1)) << growth;
    EXPECT_NEAR(found.trends[0].first, 101, 3);
    EXPECT_NEAR(found.trends[0].last, 101 + 99 * 100 * growth, 4);
  }
}

TEST(LevelChanges, AreFoundOnATrend) {
  StepSeries series{.values = {}, .least_change = 5};
  for (int i = 0; i < 100; ++i) {
    series.values.push_back((i < 60 ? 100 : 140) * (1 + 0.005 * i) + i * 7919 % 3);
  }
  const LevelAnalysis found = level_changes({series});
  ASSERT_THAT(found.changes, SizeIs(1));
  EXPECT_EQ(found.changes[0].at, 60u);
  EXPECT_THAT(found.trends, SizeIs(1));
}

TEST(LevelChanges, NoSingleStepsOfABurstySeries) {
  StepSeries series{.values = std::vector<double>(100, 1.0),
                    .least_change = 5,
                    .by_ratio = false,
                    .bursty = true};
  for (const std::size_t i : {10u, 11u, 50u, 70u, 72u}) series.values[i] = 1000;
  EXPECT_THAT(level_changes({series}).changes, SizeIs(0));
  for (std::size_t i = 40; i < 100; ++i) series.values[i] += 40;
  const std::vector<LevelChange> found = level_changes({series}).changes;
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].at, 40u);
}

// 0.5 % of the first iteration's 1,000 ns more in each iteration.
TEST(Monitor, ReportsATrendInASentence) {
  Program program;
  for (int k = 0; k < 101; ++k) program.call("allreduce bytes=8", 1000 + 5 * k);
  const Trace trace = program.trace();
  const Monitor m = monitor(trace, CallMatching(trace), CallPaths(trace), {.windows = 8});
  ASSERT_TRUE(m.iterations);
  EXPECT_THAT(m.iterations->changes, SizeIs(0));
  ASSERT_THAT(m.iterations->trends, SizeIs(1));
  EXPECT_NEAR(m.iterations->trends[0].growth, 0.005, 0.0002);
  EXPECT_THAT(kIterations.object(*m.iterations)["trends"], SizeIs(1));
  EXPECT_EQ(m.intervals.size(), 1u);
}

// 0.8 % of the first iteration's 1,000 ns more in each, on all of three ranks or on the last one.
TEST(LoopChanges, NameTheRankOnlyIfItGrowsAlone) {
  for (const bool all : {true, false}) {
    IterationLoop loop;
    std::vector<IterationTimes> times(3);
    for (std::int64_t k = 0; k <= 50; ++k) loop.border_ns.push_back(1200 * k);
    loop.count = 50;
    for (std::size_t r = 0; r < 3; ++r) {
      for (int k = 0; k < 50; ++k) {
        times[r].computation.push_back(all || r == 2 ? 1000 + 8 * k : 1000);
      }
      times[r].communication.assign(50, 10);
      times[r].waiting = times[r].without_processor = std::vector<double>(50, 0);
      times[r].length = times[r].computation;
    }
    const LoopChanges found = loop_changes(loop, times);
    EXPECT_THAT(found.changes, SizeIs(0));
    ASSERT_THAT(found.trends, SizeIs(1));
    EXPECT_EQ(found.trends[0].rank, all ? -1 : 2);
    EXPECT_NEAR(found.trends[0].growth, 0.008, 5e-4);
  }
}

}  // namespace
}  // namespace slackline
