#include "analysis/phases/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/phases/level_changes.h"
#include "base/error.h"
#include "calls/iterations.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::timed_trace;

TEST(TransferMonitor, FollowsFormulas2And3) {
  // Pairs of rank 1: 100 + 60 of which 70 is waiting for the send at 120 -> ideal 20 more than 100;
  // then 40 + 10, all transfer.
  const Trace trace = testing::timed_trace(
      2,
      "rank 0\n @120 +10 send to=1 bytes=8\n @140 +2 send to=1 bytes=8\n"
      "rank 1\n @100 +60 recv from=0 bytes=8\n @200 +10 recv from=0 bytes=8\n");
  const CallMatching matching(trace);
  const TransferMonitor m =
      transfer_monitor(trace, ideal_run(trace, matching, {}), 1, run_span(trace).whole.begin_ns);
  EXPECT_THAT(m.time_ns, ElementsAre(160, 210));
  EXPECT_THAT(m.local, ElementsAre(120.0 / 160, 40.0 / 50));
  EXPECT_THAT(m.cumulative, ElementsAre(120.0 / 160, 160.0 / 210));
}

// Rank 1 is the monitor's (of most calls); the run starts with rank 0, 50 before it.
TEST(EfficiencyCounters, StandAtTheTimesOfTheTrace) {
  const Trace trace = testing::timed_trace(
      2,
      "rank 0 start=1000\n @1100 +10 send to=1 bytes=8\n"
      "rank 1 start=1050\n @1060 +60 recv from=0 bytes=8\n @1130 +1 barrier\n");
  const auto counters =
      efficiency_counters(trace, monitor(trace, CallMatching(trace), CallPaths(trace), {}));
  ASSERT_EQ(counters.size(), 5u);
  const auto& cumulative = counters.back().points;
  ASSERT_EQ(cumulative.size(), 2u);
  EXPECT_EQ(cumulative[0].first, 1120);
  EXPECT_EQ(cumulative[1].first, 1131);
}

// One rank of 4 threads, of which one works 600 ns of a region and the others 200; the rest is
// serial, and MPI from 900 on.
TEST(Windows, HaveTheEfficiencyOfThreads) {
  const Trace trace = timed_trace(1,
                                  "rank 0\n @0 +0 barrier\n"
                                  " @100 +600 parallel busy=200,200,200,600 waiting=400,400,400,0\n"
                                  " @900 +100 barrier\n");
  const Monitor m = monitor(trace, CallMatching(trace), CallPaths(trace), {.windows = 10});
  ASSERT_EQ(m.windows.size(), 10u);
  for (std::size_t w = 0; w < 10; ++w) {
    const double expected = w == 9 ? 1 : w >= 1 && w < 7 ? 1200.0 / 2400 : 1.0 / 4;
    EXPECT_NEAR(m.windows[w].openmp.value_or(-1), expected, 1e-12) << w;
  }
  EXPECT_NEAR(m.whole.openmp.value_or(-1), 1500.0 / 3600, 1e-12);
  EXPECT_EQ(efficiency_counters(trace, m)[4].name, "OpenMP efficiency");
}

// The computation of an iteration takes 1000 ns throughout; from iteration 30 on it is serial.
TEST(Phases, ChangeWhereThreadsBecomeIdle) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    text += "rank " + std::to_string(rank) + "\n";
    for (int k = 0; k < 60; ++k) {
      const std::string begin = std::to_string(1010 * k);
      if (k < 30) text += " @" + begin + " +1000 parallel busy=1000,1000 waiting=0,0\n";
      text += " @" + std::to_string(1010 * k + 1000) + " +10 allreduce bytes=8\n";
    }
  }
  const Trace trace = timed_trace(2, text);
  const Monitor m = monitor(trace, CallMatching(trace), CallPaths(trace), {});
  ASSERT_EQ(m.intervals.size(), 2u);
  EXPECT_EQ(m.intervals[1].begin_ns, 30 * 1010);
  EXPECT_NEAR(m.intervals[0].efficiency.openmp.value_or(-1), 1, 1e-12);
  EXPECT_NEAR(m.intervals[1].efficiency.openmp.value_or(-1), 0.5, 1e-12);
  EXPECT_EQ(m.intervals[0].kind, IntervalKind::computing);
  EXPECT_EQ(m.intervals[1].kind, IntervalKind::threads);
  EXPECT_EQ(m.phases, 2u);
  ASSERT_TRUE(m.iterations);
  ASSERT_EQ(m.iterations->changes.size(), 1u);
  EXPECT_EQ(m.iterations->changes[0].iteration, 30u);
  EXPECT_EQ(m.iterations->changes[0].metric, PhaseMetric::threads);
  EXPECT_NEAR(m.iterations->changes[0].before_ns, 0, 1e-9);
  EXPECT_NEAR(m.iterations->changes[0].after_ns, 500, 1e-9);
}

