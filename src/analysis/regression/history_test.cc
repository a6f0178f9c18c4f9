#include "analysis/regression/history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

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
  s.identity.commit = fmt::format("c{:02}aaaa", commit);
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
  EXPECT_EQ(h.by_ranks[0].points[changed.point].commit, fmt::format("c{:02}aaaa", kChanged));
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
  const History h = history(runs(0), {"c05aaaa89", "c02aaaa", "c07aaaa"});
  ASSERT_EQ(h.by_ranks[0].points.size(), 3u);
  EXPECT_EQ(h.by_ranks[0].points[0].commit, "c05aaaa89");
  EXPECT_EQ(h.by_ranks[0].points[1].commit, "c02aaaa");
  EXPECT_EQ(h.findings.entries().at(0).name, "commit_not_listed");
  EXPECT_EQ(h.findings.entries().at(0).count, 27u);
}

// The exact name first; a shortened one only if it is a hash, and of one commit only.
TEST(History, ShortenedCommitsAreOfOneListedCommit) {
  const auto point = [](const std::string& commit, const std::vector<std::string>& commits) {
    HistoryEntry entry = run_of(0, 0);
    entry.summary.identity.commit = commit;
    const History h = history({entry}, commits);
    return h.by_ranks.empty() ? std::string() : h.by_ranks[0].points[0].commit;
  };
  EXPECT_EQ(point("abcdef01", {"abcdef0", "abcdef01"}), "abcdef01");
  EXPECT_EQ(point("abcdef01", {"abcdef0", "0123456"}), "abcdef0");
  EXPECT_EQ(point("abcdef0", {"abcdef01", "0123456"}), "abcdef01");
  EXPECT_EQ(point("abcdef0", {"abcdef01", "abcdef02"}), "");
  EXPECT_EQ(point("abcdef", {"abcdef01"}), "");
  EXPECT_EQ(point("release-1", {"release-10"}), "");
  EXPECT_EQ(point("", {"0.json"}), "0.json");
}

TEST(History, IsOfOneProgram) {
  std::vector<HistoryEntry> entries = runs(0);
  for (HistoryEntry& more : runs(0)) entries.push_back(std::move(more));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].summary.program = i < kCommits ? "/tmp/1/app in.small" : "/tmp/2/app in.large";
  }
  const History h = history(entries, {});
  ASSERT_EQ(h.by_ranks.size(), 2u);
  EXPECT_EQ(h.by_ranks[0].program, "app in.large");
  EXPECT_EQ(h.by_ranks[1].points[4].runs.runs(), 1u);
  EXPECT_EQ(h.tested, 16u);
  EXPECT_THROW(efficiency_badge(h), Error);
}

TEST(History, MediansOfTwoRunsAreTheirMean) {
  std::vector<HistoryEntry> entries = runs(0.1);
  for (HistoryEntry& more : runs(0.1)) entries.push_back(std::move(more));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool changed = entries[i].summary.metrics[0][0] > 1.05e9;
    entries[i].summary.metrics[0][0] = (changed ? 2e9 : 1e9) + (i < kCommits ? 1e8 : 0);
  }
  const History h = history(entries, {});
  ASSERT_EQ(h.by_ranks[0].changed.size(), 1u);
  EXPECT_EQ(h.by_ranks[0].changed[0].changes[0].before, 1.05e9);
  EXPECT_EQ(h.by_ranks[0].changed[0].changes[0].after, 2.05e9);
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
