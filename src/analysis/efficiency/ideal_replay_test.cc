#include "analysis/efficiency/ideal_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/waits/wait_states.h"
#include "base/error.h"
#include "calls/causal_order.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::timed_trace;

IdealRun replayed(const Trace& trace, const IdealOptions& options = {}) {
  return ideal_run(trace, CallMatching(trace), options);
}

TEST(IdealRun, AReceiveWaitsForTheSendToBeginAndNoLonger) {
  // Rank 1 computes 5, then waits for the send that begins at 100; then computes 10.
  const IdealRun run =
      replayed(timed_trace(2,
                           "rank 0\n @100 +50 send to=1 bytes=8\n"
                           "rank 1\n @5 +160 recv from=0 bytes=8\n @175 +1 pack\n"));
  EXPECT_THAT(run.end_ns[0], ElementsAre(100));
  EXPECT_THAT(run.begin_ns[1], ElementsAre(5, 110));
  EXPECT_EQ(run.runtime_ns, 110);
  EXPECT_THAT(run.computation_ns, ElementsAre(100, 15));
}

TEST(IdealRun, SendsWaitFromTheRendezvousSizeOnWhenTheyBlock) {
  const std::string receiver = "rank 1\n @300 +20 recv from=0 bytes=32768\n";
  const auto end_of_sender = [&](const std::string& sends) {
    return replayed(timed_trace(2, "rank 0\n" + sends + receiver)).rank_end_ns[0];
  };
  EXPECT_EQ(end_of_sender(" @10 +5 send to=1 bytes=32768\n"), 300);
  EXPECT_EQ(end_of_sender(" @10 +5 send to=1 bytes=32767\n"), 10);
  EXPECT_EQ(end_of_sender(" @10 +5 ssend to=1 bytes=1\n"), 300);
  EXPECT_EQ(end_of_sender(" @10 +5 isend to=1 bytes=32768 req=1\n @20 +5 wait req=1\n"), 15);
}

TEST(IdealRun, WaitsCompleteReceivesAndPostingFreesTheSender) {
  // The receive is posted at 50; its wait begins at 80 and finds the message of 70 there.
  const IdealRun run =
      replayed(timed_trace(2,
                           "rank 0\n @30 +60 ssend to=1 bytes=8\n"
                           "rank 1\n @50 +2 irecv from=0 bytes=8 req=4\n @80 +30 wait req=4\n"));
  EXPECT_THAT(run.end_ns[0], ElementsAre(50));
  EXPECT_THAT(run.end_ns[1], ElementsAre(50, 78));
}

TEST(IdealRun, BroadcastsWaitForAllOrForTheRoot) {
  const Trace trace = timed_trace(3,
                                  "rank 0\n @10 +5 bcast root=0 bytes=8\n"
                                  "rank 1\n @20 +5 bcast root=0 bytes=8\n"
                                  "rank 2\n @90 +5 bcast root=0 bytes=8\n");
  EXPECT_THAT(replayed(trace).rank_end_ns, ElementsAre(90, 90, 90));
  EXPECT_THAT(replayed(trace, {.causality = CollectiveCausality::data}).rank_end_ns,
              ElementsAre(10, 20, 90));
}

TEST(IdealRun, OnlyTheRootWaitsInAReduction) {
  const Trace trace = timed_trace(3,
                                  "rank 0\n @10 +99 reduce root=0 bytes=8\n"
                                  "rank 1\n @20 +5 reduce root=0 bytes=8\n"
                                  "rank 2\n @90 +5 reduce root=0 bytes=8\n");
  EXPECT_THAT(replayed(trace).rank_end_ns, ElementsAre(90, 20, 90));
}

TEST(IdealRun, AScanWaitsForTheRanksBefore) {
  const Trace trace = timed_trace(3,
                                  "rank 0\n @40 +9 scan bytes=8\n"
                                  "rank 1\n @20 +90 scan bytes=8\n"
                                  "rank 2\n @90 +5 scan bytes=8\n");
  EXPECT_THAT(replayed(trace, {.causality = CollectiveCausality::data}).rank_end_ns,
              ElementsAre(40, 40, 90));
}

TEST(IdealRun, GoesOnWithoutALostMessageAndThroughADeadlock) {
  // Both wait for each other's receive, which large blocking sends never reach.
  const Trace trace =
      timed_trace(2,
                  "rank 0\n @10 +1 ssend to=1 bytes=8\n @20 +1 recv from=1 bytes=8\n"
                  "rank 1\n @15 +1 ssend to=0 bytes=8\n @20 +1 recv from=0 bytes=8\n"
                  " @30 +1 recv from=0 tag=7 bytes=8\n");
  const CallMatching matching(trace);
  const IdealRun run = ideal_run(trace, matching, {});
  EXPECT_GT(run.released, 0u);
  EXPECT_FALSE(matching.findings().empty());
  EXPECT_GT(run.runtime_ns, 0);
}

TEST(IdealRun, ThreadsOfARankDoNotHoldUpEachOther) {
  // One thread of each rank sends, another one receives meanwhile: no deadlock.
  const Trace trace =
      timed_trace(2,
                  "rank 0\n @0 +100 ssend to=1 bytes=8\n @90 +10 recv thread=1 from=1 bytes=8\n"
                  "rank 1\n @0 +100 ssend to=0 bytes=8\n @90 +10 recv thread=1 from=0 bytes=8\n");
  const CallMatching matching(trace);
  EXPECT_EQ(ideal_run(trace, matching, {}).released, 0u);
  EXPECT_EQ(wait_states(trace, matching, {}).released, 0u);
  EXPECT_GT(CausalOrder(trace, matching).released(), 0u);
}

TEST(IdealRun, OfNoRanksOrNoCalls) {
  EXPECT_EQ(replayed(timed_trace(2, "rank 0\nrank 1\n")).runtime_ns, 0);
}

TEST(IdealRun, KnowsItsRulesByName) {
  EXPECT_EQ(parse_collective_causality("data"), CollectiveCausality::data);
  EXPECT_EQ(parse_collective_causality("dimemas"), CollectiveCausality::dimemas);
  EXPECT_THROW(parse_collective_causality("mpi"), Error);
}

}  // namespace
}  // namespace slackline
