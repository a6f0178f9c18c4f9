// One-sided communication and MPI-IO in the graph. L is 1000 ns, o 10 ns and G 1 ns per byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> ends_of(const ExecutionGraph& graph) {
  return testing::end_times_ns(graph, 1000, 10, 1);
}
std::vector<std::int64_t> ends_of_program(int ranks, const std::string& text) {
  return ends_of(testing::untimed_graph(ranks, text));
}

TEST(Windows, AFenceIsABarrier) {
  const std::string late = "rank 0\n compute 5000\n ";
  EXPECT_EQ(ends_of_program(3, late + "win_fence\nrank 1\n win_fence\nrank 2\n win_fence\n"),
            ends_of_program(3, late + "barrier\nrank 1\n barrier\nrank 2\n barrier\n"));
}

// The data leaves at 10 and arrives 1000 + 10'000 later; the barrier alone ends at 1030.
TEST(Windows, WhatIsPutArrivesBeforeTheTargetLeavesTheFence) {
  EXPECT_THAT(
      ends_of_program(2, "rank 0\n put target=1 bytes=10001\n win_fence\nrank 1\n win_fence\n"),
      ElementsAre(1020, 10 + 1000 + 10'000 + 10));
}

// There and back: 1000 + 1000 + 10'000 after 10. The target takes no part.
TEST(Windows, WhatIsGotArrivesBeforeTheOriginLeavesTheFence) {
  EXPECT_THAT(
      ends_of_program(2, "rank 0\n get target=1 bytes=10001\n win_fence\nrank 1\n win_fence\n"),
      ElementsAre(10 + 2000 + 10'000, 1030));
}

TEST(Windows, UnderALockTheOriginWaitsForTheAnswer) {
  const std::string lock = "rank 0\n win_lock target=1\n put target=1 bytes=10001\n";
  EXPECT_THAT(ends_of_program(2, lock + " win_unlock target=1\nrank 1\n compute 1\n pcontrol\n"),
              ElementsAre(10 + 2000 + 10'000, 1));
  EXPECT_THAT(ends_of_program(2, lock + " win_flush target=1\n win_unlock target=1\nrank 1\n"),
              ElementsAre(10 + 2000 + 10'000, 0));
  // The buffer may be used again at once.
  EXPECT_THAT(
      ends_of_program(2, lock + " win_flush_local target=1\n compute 9000\n win_unlock target=1\n"
                                "rank 1\n"),
      ElementsAre(10 + 2000 + 10'000, 0));
}

TEST(Windows, ARequestIsWaitedFor) {
  EXPECT_THAT(ends_of_program(2,
                              "rank 0\n win_lock_all\n rget target=1 bytes=101 req=1\n wait req=1\n"
                              " compute 3000\n win_unlock_all\nrank 1\n"),
              ElementsAre(10 + 2000 + 100 + 3000, 0));
}

// The post leaves at 5010 and arrives at 6020; then the put leaves at 6030, with 101 bytes, and the
// completion at 6040.
TEST(Windows, AnEpochWaitsForThePostAndTheTargetForItsCompletion) {
  EXPECT_THAT(
      ends_of_program(2,
                      "rank 0\n compute 5000\n win_post args=1\n win_wait\n"
                      "rank 1\n win_start args=0\n put target=0 bytes=101\n win_complete\n"),
      ElementsAre(6030 + 1000 + 100 + 10, 6040));
}

// Rank 1 asked for the lock at 100, while rank 0 had it until 600.
TEST(Windows, WaitingForALockIsLeftOut) {
  const ExecutionGraph graph =
      build_graph(testing::timed_trace(
                      2,
                      "rank 0\n @0 +10 win_lock target=0 tag=0\n @500 +100 win_unlock target=0\n"
                      "rank 1\n @100 +500 win_lock target=0 tag=0\n"
                      " @700 +10 win_unlock target=0\n"),
                  {});
  ASSERT_EQ(graph.findings().entries().size(), 1u);
  EXPECT_EQ(graph.findings().entries().front().name, "one_sided_not_modelled");
}

TEST(Windows, WhatNoCallEndsIsLeftOut) {
  const ExecutionGraph graph = testing::untimed_graph(2, "rank 0\n put target=1 bytes=8\nrank 1\n");
  EXPECT_EQ(graph.findings().entries().front().name, "one_sided_not_modelled");
}

// Rank 1 comes last, at 400, and both have done their output 50 later, as measured.
TEST(InputAndOutput, TakesAsLongAsMeasuredAfterItsWaiting) {
  const ExecutionGraph graph = build_graph(
      testing::timed_trace(2,
                           "rank 0\n @100 +350 file_write_all bytes=8\n @460 +0 pcontrol\n"
                           "rank 1\n @400 +50 file_write_all bytes=8\n @450 +0 pcontrol\n"),
      {});
  EXPECT_THAT(ends_of(graph), ElementsAre(450 + 10, 450));
}

TEST(InputAndOutput, OfOneRankWaitsForNobody) {
  EXPECT_THAT(ends_of(build_graph(testing::timed_trace(2,
                                                       "rank 0\n @0 +300 file_write bytes=8\n"
                                                       " @340 +0 pcontrol\nrank 1\n"),
                                  {})),
              ElementsAre(340, 0));
}

}  // namespace
}  // namespace slackline
