#include "analysis/regression/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HistoryEntry run_of(std::string name, std::int32_t ranks, std::vector<double> seconds,
                    double efficiency) {
  JobSummary s{.program = "/tmp/1/app in", .started = "2026-01-02T03:04:05Z"};
  s.ranks = ranks;
  for (const double time : seconds) {
    s.metrics[0].push_back(1e9 * time);
    for (std::size_t m = 1; m < s.metrics.size(); ++m) s.metrics[m].push_back(efficiency);
    s.waiting.push_back(1 - efficiency);
  }
  s.causes = {{"imbalance", 0.25, {}, {3, 5}, "solve"}};
  return {std::move(name), std::move(s)};
}

std::vector<std::string> names_of(const WorstRuns& runs) {
  std::vector<std::string> names;
  for (const RunCost& cost : runs.worst) names.push_back(cost.run.name);
  return names;
}

// Lost are 4 x 10 s x .5 = 20 s, 100 x 1 s x .1 = 10 s, 2 x (10 s + 20 s) x .5 = 30 s.
TEST(WorstRuns, AreThoseThatLoseMostRankTimeOverAllRepeats) {
  const std::vector<HistoryEntry> entries{run_of("few", 4, {10}, 0.5),
                                          run_of("many", 100, {1}, 0.9),
                                          run_of("twice", 2, {10, 20}, 0.5)};
  const WorstRuns two = worst_runs(entries, 2);
  EXPECT_THAT(names_of(two), ElementsAre("twice", "few"));
  EXPECT_EQ(two.considered, 3u);
  EXPECT_DOUBLE_EQ(two.all.total_ns, 200e9);
  EXPECT_NEAR(two.all.lost_ns, 60e9, 1);
  EXPECT_NEAR(two.worst[0].time.lost_ns, 30e9, 1);
  EXPECT_THAT(names_of(worst_runs(entries, 20)), ElementsAre("twice", "few", "many"));
  EXPECT_TRUE(worst_runs({}, 20).worst.empty());
}

TEST(WorstRuns, ThatLoseEquallyMuchAreInTheOrderOfTheirNames) {
  const std::vector<HistoryEntry> entries{run_of("c", 4, {1}, 0.5), run_of("a", 4, {1}, 0.5),
                                          run_of("b", 4, {1}, 0.5)};
  EXPECT_THAT(names_of(worst_runs(entries, 2)), ElementsAre("a", "b"));
}

TEST(WorstRuns, SayWhatLimitsThemAndWhere) {
  const auto described = describe(worst_runs({run_of("few", 4, {10}, 0.5)}, 20));
  const auto& table = std::get<Table>(described.sections.at(0).items.at(1));
  ASSERT_EQ(table.rows.size(), 1u);
  const auto text = [&](std::size_t column) {
    return std::get<std::string>(table.rows[0][column]);
  };
  EXPECT_EQ(text(0), "few");
  EXPECT_EQ(text(1), "app in");
  EXPECT_EQ(text(7), "imbalance 25.0 %");
  EXPECT_EQ(text(8), "solve, ranks 3, 5");
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][6]), 0.5);
}

TEST(OpenMetrics, LabelsAreEscapedAndSamplesUnique) {
  HistoryEntry entry = run_of("few", 4, {10}, 0.5);
  entry.summary.program = "app \"a\\b\"";
  entry.summary.identity.labels = {{"a-b", "1"}, {"a_b", "2"}, {"a-b", "3"}};
  const std::string text = openmetrics({entry, entry});
  EXPECT_THAT(text,
              HasSubstr("slackline_run_time_seconds{run=\"few\",program=\"app \\\"a\\\\b\\\"\""));
  EXPECT_THAT(text, HasSubstr("{run=\"few-2\","));
  EXPECT_THAT(text, HasSubstr("label_a_b=\"1\",label_a_b_2=\"2\",label_a_b_3=\"3\"} 10\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

}  // namespace
}  // namespace slackline
