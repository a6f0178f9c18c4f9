#include "analysis/regression/job_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace slackline {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

JobSummary summary_of_run(double run_ns, std::string function = "kernel") {
  JobSummary s{.program = "app -n 4", .started = "2026-01-02T03:04:05Z"};
  s.identity = {"slurm:12", "0123abcd", {{"branch", "main"}}};
  s.hosts = {"node[1-2]"};
  s.host_count = 2;
  s.ranks = 4;
  s.metrics = {{{run_ns}, {0.5}, {0.75}, {0.625}, {0.875}, {0.75}}};
  s.waiting = {0.25};
  s.waits = {{"late_sender", {0.125}}};
  s.causes = {{"imbalance", 0.25, {}, {3}, function}};
  s.functions = {{std::move(function), {2e8}, {3e8}, {3}}};
  return s;
}

JobSummary read_back(const JobSummary& summary) {
  return summary_from_json(parse_json(json_text(to_json(summary))), "s.json").value();
}

TEST(JobSummary, ReadsWhatItWrites) {
  const JobSummary all = merged({summary_of_run(1e9), summary_of_run(1.5e9, "other")});
  EXPECT_EQ(json_text(to_json(read_back(all))), json_text(to_json(all)));
  const JobSummary s = read_back(summary_of_run(123456789));
  EXPECT_EQ(s.identity.commit, "0123abcd");
  EXPECT_EQ(s.identity.labels.at(0).second, "main");
  EXPECT_THAT(s.metrics[0], ElementsAre(123457000));
  EXPECT_EQ(s.functions[0].slowest_rank[0], 3);
}

// The interval of 0.1, 0.2, 0.3: 0.2 and 4.303 times 0.1 / sqrt(3) (2 degrees of freedom).
TEST(JobSummary, RepeatsHaveIntervals) {
  std::vector<JobSummary> runs;
  for (const double share : {0.1, 0.2, 0.3}) {
    runs.push_back(summary_of_run(1e9));
    runs.back().causes[0].share = share;
  }
  const JobSummary all = merged(runs);
  EXPECT_EQ(all.runs(), 3u);
  EXPECT_NEAR(all.causes[0].share, 0.2, 1e-12);
  EXPECT_NEAR(all.causes[0].interval->second, 0.2 + 4.303 * 0.1 / std::sqrt(3), 1e-4);
}

// A function that a run does not name has no time in it.
TEST(JobSummary, RunsMayNameOtherFunctions) {
  const JobSummary all = merged({summary_of_run(1e9), summary_of_run(1e9, "other")});
  ASSERT_EQ(all.functions.size(), 2u);
  EXPECT_THAT(all.functions[1].mean_ns, ElementsAre(0, 2e8));
  EXPECT_THAT(all.functions[1].slowest_rank, ElementsAre(-1, 3));
  JobSummary fewer = summary_of_run(1e9);
  fewer.ranks = 2;
  EXPECT_THROW(merged({summary_of_run(1e9), fewer}), Error);
}

TEST(JobSummary, IsAtMostTwoKilobytes) {
  JobSummary s = summary_of_run(1e9);
  s.program = std::string(5000, 'x');
  for (int i = 0; i < 5; ++i) {
    s.functions.push_back({std::string(300, 'f') + std::to_string(i), {1e8}, {1e8}, {1}});
  }
  for (int i = 0; i < 200; ++i) s.hosts.push_back("host-of-some-name-" + std::to_string(i * 2));
  const JobSummary small = within_limit(s);
  EXPECT_LE(json_text(to_json(small)).size(), kMostSummaryBytes);
  EXPECT_EQ(small.metrics, s.metrics);
  EXPECT_EQ(small.host_count, 2u);
  const JobSummary repeats = within_limit(merged(std::vector<JobSummary>(12, summary_of_run(1e9))));
  EXPECT_EQ(repeats.runs(), 12u);
  EXPECT_LE(json_text(to_json(repeats)).size(), kMostSummaryBytes);
  EXPECT_THROW(within_limit(merged(std::vector<JobSummary>(500, summary_of_run(1e9)))), Error);
}

TEST(JobSummary, OtherFilesAreNone) {
  const auto read = [](const char* text) { return summary_from_json(parse_json(text), "s.json"); };
  EXPECT_FALSE(read("{}"));
  EXPECT_FALSE(read("[1]"));
  EXPECT_FALSE(read(R"({"schema": "slackline/1", "result": {}})"));
  EXPECT_THROW(read(R"({"schema": "slackline-summary/2"})"), Error);
  EXPECT_THROW(read(R"({"schema": "slackline-summary/1"})"), Error);
  EXPECT_THROW(read(R"({"schema": "slackline-summary/1", "ranks": 4, "host_count": 1,
                       "run_times_ns": ["x"]})"),
               Error);
  EXPECT_THROW(read(R"({"schema": "slackline-summary/1", "ranks": 4e12, "host_count": 1})"), Error);
}

TEST(HostRanges, FoldNumbers) {
  EXPECT_THAT(host_ranges({"n09", "n10", "n11", "n10", "login", "n2", "n3"}),
              ElementsAre("login", "n[09-11]", "n[2-3]"));
  EXPECT_TRUE(host_ranges({}).empty());
}

TEST(SummaryGroup, HasSumsOverRanks) {
  const RunGroup group = group_of(summary_of_run(1e9), "A");
  ASSERT_EQ(group.runs.size(), 1u);
  EXPECT_EQ(group.runs[0].cube.sum({"computation", "kernel"}), 8e8);
  EXPECT_EQ(group.runs[0].cube.sum({"late_sender", ""}), 0.125 * 4e9);
  const RunDifference d = difference(group, group_of(summary_of_run(2e9), "B"));
  EXPECT_FALSE(d.by_rank);
  EXPECT_EQ(d.metrics[0].difference(), 1e9);
}

}  // namespace
}  // namespace slackline