TEST(Phases, WithoutThreadsSayNothingOfThem) {
  const Trace trace = timed_trace(1, "rank 0\n @0 +0 barrier\n @900 +100 barrier\n");
  const Monitor m = monitor(trace, CallMatching(trace), CallPaths(trace), {});
  EXPECT_FALSE(m.whole.openmp);
  EXPECT_FALSE(m.windows.front().openmp);
}

TEST(TransferMonitor, LocallyLosesNothingWhereTheIdealRunWaitsLonger) {
  // On the ideal network rank 1 has its first message at 10 instead of 110, and so waits from 20
  // to 120 in the second receive, which took 10 ns when observed.
  const Trace trace =
      testing::timed_trace(2,
                           "rank 0\n @10 +1 send to=1 bytes=8\n @120 +1 send to=1 bytes=8\n"
                           "rank 1\n @5 +105 recv from=0 bytes=8\n @120 +10 recv from=0 bytes=8\n");
  const TransferMonitor m = transfer_monitor(trace, ideal_run(trace, CallMatching(trace), {}), 1,
                                             run_span(trace).whole.begin_ns);
  EXPECT_THAT(m.local, ElementsAre(10.0 / 110, 1.0));
  EXPECT_EQ(m.longer_pairs, 1u);
  EXPECT_THAT(m.cumulative, ElementsAre(10.0 / 110, 119.0 / 130));
}

TEST(Monitor, SetsStartUpAndShutDownApart) {
  const Trace trace =
      testing::timed_trace(2,
                           "rank 0\n @0 +500 init\n @900 +100 barrier\n @1500 +40 finalize\n"
                           "rank 1\n @0 +500 init\n @800 +200 barrier\n @1500 +60 finalize\n");
  const Monitor m = monitor(trace, CallMatching(trace), CallPaths(trace), {});
  ASSERT_GE(m.intervals.size(), 3u);
  EXPECT_EQ(m.intervals.front().kind, IntervalKind::startup);
  EXPECT_EQ(m.intervals.front().end_ns, 500);
  EXPECT_EQ(m.border_ns.front(), 500);
  EXPECT_EQ(m.intervals.back().kind, IntervalKind::shutdown);
  EXPECT_EQ(m.intervals.back().begin_ns, 1500);
  EXPECT_EQ(m.intervals.back().end_ns, 1560);
  EXPECT_EQ(m.transfer.time_ns.front(), 1000);
}

/// 60 steps at three levels, with noise of 1 %.
StepSeries three_levels() {
  StepSeries series{.values = {}, .least_change = 0.03, .by_ratio = false};
  for (int i = 0; i < 60; ++i) {
    const double noise = 0.01 * ((i * 7919) % 11 - 5) / 5;
    series.values.push_back((i < 20 ? 0.9 : i < 45 ? 0.4 : 0.7) + noise);
  }
  return series;
}

TEST(LevelChanges, AreFoundAndNoneInNoise) {
  const StepSeries series = three_levels();
  const std::vector<LevelChange> found = level_changes({series}).changes;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at, 20u);
  EXPECT_EQ(found[1].at, 45u);
  EXPECT_NEAR(found[0].before, 0.9, 0.01);
  EXPECT_NEAR(found[1].after, 0.7, 0.01);
  EXPECT_GT(found[0].confidence, 0.9);
  StepSeries first = series;
  first.values.resize(20);
  EXPECT_TRUE(level_changes({first}).changes.empty());
  EXPECT_TRUE(level_changes({}).changes.empty());
  EXPECT_TRUE(level_changes({StepSeries{.values = {}, .least_change = 1}}).changes.empty());
}

TEST(LevelChanges, OneSeriesOfManyIsEnough) {
  std::vector<StepSeries> series(1000, three_levels());
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (i == 700) continue;
    for (double& v : series[i].values) v = v > 0.8 ? v : v > 0.6 ? v + 0.2 : v + 0.5;
  }
  const std::vector<LevelChange> found = level_changes(series).changes;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at, 20u);
  EXPECT_EQ(found[0].series, 700u);
}

TEST(LevelChanges, SingleStepsAreOutliersAndNoLevels) {
  StepSeries series = three_levels();
  for (const std::size_t i : {5u, 30u, 31u}) series.values[i] += 2;
  ASSERT_EQ(level_changes({series}).changes.size(), 2u);
}

/// The loops of rank 0 of a run whose calls are these, one after the other.
std::vector<RankLoop> loops_of(const std::vector<std::string>& calls) {
  std::string text = "rank 0\n";
  for (std::size_t i = 0; i < calls.size(); ++i) {
    text += " @" + std::to_string(100 * i) + " +10 " + calls[i] + "\n";
  }
  const Trace trace = testing::timed_trace(2, text + "rank 1\n");
  return rank_loops(trace, CallPaths(trace), 0);
}

const std::string kSend = "isend to=1 bytes=8 req=1";
const std::string kReceive = "recv from=1 bytes=8";
const std::string kSum = "allreduce bytes=8";

