#include "app/report/run_comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using testing::timed_trace;

struct AnalysedRun {
  explicit AnalysedRun(Trace t)
      : trace(std::move(t)),
        graph(build_graph(trace, {})),
        paths(trace),
        model(overview(trace, graph, {}, {10'000})),
        measured(diagnose(trace, paths)) {}

  ComparedRun as(std::string name) const {
    return {std::move(name), trace, paths, model, &measured};
  }

  Trace trace;
  ExecutionGraph graph;
  CallPaths paths;
  Overview model;
  Diagnosis measured;
};

Trace pair_of_ranks(int computation) {
  const std::string at = std::to_string(computation);
  const std::string wait = std::to_string(computation - 20);
  return timed_trace(2, "rank 0\n @" + at + " +10 send to=1 bytes=8\n" + "rank 1\n @30 +" + wait +
                            " recv from=0 bytes=8\n");
}

double number(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

const Table& table(const Report& report, const std::string& id) {
  for (const Section& section : report.sections) {
    for (const Item& item : section.items) {
      const auto* found = std::get_if<Table>(&item);
      if (found != nullptr && found->id == id) return *found;
    }
  }
  throw std::runtime_error("no table " + id);
}

// A: rank 0 computes 100 and sends until 110, rank 1 computes 30 and receives until 110.
// B: the same with 200.
TEST(CompareRuns, TellsByMetricOperationAndRank) {
  const AnalysedRun a(pair_of_ranks(100));
  const AnalysedRun b(pair_of_ranks(200));
  const Report report = compare_runs(a.as("a.slk"), b.as("b.slk"));
  EXPECT_THAT(report.result["judgement"][0]["sentence"].as_string(),
              HasSubstr("B takes 90.9 % more time (speed-up 0.52)"));  // 210 / 110
  const Table& ranks = table(report, "comparison-rank-compute");
  ASSERT_EQ(ranks.rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(ranks.rows[0][0]), "0") << "the largest difference first";
  EXPECT_EQ(number(ranks.rows[0][1]), 100);
  EXPECT_EQ(number(ranks.rows[0][2]), 200);
  EXPECT_EQ(number(ranks.rows[0][3]), 100);
  EXPECT_EQ(number(ranks.rows[0][4]), 1);
  EXPECT_EQ(number(ranks.rows[1][3]), 0);
  const Table& waits = table(report, "comparison-waits");
  EXPECT_EQ(std::get<std::string>(waits.rows[0][0]), "late sender");
  EXPECT_EQ(number(waits.rows[0][1]), 70);
  EXPECT_EQ(number(waits.rows[0][2]), 170);
}

// Outside of the analysed interval MPI_Init and the time before it change most, and are not named.
TEST(CompareRuns, NamesTheLargestChangeInsideOfTheAnalysedInterval) {
  const auto run = [](int init, int barrier, int solve) {
    const int begin = 2 * init + solve;
    return timed_trace(
        1, fmt::format("rank 0\n @{0} +{0} init\n @{1} enter solve\n @{2} +{3} barrier\n"
                       " @{4} leave solve\n @{4} +5 finalize\n",
                       init, 2 * init, begin, barrier, begin + barrier));
  };
  const AnalysedRun a(run(1000, 100, 50));
  const AnalysedRun longer(run(9000, 300, 50));
  const auto cause = [&](const AnalysedRun& b) {
    const Report report = compare_runs(a.as("a"), b.as("b"));
    return report.result["judgement"][1]["sentence"].as_string();
  };
  EXPECT_THAT(cause(longer), HasSubstr("single change: solve: MPI_Barrier, +200 ns"));
  const AnalysedRun slower(run(9000, 100, 450));
  EXPECT_THAT(cause(slower), HasSubstr("single change: solve: computation, +400 ns"));
}

TEST(CompareRuns, FindsNothingBetweenARunAndItself) {
  const AnalysedRun a(pair_of_ranks(100));
  const Report report = compare_runs(a.as("a.slk"), a.as("a.slk"));
  EXPECT_THAT(report.result["judgement"][0]["sentence"].as_string(),
              HasSubstr("difference below 0.5 %"));
  EXPECT_EQ(report.result["judgement"].size(), 1u);
  for (const auto& row : table(report, "comparison-times").rows) EXPECT_EQ(number(row[3]), 0);
}

TEST(CompareRuns, SaysWhenRanksDoNotCorrespond) {
  const AnalysedRun a(pair_of_ranks(100));
  const AnalysedRun b(timed_trace(1, "rank 0\n @10 +10 barrier\n"));
  const Report report = compare_runs(a.as("a.slk"), b.as("b.slk"));
  const auto& text = std::get<Paragraph>(report.sections.back().items.front()).text;
  EXPECT_THAT(text, HasSubstr("A has 2 ranks and B has 1"));
}

}  // namespace
}  // namespace slackline
