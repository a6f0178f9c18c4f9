// Epochs of post, start, complete and wait, and locks, whose waiting follows from the lines.

#include "calls/window_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/summary/diagnosis.h"
#include "analysis/waits/delay_costs.h"
#include "analysis/waits/testing/wait_lines.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::timed_trace;
using ::testing::UnorderedElementsAre;
using testing::wait_lines;

const std::string kTarget = "rank 0\n @500 +5 win_post args=1\n @510 +300 win_wait\n";

TEST(WindowWaits, AStartWaitsForThePost) {
  EXPECT_THAT(
      wait_lines(timed_trace(
          2, kTarget + "rank 1\n @100 +405 win_start args=0\n @520 +5 put target=0 bytes=8\n"
                       " @800 +5 win_complete\n")),
      UnorderedElementsAre("1.0 late_post 400<-0", "0.1 late_complete 290<-1"));
}

TEST(WindowWaits, ACompleteWaitsForThePostWhereTheStartDoesNot) {
  EXPECT_THAT(wait_lines(timed_trace(
                  2, kTarget + "rank 1\n @100 +5 win_start args=0\n @110 +5 put target=0 bytes=8\n"
                               " @120 +385 win_complete\n")),
              ElementsAre("1.2 late_post 380<-0"));
}

TEST(WindowWaits, GroupsThatAreNotToldAreThoseOfTheOperations) {
  // Rank 2 posts earlier, and is not put to.
  EXPECT_THAT(
      wait_lines(timed_trace(
          3,
          "rank 0\n @500 +5 win_post\n @510 +300 win_wait\n"
          "rank 1\n @100 +405 win_start\n @520 +5 put target=0 bytes=8\n @800 +5 win_complete\n"
          "rank 2\n @900 +5 win_post\n")),
      UnorderedElementsAre("1.0 late_post 400<-0", "0.1 late_complete 290<-1"));
}

TEST(WindowWaits, TheLatestOfSeveralPartnersCounts) {
  EXPECT_THAT(wait_lines(timed_trace(3,
                                     "rank 0\n @10 +5 win_post args=1,2\n @20 +700 win_wait\n"
                                     "rank 1\n @30 +5 win_start args=0\n @600 +5 win_complete\n"
                                     "rank 2\n @30 +5 win_start args=0\n @700 +5 win_complete\n")),
              ElementsAre("0.1 late_complete 680<-2"));
}

TEST(WindowWaits, OfALockForItsHolder) {
  EXPECT_THAT(wait_lines(timed_trace(
                  2,
                  "rank 0\n @10 +5 win_lock target=0\n @500 +10 win_unlock target=0\n"
                  "rank 1\n @100 +420 win_lock target=0\n @530 +5 win_unlock target=0\n")),
              ElementsAre("1.0 lock_contention 410<-0"));
}

TEST(WindowWaits, OfAFlushWhereTheLockReturnsAtOnce) {
  EXPECT_THAT(
      wait_lines(timed_trace(2,
                             "rank 0\n @10 +5 win_lock target=0\n @500 +10 win_unlock target=0\n"
                             "rank 1\n @100 +5 win_lock target=0\n @110 +410 win_flush target=0\n"
                             " @530 +5 win_unlock target=0\n")),
      ElementsAre("1.1 lock_contention 400<-0"));
}

// The holder's unlock returns to it after the lock has gone to the waiting rank.
TEST(WindowWaits, OfALockWhoseHolderReturnsLater) {
  EXPECT_THAT(
      wait_lines(timed_trace(2,
                             "rank 0\n @10 +5 win_lock target=0\n @500 +15 win_unlock target=0\n"
                             "rank 1\n @100 +405 win_lock target=0\n @506 +1 put target=0 bytes=8\n"
                             " @507 +11 win_flush target=0\n @600 +5 win_unlock target=0\n")),
      ElementsAre("1.0 lock_contention 405<-0"));
}

// Three origins have the lock in turn: each waits for the one before it.
TEST(WindowWaits, OfALockForTheLastHolder) {
  EXPECT_THAT(wait_lines(timed_trace(
                  3,
                  "rank 0\n @10 +5 win_lock target=0\n @200 +12 win_unlock target=0\n"
                  "rank 1\n @20 +185 win_lock target=0\n @400 +12 win_unlock target=0\n"
                  "rank 2\n @30 +375 win_lock target=0\n @600 +12 win_unlock target=0\n")),
              UnorderedElementsAre("1.0 lock_contention 185<-0", "2.0 lock_contention 375<-1"));
}

TEST(WindowWaits, OfAnUnlockWhereTheLockReturnsAtOnce) {
  EXPECT_THAT(
      wait_lines(timed_trace(2,
                             "rank 0\n @10 +5 win_lock target=0\n @500 +25 win_unlock target=0\n"
                             "rank 1\n @100 +5 win_lock target=0\n @110 +5 put target=0 bytes=8\n"
                             " @120 +400 win_unlock target=0\n")),
      ElementsAre("1.2 lock_contention 400<-0"));
}

