#include "analysis/cube/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "formats/testing/text_trace.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::timed_trace;

SeverityCube cube_of(const Trace& trace) {
  const CallMatching matching(trace);
  return severity_cube(trace, CallPaths(trace), wait_states(trace, matching));
}

/// Rank 1 computes 300 ns in foo where rank 0 computes 100, and rank 0 waits for it in the barrier.
Trace unbalanced() {
  return timed_trace(2, R"(
rank 0
  @0 +10 init
  @10 enter foo
  @110 leave foo
  @110 +210 barrier
  @320 +1 finalize
rank 1
  @0 +10 init
  @10 enter foo
  @310 leave foo
  @310 +10 barrier
  @320 +1 finalize
)");
}

/// The same with 200 ns on both ranks.
Trace balanced() {
  return timed_trace(2, R"(
rank 0
  @0 +10 init
  @10 enter foo
  @210 leave foo
  @210 +10 barrier
  @220 +1 finalize
rank 1
  @0 +10 init
  @10 enter foo
  @210 leave foo
  @210 +10 barrier
  @220 +1 finalize
)");
}

TEST(SeverityCube, SumsUpByMetricCallPathAndRank) {
  const SeverityCube cube = cube_of(unbalanced());
  EXPECT_THAT(cube.of({"computation", "foo"}), ElementsAre(100, 300));
  EXPECT_THAT(cube.of({"wait_at_barrier", "MPI_Barrier"}), ElementsAre(200, 0));
  EXPECT_THAT(cube.of({"mpi", "MPI_Barrier"}), ElementsAre(10, 10));
  EXPECT_THAT(cube.of({"calls", "MPI_Barrier"}), ElementsAre(1, 1));
  EXPECT_EQ(cube.sum({"bytes", "MPI_Barrier"}), 0);
}

TEST(RunDifference, ListsLargestFirstAndWhatBecameOfWaiting) {
  const RunDifference d =
      difference({"A", {{cube_of(unbalanced())}}}, {"B", {{cube_of(balanced())}}});
  ASSERT_EQ(d.differences.size(), 3u);
  // 200 ns less waiting on rank 0, 100 ns more or less computation.
  EXPECT_EQ(d.differences[0].key.metric, "wait_at_barrier");
  EXPECT_EQ(d.differences[0].value.difference(), -200);
  EXPECT_EQ(d.differences[0].rank, 0);
  EXPECT_FALSE(d.differences[0].value.significant().has_value());
  EXPECT_EQ(d.differences[1].value.difference() + d.differences[2].value.difference(), 0);
  ASSERT_EQ(d.waits.size(), 1u);
  EXPECT_EQ(d.waits[0].vanished, 200);
  EXPECT_EQ(d.waits[0].appeared, 0);
}

/// A replay of balanced(), in which rank 0 still waits for 40 ns.
Trace replayed() {
  return timed_trace(2, R"(
rank 0
  @0 +10 init
  @10 enter foo
  @190 leave foo
  @190 +50 barrier
  @240 +1 finalize
rank 1
  @0 +10 init
  @10 enter foo
  @230 leave foo
  @230 +10 barrier
  @240 +1 finalize
)");
}

TEST(RunDifference, AThirdRunStandsBesideThem) {
  const RunGroup third{"C", {{cube_of(replayed())}}};
  const RunDifference d = difference({"A", {{cube_of(unbalanced())}}},
                                     {"B", {{cube_of(balanced())}}}, Groups::independent, &third);
  EXPECT_EQ(d.c, "C");
  ASSERT_EQ(d.waits.size(), 1u);
  EXPECT_EQ(d.waits[0].a, 200);
  EXPECT_EQ(d.waits[0].b, 0);
  EXPECT_EQ(d.waits[0].c, 40);
  ASSERT_EQ(d.waits_by_path.size(), 1u);
  EXPECT_EQ(d.waits_by_path[0].call_path, "MPI_Barrier");
  EXPECT_EQ(d.waits_by_path[0].c, 40);
  // Computation: 100 and 300 ns, then 200 and 200, then 180 and 220.
  ASSERT_EQ(d.differences.size(), 3u);
  EXPECT_EQ(d.differences[1].value.difference_of_c() + d.differences[2].value.difference_of_c(), 0);
  EXPECT_EQ(std::abs(d.differences[1].value.difference_of_c()), 80);
}

