#include "analysis/summary/scenario_runs.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "analysis/summary/diagnosis.h"
#include "formats/text/text.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using testing::timed_trace;

/// How long a run takes in each scenario, in ns.
std::vector<double> run_times(const Trace& run, const std::vector<RunScenario>& scenarios) {
  std::vector<double> times;
  const CallMatching matching(run);
  const CausalOrder order(run, matching);
  DiagnosisOptions options;
  options.limited = [&](ScenarioRuns& runs, std::span<const LimitingCause>) {
    for (const RunOutcome& outcome : runs.execute(scenarios)) times.push_back(outcome.run_ns);
  };
  diagnose(run, CallPaths(run), matching, order, wait_states(run, matching, order, {}), options);
  return times;
}

RunScenario with_gaps(GapChanges changes) {
  return {.gaps = std::make_shared<const GapChanges>(std::move(changes))};
}

// Both ranks sleep 600 of the 900 ns before the barrier.
TEST(ScenarioRuns, ChangeOnlyWhatALossLeaves) {
  const Trace run = timed_trace(2,
                                "rank 0\n @300 +600 pause blocked\n @900 +100 barrier\n"
                                "rank 1\n @300 +600 pause blocked\n @900 +100 barrier\n");
  const RunScenario no_sleep = RunScenario().without_loss(Limit::blocked);
  RunScenario tenth = with_gaps({{-90, 0}, {-90, 0}});
  RunScenario tenth_of_the_rest = tenth;
  tenth_of_the_rest.without = no_sleep.without;
  RunScenario nothing = with_gaps({{-5000, 0}, {-5000, 0}});
  const auto times = run_times(run, {{}, no_sleep, tenth, tenth_of_the_rest, nothing});
  EXPECT_DOUBLE_EQ(times[0], 1000);
  EXPECT_DOUBLE_EQ(times[1], 400);
  EXPECT_DOUBLE_EQ(times[2], 910);
  EXPECT_DOUBLE_EQ(times[3], 370);
  EXPECT_DOUBLE_EQ(times[4], 100);  // no computation takes less than no time
}

// Two ranks that come at the same time to ten reductions of 1 ms with 64 KiB.
TEST(ScenarioRuns, SavePartsOfCallsBesideEachOther) {
  std::string text;
  for (const int rank : {0, 1}) {
    text += "rank " + std::to_string(rank) + "\n";
    for (int i = 0; i < 10; ++i) {
      text += " @" + std::to_string(100'000 + i * 1'100'000) + " +1000000 allreduce bytes=65536\n";
    }
  }
  CallChanges fourth;
  fourth.saved[static_cast<std::size_t>(Operation::allreduce)] = 0.25;
  const RunScenario calls{.calls = std::make_shared<const CallChanges>(fourth)};
  RunScenario both = calls;
  both.without[static_cast<std::size_t>(Limit::transfer)] = 0.5;
  const RunScenario half = RunScenario().without_loss(Limit::transfer, 0.5);
  const auto times = run_times(timed_trace(2, text), {{}, calls, half, both});
  EXPECT_NEAR(times[0] - times[1], 2.5e6, 1);
  EXPECT_NEAR(times[0] - times[2], 5e6, 1);
  EXPECT_NEAR(times[0] - times[3], 7.5e6, 1);
}

// Rank 1 comes 600 ns after rank 0 to the first of two barriers.
TEST(ScenarioRuns, DoNotWaitInCallsThatAreNotMade) {
  const Trace run = timed_trace(2,
                                "rank 0\n @100 +620 barrier\n @1300 +20 barrier\n"
                                "rank 1\n @700 +20 barrier\n @800 +520 barrier\n");
  CallSet barriers(run);
  for (const std::int32_t rank : {0, 1}) barriers.insert(rank, 0);
  CallChanges changes;
  changes.omitted = std::move(barriers);
  const auto times =
      run_times(run, {{}, {.calls = std::make_shared<const CallChanges>(std::move(changes))}});
  EXPECT_DOUBLE_EQ(times[0], 1320);
  // Rank 0 computes 100 + 580 ns, rank 1 700 + 80 ns; then the second barrier.
  EXPECT_DOUBLE_EQ(times[1], 800);
}

}  // namespace
}  // namespace slackline
