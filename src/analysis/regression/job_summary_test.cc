#include "analysis/regression/job_summary.h"

#include <fmt/format.h>
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
  return summary_from_json(parse_json(json_text(JobSummaryJson(summary))), "s.json").value();
}

TEST(JobSummary, ReadsWhatItWrites) {
  const JobSummary all = merged({summary_of_run(1e9), summary_of_run(1.5e9)});
  EXPECT_EQ(json_text(JobSummaryJson(read_back(all))), json_text(JobSummaryJson(all)));
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

// A run names its largest functions, waits and causes only: one that it does not name may have
// taken up to the time of the least of those, so that its time is not known, and is not 0.
TEST(JobSummary, WhatNotAllRunsNameIsNotKnown) {
  JobSummary more = summary_of_run(1e9, "other");
  more.functions.push_back({"kernel", {1e8}, {1.5e8}, {2}});
  more.waits.push_back({"wait_at_barrier", {0.05}});
  more.causes.push_back({"transfer", 0.1, {}, {}, ""});
  const JobSummary all = merged({more, summary_of_run(1e9)});
  ASSERT_EQ(all.functions.size(), 1u);
  EXPECT_EQ(all.functions[0].name, "kernel");
  EXPECT_THAT(all.functions[0].mean_ns, ElementsAre(1e8, 2e8));
  EXPECT_THAT(all.functions[0].slowest_rank, ElementsAre(2, 3));
  ASSERT_EQ(all.waits.size(), 1u);
  EXPECT_EQ(all.waits[0].pattern, "late_sender");
  ASSERT_EQ(all.causes.size(), 1u);
  EXPECT_EQ(all.causes[0].limit, "imbalance");
}

TEST(JobSummary, RepeatsAreOfOneProgramAndSize) {
  JobSummary fewer = summary_of_run(1e9);
  fewer.ranks = 2;
  EXPECT_THROW(merged({summary_of_run(1e9), fewer}), Error);
  JobSummary other = summary_of_run(1e9);
  other.program = "/build/7/other -n 4";
  EXPECT_THROW(merged({summary_of_run(1e9), other}), Error);
  other.program = "/build/7/app -n 4";
  EXPECT_EQ(merged({summary_of_run(1e9), other}).runs(), 2u);
  other.program = "";
  EXPECT_EQ(merged({summary_of_run(1e9), other}).runs(), 2u);
}

TEST(JobSummary, CommandsAreComparedWithoutPaths) {
  const auto compared = [](const std::string& program) {
    return compared_command({.program = program});
  };
  EXPECT_EQ(compared("/tmp/8/app -n 4 --in=/tmp/8/a.txt /tmp/x/ /"), "app -n 4 --in=a.txt x/ /");
  EXPECT_EQ(compared(""), "");
  for (const std::string end : {"b c", "\xc3\xa4\xc3\xa4", "/tmp/c"}) {
    const std::string once = compared(std::string(79, 'a') + end);
    EXPECT_EQ(once, std::string(
                        end == "/tmp/c" ? "c" : std::string(79, 'a') + (end[0] == 'b' ? "b" : "")));
    EXPECT_EQ(compared(once), once);
  }
}

// A trace and its own summary are one run, two runs are not.
TEST(JobSummary, RunsAreToldByWhatWasMeasured) {
  const JobSummary run = summary_of_run(123456789);
  JobSummary summary = read_back(run);
  summary.identity = {};
  summary.functions.clear();
  summary.hosts.clear();
  EXPECT_EQ(content_of_runs(summary), content_of_runs(run));
  EXPECT_NE(content_of_runs(summary_of_run(123456789 + 1000)), content_of_runs(run));
  summary.started = "2026-01-02T03:04:06Z";
  EXPECT_NE(content_of_runs(summary), content_of_runs(run));
  JobSummary simulated = run;
  simulated.started.clear();
  JobSummary later = simulated;
  later.identity.commit = "89abcdef";
  EXPECT_NE(content_of_runs(simulated), content_of_runs(later));
}

TEST(JobSummary, IsAtMostTwoKilobytes) {
  JobSummary s = summary_of_run(1e9);
  s.program = std::string(5000, 'x');
  for (int i = 0; i < 5; ++i) {
    s.functions.push_back({std::string(300, 'f') + std::to_string(i), {1e8}, {1e8}, {1}});
  }
  for (int i = 0; i < 200; ++i) s.hosts.push_back("host-of-some-name-" + std::to_string(i * 2));
  const JobSummary small = within_limit(s);
  EXPECT_LE(json_text(JobSummaryJson(small)).size(), kMostSummaryBytes);
  EXPECT_EQ(small.metrics, s.metrics);
  EXPECT_EQ(small.host_count, 2u);
  const JobSummary repeats = within_limit(merged(std::vector<JobSummary>(12, summary_of_run(1e9))));
  EXPECT_EQ(repeats.runs(), 12u);
  EXPECT_LE(json_text(JobSummaryJson(repeats)).size(), kMostSummaryBytes);
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

/// What is said of a summary in which `from` is replaced by `to`; nothing: it is read.
std::string refused(const std::string& from, const std::string& to) {
  std::string text = json_text(JobSummaryJson(summary_of_run(1e9)));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    EXPECT_TRUE(summary_from_json(parse_json(text), "s.json").has_value());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(JobSummary, ImplausibleNumbersAreRefusedByName) {
  using ::testing::HasSubstr;
  EXPECT_EQ(refused("\"ranks\":4", "\"ranks\":5"), "");
  for (const char* ranks : {"0", "-1", "4.5", "4e12", "null", "\"4\""}) {
    EXPECT_THAT(refused("\"ranks\":4", fmt::format("\"ranks\":{}", ranks)), HasSubstr("'ranks'"));
  }
  for (const char* time : {"0", "-5", "1e300", "null"}) {
    EXPECT_THAT(refused("[1000000000]", fmt::format("[{}]", time)), HasSubstr("'run_times_ns'"));
  }
  EXPECT_THAT(refused("\"parallel_efficiencies\":[0.5]", "\"parallel_efficiencies\":[1e300]"),
              HasSubstr("'parallel_efficiencies'"));
  EXPECT_THAT(refused("\"run_count\":1", "\"run_count\":2"), HasSubstr("'run_count'"));
  EXPECT_THAT(refused("\"host_count\":2", "\"host_count\":-1e30"), HasSubstr("'host_count'"));
  EXPECT_THAT(refused("\"slowest_ranks\":[3]", "\"slowest_ranks\":[4]"),
              HasSubstr("'slowest_ranks'"));
  EXPECT_THAT(refused("\"slowest_ranks\":[3]", "\"slowest_ranks\":[-1]"),
              HasSubstr("'slowest_ranks'"));
  EXPECT_THAT(refused("\"means_ns\":[200000000]", "\"means_ns\":[]"), HasSubstr("'means_ns'"));
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