TEST(RunDifference, ListsWhatOnlyTheThirdRunHasDifferent) {
  const SeverityCube cube = cube_of(balanced());
  const RunGroup third{"C", {{cube_of(unbalanced())}}};
  const RunDifference d = difference({"A", {{cube}}}, {"B", {{cube}}}, Groups::independent, &third);
  ASSERT_EQ(d.differences.size(), 3u);
  EXPECT_EQ(d.differences[0].value.difference_of_c(), 200);
}

TEST(RunDifference, OfARunToItselfIsNothing) {
  const SeverityCube cube = cube_of(unbalanced());
  EXPECT_TRUE(difference({"A", {{cube}}}, {"B", {{cube}}}).differences.empty());
}

RunSeverities with_computation(double ns) {
  SeverityCube cube(1);
  cube.add({"computation", "foo"}, 0, ns);
  return {cube};
}

std::optional<bool> significant(const RunGroup& a, const RunGroup& b,
                                Groups groups = Groups::independent) {
  return difference(a, b, groups).differences.at(0).value.significant();
}

TEST(RunDifference, TestsForSignificance) {
  // Means 100 and 110; standard errors of the means 0.577 and 0.577: t = 12.2 against 2.776.
  const RunGroup a{"A", {with_computation(99), with_computation(100), with_computation(101)}};
  const RunGroup b{"B", {with_computation(109), with_computation(110), with_computation(111)}};
  EXPECT_EQ(significant(a, b), true);
  EXPECT_EQ(significant(a, b, Groups::overlapping), std::nullopt);
  // Means 100 and 101; standard error of B's mean 5.77: t below 0.2.
  const RunGroup noisy{"B", {with_computation(91), with_computation(101), with_computation(111)}};
  EXPECT_EQ(significant(a, noisy), false);
}

// One quantity of 1,000 with p = 0.000256 (a, b): among so many, one as small is no surprise. As
// one of six metrics it is.
TEST(RunDifference, TestsAllQuantitiesAsOneFamilyWithHalfOfTheWeightOnMetrics) {
  RunGroup a{"A", {}};
  RunGroup b{"B", {}};
  for (const double noise : {-1.0, 0.0, 1.0}) {
    RunSeverities run{SeverityCube(1)};
    for (int i = 0; i < 999; ++i) {
      run.cube.add({"computation", std::to_string(i)}, 0, 1000 + noise);
    }
    run.metrics[0] = 100 + noise;
    run.cube.add({"mpi", "changed"}, 0, 100 + noise);
    a.runs.push_back(run);
    run.metrics[0] += 10;
    run.cube.add({"mpi", "changed"}, 0, 10);
    b.runs.push_back(run);
  }
  const RunDifference d = difference(a, b);
  EXPECT_EQ(d.tested, 1001u);
  EXPECT_EQ(d.metrics[0].significant(), true);
  ASSERT_EQ(d.differences.size(), 1u);
  EXPECT_EQ(d.differences[0].value.significant(), false);
}

TEST(RunDifference, ComparesSumsWhereRanksDiffer) {
  SeverityCube one(1);
  one.add({"computation", "foo"}, 0, 30);
  SeverityCube two(2);
  two.add({"computation", "foo"}, 0, 10);
  two.add({"computation", "foo"}, 1, 15);
  const RunDifference d = difference({"A", {{one}}}, {"B", {{two}}});
  EXPECT_FALSE(d.by_rank);
  ASSERT_EQ(d.differences.size(), 1u);
  EXPECT_EQ(d.differences[0].rank, -1);
  EXPECT_EQ(d.differences[0].value.difference(), -5);
}

}  // namespace
}  // namespace slackline
