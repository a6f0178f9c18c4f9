#include "analysis/regression/history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slackline {
namespace {

constexpr int kCommits = 30;
constexpr int kChanged = 18;

/// `grown`: the part by which kernel takes longer on rank 2 of 4.
HistoryEntry run_of(int commit, double grown) {
  const double noise = 1 + 0.001 * ((commit * 7) % 5 - 2);
  JobSummary s;
  s.ranks = 4;
  s.started = fmt::format("2026-01-{:02}T00:00:00Z", commit + 1);
  s.identity.commit = fmt::format("c{:02}", commit);
  s.metrics = {{{1e9 * noise * (1 + grown)}, {0.9}, {0.95}, {0.95}, {0.97}, {0.98}}};
  s.waiting = {0.05};
  s.functions = {{"kernel",
                  {8e8 * noise * (1 + grown / 4)},
                  {8e8 * noise * (1 + grown)},
                  {grown > 0 ? 2 : commit % 4}},
                 {"halo", {1e7 * noise}, {1e7 * noise}, {commit % 4}}};
  return {fmt::format("{}.json", commit), std::move(s)};
}

std::vector<HistoryEntry> runs(double grown) {
  std::vector<HistoryEntry> entries;
  for (int c = kCommits; c-- > 0;) entries.push_back(run_of(c, c < kChanged ? 0 : grown));
  return entries;
}

TEST(History, FindsTheCommitItsRankAndItsFunction) {
  const History h = history(runs(0.03), {});
  ASSERT_EQ(h.by_ranks.size(), 1u);
  ASSERT_EQ(h.by_ranks[0].changed.size(), 1u);
  const ChangedCommit& changed = h.by_ranks[0].changed[0];
  EXPECT_EQ(h.by_ranks[0].points[changed.point].commit, fmt::format("c{:02}", kChanged));
  EXPECT_EQ(changed.changes.size(), 2u);  // the run time and the function
  ASSERT_EQ(changed.functions.size(), 1u);
  EXPECT_EQ(changed.functions[0].name, "kernel");
  EXPECT_EQ(changed.functions[0].rank, 2);
  EXPECT_NEAR(changed.functions[0].change_ns, 0.03 * 8e8, 0.005 * 8e8);
}

TEST(History, HasNoChangeWhereThereIsNone) {
  EXPECT_TRUE(history(runs(0), {}).by_ranks[0].changed.empty());
}

// In the order of the repository, whatever the dates; commits that it does not have are left out.
TEST(History, FollowsTheListOfCommits) {
  const History h = history(runs(0), {"c05aaaaaaa", "c02", "c07"});
  ASSERT_EQ(h.by_ranks[0].points.size(), 3u);
  EXPECT_EQ(h.by_ranks[0].points[0].commit, "c05");
  EXPECT_EQ(h.by_ranks[0].points[1].commit, "c02");
}

TEST(History, RunsOfOneCommitAreRepeats) {
  std::vector<HistoryEntry> entries = runs(0);
  for (HistoryEntry& more : runs(0)) entries.push_back(std::move(more));
  entries.back().summary.ranks = 8;
  const History h = history(entries, {});
  ASSERT_EQ(h.by_ranks.size(), 2u);
  EXPECT_EQ(h.by_ranks[0].points.size(), 30u);
  EXPECT_EQ(h.by_ranks[0].points[4].runs.runs(), 2u);
  EXPECT_EQ(h.by_ranks[1].points.size(), 1u);
}

TEST(Badge, IsASvgWithTheValue) {
  EXPECT_THAT(efficiency_badge(history(runs(0), {})),
              ::testing::HasSubstr(">90 % on 4 ranks</text>"));
  EXPECT_THAT(badge_svg("a<b", "x&y", -1), ::testing::HasSubstr("a&lt;b: x&amp;y"));
}

}  // namespace
}  // namespace slackline