TEST(RankLoops, AStepIsNeitherItsInnerLoopNorTheStepsBetweenTwoOutputs) {
  std::vector<std::string> calls{"bcast root=0 bytes=64"};
  for (int step = 0; step < 30; ++step) {
    for (int round = 0; round < 2 + step % 3; ++round) {
      calls.push_back(kSend);
      calls.push_back(kReceive);
    }
    calls.push_back(kSum);
    calls.emplace_back("barrier");
    if (step % 10 == 9) calls.emplace_back("gather root=0 bytes=512");
  }
  const std::vector<RankLoop> loops = loops_of(calls);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].count(), 30u);
  EXPECT_EQ(loops[0].first_call.front(), 1u);
}

TEST(RankLoops, EqualCallsAndLoopsBehindEachOtherAreSeparateLoops) {
  std::vector<std::string> calls;
  for (int i = 0; i < 20; ++i) calls.emplace_back("barrier");
  for (int i = 0; i < 12; ++i) {
    calls.push_back(kReceive);
    calls.push_back(kSum);
  }
  const std::vector<RankLoop> loops = loops_of(calls);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].count(), 20u);
  EXPECT_EQ(loops[1].count(), 12u);
}

TEST(RankLoops, EqualCallsAreALoopBesideALongerSingleCall) {
  std::string text = "rank 0\n @0 +900 barrier\n";
  for (int i = 0; i < 20; ++i) {
    text += " @" + std::to_string(990 + 100 * i) + " +10 allreduce bytes=8\n";
  }
  const Trace trace = timed_trace(1, text);
  const std::vector<RankLoop> loops = rank_loops(trace, CallPaths(trace), 0);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].count(), 20u);
}

TEST(RankLoops, NoneWhereNothingRepeats) {
  EXPECT_TRUE(loops_of({kReceive, "barrier", kSum, "barrier"}).empty());
  EXPECT_TRUE(loops_of({}).empty());
}

// Two ranks: balanced computation, imbalance, slow network, balanced computation again; a barrier
// after each of many steps. Only the rule for the times is written here.
Trace phases() {
  std::string text[2];
  std::int64_t now = 0;
  const auto step = [&](std::int64_t compute0, std::int64_t compute1, std::int64_t transfer) {
    const std::int64_t all = std::max(compute0, compute1);
    for (int r = 0; r < 2; ++r) {
      const std::int64_t compute = r == 0 ? compute0 : compute1;
      text[r] += " @" + std::to_string(now + compute) + " +" +
                 std::to_string(all - compute + transfer) + " barrier\n";
    }
    now += all + transfer;
  };
  for (int i = 0; i < 100; ++i) step(1000, 1000, 10);  // until 101,000
  for (int i = 0; i < 100; ++i) step(1000, 300, 10);   // until 202,000
  for (int i = 0; i < 100; ++i) step(400, 400, 600);   // until 302,000
  for (int i = 0; i < 100; ++i) step(1000, 1000, 10);  // until 403,000
  return testing::timed_trace(2, "rank 0\n" + text[0] + "rank 1\n" + text[1]);
}

TEST(Monitor, FindsRegionsTheirKindsAndTheRepeatedPhase) {
  const Trace trace = phases();
  const CallPaths paths(trace);
  const Monitor m = monitor(trace, CallMatching(trace), paths, {});
  ASSERT_TRUE(m.iterations);
  EXPECT_EQ(m.iterations->count, 400u);
  EXPECT_NEAR(m.iterations->period_ns, 1010, 1);
  ASSERT_EQ(m.intervals.size(), 4u);
  const std::int64_t borders[] = {0, 101'000, 202'000, 302'000};
  const IntervalKind kinds[] = {IntervalKind::computing, IntervalKind::imbalance,
                                IntervalKind::transfer, IntervalKind::computing};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(static_cast<double>(m.intervals[i].begin_ns), static_cast<double>(borders[i]),
                2000);
    EXPECT_EQ(m.intervals[i].kind, kinds[i]) << i;
    EXPECT_GT(m.intervals[i].confidence, 0.7);
  }
  EXPECT_EQ(m.phases, 3u);
  EXPECT_EQ(m.intervals[0].phase, m.intervals[3].phase);
  EXPECT_NE(m.intervals[0].representative, m.intervals[3].representative);
  EXPECT_EQ(m.intervals[1].main_pattern, WaitPattern::barrier);
  EXPECT_NEAR(static_cast<double>(m.intervals[1].waiting_ns), 70'000, 2000);
  EXPECT_EQ(m.intervals[1].path_rank, 0);
}

TEST(Monitor, OfUnusualRuns) {
  const Trace empty = testing::timed_trace(2, "rank 0\nrank 1\n");
  const CallPaths paths(empty);
  EXPECT_TRUE(monitor(empty, CallMatching(empty), paths, {}).intervals.empty());
  EXPECT_THROW(monitor(empty, CallMatching(empty), paths, {.rank = 2}), Error);
  const Trace untimed = testing::untimed_trace(1, "rank 0\n pack\n");
  EXPECT_THROW(monitor(untimed, CallMatching(untimed), CallPaths(untimed), {}), Error);
}

}  // namespace
}  // namespace slackline