TEST(WindowWaits, OfLockAllForAnExclusiveHolder) {
  EXPECT_THAT(
      wait_lines(timed_trace(3,
                             "rank 0\n @900 +5 barrier\n"
                             "rank 1\n @100 +5 win_lock target=0\n @600 +5 win_unlock target=0\n"
                             " @850 +55 barrier\n"
                             "rank 2\n @110 +500 win_lock_all\n @700 +1 win_flush_all\n"
                             " @720 +1 win_unlock_all\n @850 +55 barrier\n")),
      ::testing::Contains("2.0 lock_contention 495<-1"));
}

TEST(WindowWaits, OfAnExclusiveLockForLockAll) {
  EXPECT_THAT(wait_lines(timed_trace(
                  2,
                  "rank 0\n @10 +5 win_lock_all\n @500 +10 win_unlock_all\n"
                  "rank 1\n @100 +408 win_lock target=0\n @530 +5 win_unlock target=0\n")),
              ElementsAre("1.0 lock_contention 408<-0"));
}

TEST(WindowWaits, SharedLocksDoNotContend) {
  EXPECT_THAT(wait_lines(timed_trace(
                  2,
                  "rank 0\n @10 +5 win_lock target=0 tag=1\n @500 +10 win_unlock target=0\n"
                  "rank 1\n @100 +420 win_lock target=0 tag=1\n @530 +5 win_unlock target=0\n")),
              IsEmpty());
}

TEST(WindowWaits, HaveTheHoldersComputationAsRootCause) {
  const Trace trace =
      timed_trace(2,
                  "rank 0\n @10 +5 win_lock target=0\n @500 +10 win_unlock target=0\n"
                  "rank 1\n @10 +5 barrier comm=1\n @100 +420 win_lock target=0\n"
                  " @530 +5 win_unlock target=0\n");
  const CallMatching matching(trace);
  const CallPaths paths(trace);
  const WaitStates waits = wait_states(trace, matching, {});
  const DelayCosts delays = delay_costs(trace, matching, waits, CallActivities(trace, paths));
  ASSERT_FALSE(delays.costs.empty());
  EXPECT_EQ(delays.costs.front().of.rank, 0);
  EXPECT_EQ(delays.costs.front().of.operation, Operation::none);
}

// Rank 0 holds a lock from 15 to 500, which it made of a word at rank 0; rank 1 asks three times,
// and gets it with the third swap.
const std::string kHolder =
    "rank 0\n @10 +5 compare_and_swap target=0 bytes=4\n @500 +5 accumulate target=0 bytes=4\n";

TEST(WindowWaits, SwapsThatFindTheLockTakenWaitForItsHolder) {
  EXPECT_THAT(
      wait_lines(timed_trace(2, kHolder + "rank 1\n @100 +50 compare_and_swap target=0 bytes=4\n"
                                          " @150 +60 win_flush target=0\n"
                                          " @220 +50 compare_and_swap target=0 bytes=4\n"
                                          " @270 +260 win_flush target=0\n"
                                          " @535 +50 compare_and_swap target=0 bytes=4\n")),
      ElementsAre("1.0 lock_contention 50<-0", "1.1 lock_contention 60<-0",
                  "1.2 lock_contention 50<-0", "1.3 lock_contention 230<-0"));
}

TEST(WindowWaits, SwapsOneAfterTheOtherAreNoWaiting) {
  const std::string swaps =
      "rank 1\n @100 +50 compare_and_swap target=0 bytes=4\n @150 +50 win_flush target=0\n"
      " @210 +50 compare_and_swap target=0 bytes=4\n @260 +50 win_flush target=0\n";
  EXPECT_THAT(wait_lines(timed_trace(2, "rank 0\n @10 +5 barrier comm=1\n" + swaps)), IsEmpty())
      << "no other rank changes what they ask for";
  EXPECT_THAT(wait_lines(timed_trace(2, kHolder + swaps)), IsEmpty()) << "not yet";
  EXPECT_THAT(
      wait_lines(timed_trace(2, kHolder + "rank 1\n @100 +50 compare_and_swap target=0 bytes=4\n"
                                          " @1000 +50 compare_and_swap target=0 bytes=4\n")),
      IsEmpty())
      << "it did something else in between";
}

// What the network cannot take away, and what the critical path goes through.
TEST(WindowWaits, StayOnTheIdealNetworkAndOnTheCriticalPath) {
  const Trace trace =
      timed_trace(2, kTarget +
                         "rank 1\n @100 +405 win_start args=0\n @520 +5 put target=0 bytes=8\n"
                         " @800 +15 win_complete\n @815 +5 barrier comm=1\n");
  // 500 until the post, then 15 and 275 of computation on rank 1.
  EXPECT_EQ(ideal_run(trace, CallMatching(trace), {}).runtime_ns, 500 + 15 + 275);
  const Diagnosis d = diagnose(trace, CallPaths(trace));
  EXPECT_EQ(d.shares.unknown_ns, 0);
  EXPECT_GT(d.path.by_rank[0], 400);
}

}  // namespace
}  // namespace slackline
