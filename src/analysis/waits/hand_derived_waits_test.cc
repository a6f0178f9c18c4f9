// Waiting of small programs, worked out on paper from the definitions in `slackline-waits`(1).
// Times are in ns; "1.2 late_sender 70<-0" is the third call of rank 1, which waits 70 ns for rank
// 0.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/waits/testing/wait_lines.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::timed_trace;
using ::testing::UnorderedElementsAre;
using testing::wait_lines;

// Rank 3 enters last, at 90: 90 - 10, 90 - 40, 90 - 25. Rank 1 leaves first, at 100: what the
// others stay longer is completion, 120 - 100, 110 - 100, 130 - 100.
TEST(HandDerivedWaits, AllreduceSplitsIntoWaitAndCompletion) {
  EXPECT_THAT(wait_lines(timed_trace(4,
                                     "rank 0\n @10 +110 allreduce bytes=8\n"
                                     "rank 1\n @40 +60 allreduce bytes=8\n"
                                     "rank 2\n @25 +85 allreduce bytes=8\n"
                                     "rank 3\n @90 +40 allreduce bytes=8\n")),
              UnorderedElementsAre("0.0 wait_at_nxn 80<-3", "1.0 wait_at_nxn 50<-3",
                                   "2.0 wait_at_nxn 65<-3", "0.0 nxn_completion 20<--1",
                                   "2.0 nxn_completion 10<--1", "3.0 nxn_completion 30<--1"));
}

// A ring to the right. Rank 0 gets what rank 2 sends at 40 (40 - 10), rank 2 what rank 1 sends at
// 100 (100 - 40), rank 1 what has been on its way since 10.
TEST(HandDerivedWaits, SendrecvWaitsForItsSource) {
  EXPECT_THAT(wait_lines(timed_trace(3,
                                     "rank 0\n @10 +100 sendrecv to=1 bytes=8 from=2 rbytes=8\n"
                                     "rank 1\n @100 +12 sendrecv to=2 bytes=8 from=0 rbytes=8\n"
                                     "rank 2\n @40 +74 sendrecv to=0 bytes=8 from=1 rbytes=8\n")),
              UnorderedElementsAre("0.0 late_sender 30<-2", "2.0 late_sender 60<-1"));
}

// The message begins with rank 0's MPI_Start at 120, and the wait for it at 50.
TEST(HandDerivedWaits, PersistentReceivesWaitForTheStartOfTheSend) {
  EXPECT_THAT(
      wait_lines(timed_trace(2,
                             "rank 0\n @0 +1 send_init to=1 bytes=8 tag=7 req=1\n"
                             " @120 +5 start starts=2:send_init:1:7:8\n @130 +2 wait req=2\n"
                             "rank 1\n @0 +1 recv_init from=0 bytes=8 tag=7 req=1\n"
                             " @20 +1 start starts=2:recv_init:0:7:8\n @50 +80 wait req=2\n")),
      ElementsAre("1.2 late_sender 70<-0"));
}

// The last of rank 0's partitions is ready at 150: 150 - 30.
TEST(HandDerivedWaits, PartitionedReceivesWaitForTheLastPartition) {
  EXPECT_THAT(
      wait_lines(timed_trace(2,
                             "rank 0\n @0 +1 psend_init to=1 bytes=800 tag=7 req=1\n"
                             " @60 +1 pready\n @150 +1 pready starts=2:send_init:1:7:800\n"
                             " @160 +2 wait req=2\n"
                             "rank 1\n @0 +1 precv_init from=0 bytes=800 tag=7 req=1\n"
                             " @20 +1 start starts=2:recv_init:0:7:800\n @30 +170 wait req=2\n")),
      ElementsAre("1.2 late_sender 120<-0"));
}

// Rank 2 starts last, at 600: 600 - 150, 600 - 350.
TEST(HandDerivedWaits, APersistentCollectiveWaitsForItsLastStart) {
  const auto rank = [](int number, int start, int wait, int wait_ns) {
    return "rank " + std::to_string(number) + "\n @20 +1 allreduce_init bytes=8 req=1\n @" +
           std::to_string(start) + " +1 start starts=2:allreduce_init:none:0:8\n @" +
           std::to_string(wait) + " +" + std::to_string(wait_ns) + " wait req=2\n";
  };
  EXPECT_THAT(wait_lines(timed_trace(
                  3, rank(0, 100, 150, 460) + rank(1, 100, 350, 260) + rank(2, 600, 650, 2))),
              UnorderedElementsAre("0.3 nonblocking_collective 450<-2",
                                   "1.3 nonblocking_collective 250<-2"));
}

// Three ranks in a line: the outer ones need the middle one, which enters at 60 (60 - 10, 60 - 35);
// its own neighbors are there before it.
TEST(HandDerivedWaits, NeighborhoodCollectivesWaitForNeighborsOnly) {
  EXPECT_THAT(
      wait_lines(timed_trace(3,
                             "rank 0\n @10 +55 neighbor_alltoall out=1:8 in=1:8\n"
                             "rank 1\n @60 +8 neighbor_alltoall out=0:8,2:8 in=0:8,2:8\n"
                             "rank 2\n @35 +30 neighbor_alltoall out=1:8 in=1:8\n")),
      UnorderedElementsAre("0.0 wait_at_neighborhood 50<-1", "2.0 wait_at_neighborhood 25<-1"));
}

// One origin, two targets. The later post is rank 2's: 350 - 100. Both targets wait for the
// complete at 600: 600 - 210, 600 - 360.
TEST(HandDerivedWaits, AnEpochOfTwoTargetsWaitsForTheLaterPost) {
  EXPECT_THAT(wait_lines(timed_trace(
                  3,
                  "rank 0\n @200 +5 win_post args=1\n @210 +400 win_wait\n"
                  "rank 1\n @100 +260 win_start args=0,2\n @370 +5 put target=0 bytes=8\n"
                  " @380 +5 put target=2 bytes=8\n @600 +5 win_complete\n"
                  "rank 2\n @350 +5 win_post args=1\n @360 +245 win_wait\n")),
              UnorderedElementsAre("1.0 late_post 250<-2", "0.1 late_complete 390<-1",
                                   "2.1 late_complete 240<-1"));
}

// Three origins lock the window of rank 3 one after the other. Rank 1 gets the lock when rank 0's
// unlock is over (310 - 50), rank 2 when rank 1's is (410 - 60).
TEST(HandDerivedWaits, EachOriginWaitsForTheOneThatHeldTheLockLast) {
  EXPECT_THAT(
      wait_lines(timed_trace(4,
                             "rank 0\n @10 +5 win_lock target=3\n @300 +10 win_unlock target=3\n"
                             "rank 1\n @50 +262 win_lock target=3\n @400 +10 win_unlock target=3\n"
                             "rank 2\n @60 +352 win_lock target=3\n @500 +10 win_unlock target=3\n"
                             "rank 3\n")),
      UnorderedElementsAre("1.0 lock_contention 260<-0", "2.0 lock_contention 350<-1"));
}

// Each rank needs those before it: rank 2 the second one, which enters at 90 (90 - 50).
TEST(HandDerivedWaits, AScanWaitsForLowerRanksOnly) {
  EXPECT_THAT(wait_lines(timed_trace(3,
                                     "rank 0\n @10 +5 scan bytes=8\n"
                                     "rank 1\n @90 +10 scan bytes=8\n"
                                     "rank 2\n @50 +55 scan bytes=8\n")),
              ElementsAre("2.0 early_scan 40<-1"));
}

// The root scatters at 80: 80 - 20. Rank 2 comes later and does not wait.
TEST(HandDerivedWaits, AScatterWaitsForItsRoot) {
  EXPECT_THAT(wait_lines(timed_trace(3,
                                     "rank 0\n @80 +9 scatter root=0 bytes=8\n"
                                     "rank 1\n @20 +70 scatter root=0 bytes=8\n"
                                     "rank 2\n @100 +5 scatter root=0 bytes=8\n")),
              ElementsAre("1.0 late_broadcast 60<-0"));
}

// Rank 1 starts it at 60, and rank 0 waits from 20 on.
TEST(HandDerivedWaits, AWaitForANonblockingBarrierLastsUntilTheLastStart) {
  EXPECT_THAT(wait_lines(timed_trace(2,
                                     "rank 0\n @10 +2 ibarrier req=1\n @20 +90 wait req=1\n"
                                     "rank 1\n @60 +2 ibarrier req=1\n @70 +20 wait req=1\n")),
              ElementsAre("0.1 nonblocking_collective 40<-1"));
}

// The message that is sent at 200 keeps the MPI_Waitall (200 - 50); rank 3's was there before it.
TEST(HandDerivedWaits, AWaitallOfThreeWaitsForTheLastSender) {
  EXPECT_THAT(wait_lines(timed_trace(
                  4,
                  "rank 0\n @1 +1 irecv from=1 bytes=8 req=1\n @3 +1 irecv from=2 bytes=8 req=2\n"
                  " @5 +1 irecv from=3 bytes=8 req=3\n @50 +160 waitall reqs=1,2,3\n"
                  "rank 1\n @100 +5 send to=0 bytes=8\n"
                  "rank 2\n @200 +5 send to=0 bytes=8\n"
                  "rank 3\n @10 +5 send to=0 bytes=8\n")),
              ElementsAre("0.3 late_sender 150<-2"));
}

// MPI_Probe waits for the message (90 - 30); the receive behind it finds it there.
TEST(HandDerivedWaits, AProbeTakesTheWaitFromItsReceive) {
  EXPECT_THAT(wait_lines(timed_trace(2,
                                     "rank 0\n @90 +5 send to=1 bytes=8\n"
                                     "rank 1\n @30 +65 probe from=0 bytes=8\n"
                                     " @100 +5 recv from=0 bytes=8\n")),
              ElementsAre("1.0 late_sender 60<-0"));
}

// The last starts are at 300 and at 500, and the MPI_Waitall needs both: 500 - 110, once.
TEST(HandDerivedWaits, AWaitallOfTwoCollectivesWaitsOnceForTheLater) {
  EXPECT_THAT(
      wait_lines(timed_trace(2,
                             "rank 0\n @10 +1 ibarrier req=1\n @20 +1 iallreduce bytes=8 req=2\n"
                             " @110 +400 waitall reqs=1,2\n"
                             "rank 1\n @300 +1 ibarrier req=1\n @500 +1 iallreduce bytes=8 req=2\n"
                             " @505 +5 waitall reqs=1,2\n")),
      ElementsAre("0.2 nonblocking_collective 390<-1"));
}

// The message comes at 300, the collective's last start at 500; then the other way round.
TEST(HandDerivedWaits, AWaitallOfAMessageAndACollectiveWaitsForTheLater) {
  const std::string receiver =
      "rank 0\n @10 +1 irecv from=1 bytes=8 req=1\n @20 +1 ibarrier req=2\n"
      " @110 +400 waitall reqs=1,2\n";
  EXPECT_THAT(wait_lines(timed_trace(3, receiver + "rank 1\n @300 +1 send to=0 bytes=8\n"
                                                   " @320 +1 ibarrier req=2\n @510 +1 wait req=2\n"
                                                   "rank 2\n @500 +1 ibarrier req=2\n"
                                                   " @510 +1 wait req=2\n")),
              ElementsAre("0.2 nonblocking_collective 390<-2"));
  EXPECT_THAT(
      wait_lines(timed_trace(3, receiver + "rank 1\n @100 +1 ibarrier req=2\n"
                                           " @500 +1 send to=0 bytes=8\n @510 +1 wait req=2\n"
                                           "rank 2\n @300 +1 ibarrier req=2\n"
                                           " @510 +1 wait req=2\n")),
      ElementsAre("0.2 late_sender 390<-1"));
}

// A message comes at 300, and the receiver of another one at 500. That the call lasts shows
// nothing of its send where the protocol is not known (300 - 110); else it waits for both
// (500 - 110, and 500 - 100 in MPI_Sendrecv).
TEST(HandDerivedWaits, ACallThatSendsAndReceivesWaitsForTheLaterWhereTheProtocolIsKnown) {
  const std::string others =
      "rank 1\n @500 +115 recv from=0 bytes=1000000\n"
      "rank 2\n @300 +3 send to=0 bytes=8\n";
  const Trace waitall = timed_trace(
      3,
      "rank 0\n @90 +1 irecv from=2 bytes=8 req=1\n @100 +2 isend to=1 bytes=1000000 req=2\n"
      " @110 +500 waitall reqs=1,2\n" +
          others);
  EXPECT_THAT(wait_lines(waitall), ElementsAre("0.2 late_sender 190<-2"));
  EXPECT_THAT(wait_lines(waitall, {.eager_bytes = 65536}), ElementsAre("0.2 late_receiver 390<-1"));
  const Trace sendrecv =
      timed_trace(3, "rank 0\n @100 +515 sendrecv to=1 bytes=1000000 from=2 rbytes=8\n" + others);
  EXPECT_THAT(wait_lines(sendrecv, {.eager_bytes = 65536}),
              ElementsAre("0.0 late_receiver 400<-1"));
}

// MPI_MODE_NOPRECEDE: each returns before the next one comes.
TEST(HandDerivedWaits, AFenceThatIsLeftBeforeTheLastComesIsNoWait) {
  EXPECT_THAT(wait_lines(timed_trace(3,
                                     "rank 0\n @100 +10 win_fence\n"
                                     "rank 1\n @250 +10 win_fence\n"
                                     "rank 2\n @400 +10 win_fence\n")),
              IsEmpty());
}

// The complete at 600: 410 - 210 in the test that fails, 600 - 410 in the one that succeeds.
TEST(HandDerivedWaits, ATestOfAnEpochThatSucceedsLateWaitsToo) {
  EXPECT_THAT(
      wait_lines(timed_trace(2,
                             "rank 0\n @200 +5 win_post args=1\n @210 +200 win_test failed\n"
                             " @410 +195 win_test\n"
                             "rank 1\n @230 +5 win_start args=0\n @240 +5 put target=0 bytes=8\n"
                             " @600 +5 win_complete\n")),
      UnorderedElementsAre("0.1 late_complete 200<-1", "0.2 late_complete 190<-1"));
}

// Rank 1's unlock is over at 310. Both readers get the lock in it, and wait all of their calls. The
// writer after them needs the later one's unlock, and waits all of its call.
TEST(HandDerivedWaits, ReadersWaitForAWriterAndAWriterForTheLastReader) {
  EXPECT_THAT(wait_lines(timed_trace(
                  5,
                  "rank 0\n"
                  "rank 1\n @100 +5 win_lock target=0\n @300 +10 win_unlock target=0\n"
                  "rank 2\n @120 +182 win_lock target=0 tag=1\n @500 +10 win_unlock target=0\n"
                  "rank 3\n @150 +153 win_lock target=0 tag=1\n @700 +10 win_unlock target=0\n"
                  "rank 4\n @400 +305 win_lock target=0\n @800 +5 win_unlock target=0\n")),
              UnorderedElementsAre("2.0 lock_contention 182<-1", "3.0 lock_contention 153<-1",
                                   "4.0 lock_contention 305<-3"));
}

TEST(HandDerivedWaits, LocksOfDifferentTargetsDoNotContend) {
  EXPECT_THAT(wait_lines(timed_trace(
                  4,
                  "rank 0\nrank 1\n @100 +5 win_lock target=0\n @500 +10 win_unlock target=0\n"
                  "rank 2\n @120 +390 win_lock target=3\n @600 +5 win_unlock target=3\nrank 3\n")),
              IsEmpty());
}

const std::string kTwoGroups = "comm 2 members=0,1 remote=2,3\n";

// The other group waits for the root, at 400; the one that passes MPI_PROC_NULL does not.
TEST(HandDerivedWaits, ABroadcastBetweenGroupsKeepsTheOtherGroup) {
  EXPECT_THAT(wait_lines(timed_trace(
                  4, kTwoGroups + "rank 0\n @400 +5 bcast root=root bytes=8 comm=2 intercomm\n"
                                  "rank 1\n @100 +2 bcast root=null bytes=8 comm=2 intercomm\n"
                                  "rank 2\n @100 +310 bcast root=0 bytes=8 comm=2 intercomm\n"
                                  "rank 3\n @200 +210 bcast root=0 bytes=8 comm=2 intercomm\n")),
              UnorderedElementsAre("2.0 late_broadcast 300<-0", "3.0 late_broadcast 200<-0"));
}

// The root gets what the other group has; rank 2 enters last there (500 - 100).
TEST(HandDerivedWaits, AReductionBetweenGroupsWaitsForTheOtherGroup) {
  EXPECT_THAT(wait_lines(timed_trace(
                  4, kTwoGroups + "rank 0\n @100 +410 reduce root=root bytes=8 comm=2 intercomm\n"
                                  "rank 1\n @900 +2 reduce root=null bytes=8 comm=2 intercomm\n"
                                  "rank 2\n @500 +5 reduce root=0 bytes=8 comm=2 intercomm\n"
                                  "rank 3\n @200 +5 reduce root=0 bytes=8 comm=2 intercomm\n")),
              ElementsAre("0.0 early_reduce 400<-2"));
}

// Each waits for the last of the other group: rank 2 at 300, rank 1 at 600.
TEST(HandDerivedWaits, ABarrierBetweenGroupsWaitsForTheOtherGroup) {
  EXPECT_THAT(
      wait_lines(timed_trace(4, kTwoGroups + "rank 0\n @100 +205 barrier comm=2 intercomm\n"
                                             "rank 1\n @600 +5 barrier comm=2 intercomm\n"
                                             "rank 2\n @300 +305 barrier comm=2 intercomm\n"
                                             "rank 3\n @100 +505 barrier comm=2 intercomm\n")),
      UnorderedElementsAre("0.0 wait_at_barrier 200<-2", "2.0 wait_at_barrier 300<-1",
                           "3.0 wait_at_barrier 500<-1"));
}

// Rank 2 gets something from rank 0 only, which enters at 200; rank 0 from rank 1, at 500.
TEST(HandDerivedWaits, AnAllToAllWithEmptyBlocksWaitsForSendersOnly) {
  EXPECT_THAT(wait_lines(timed_trace(3,
                                     "rank 0\n @200 +310 alltoallv send=0,8,8 recv=0,8,8\n"
                                     "rank 1\n @500 +10 alltoallv send=8,0,0 recv=8,0,0\n"
                                     "rank 2\n @100 +110 alltoallv send=8,0,0 recv=8,0,0\n")),
              UnorderedElementsAre("0.0 wait_at_nxn 300<-1", "2.0 wait_at_nxn 100<-0"));
}

// Rank 0 enters at 400 and is needed by both; what it gets itself is nothing.
TEST(HandDerivedWaits, AnExclusiveScanWaitsForLowerRanks) {
  EXPECT_THAT(wait_lines(timed_trace(3,
                                     "rank 0\n @400 +5 exscan bytes=8\n"
                                     "rank 1\n @100 +310 exscan bytes=8\n"
                                     "rank 2\n @300 +110 exscan bytes=8\n")),
              UnorderedElementsAre("1.0 early_scan 300<-0", "2.0 early_scan 100<-0"));
}

// The receiver starts at 500: 500 - 110.
TEST(HandDerivedWaits, APersistentSendWaitsForTheStartOfItsReceive) {
  EXPECT_THAT(wait_lines(timed_trace(
                  2,
                  "rank 0\n @10 +1 send_init to=1 bytes=1000000 req=1\n"
                  " @100 +2 start starts=2:send_init:1:0:1000000\n @110 +400 wait req=2\n"
                  "rank 1\n @10 +1 recv_init from=0 bytes=1000000 req=1\n"
                  " @500 +2 start starts=2:recv_init:0:0:1000000\n @503 +10 wait req=2\n")),
              ElementsAre("0.2 late_receiver 390<-1"));
}

// A synchronous send waits whatever its size, also where an eager threshold is known.
TEST(HandDerivedWaits, ASynchronousSendWaitsForItsReceiver) {
  const Trace trace = timed_trace(
      2, "rank 0\n @100 +405 ssend to=1 bytes=8\nrank 1\n @500 +8 recv from=0 bytes=8\n");
  EXPECT_THAT(wait_lines(trace), ElementsAre("0.0 late_receiver 400<-1"));
  EXPECT_THAT(wait_lines(trace, {.eager_bytes = 65536}), ElementsAre("0.0 late_receiver 400<-1"));
}

// Completes the message of rank 2, which came first: 300 - 100.
TEST(HandDerivedWaits, AWaitanyWaitsForTheOneThatItCompletes) {
  EXPECT_THAT(wait_lines(timed_trace(
                  3,
                  "rank 0\n @10 +1 irecv from=1 bytes=8 req=1\n @12 +1 irecv from=2 bytes=8 req=2\n"
                  " @100 +205 waitany req=2\n @700 +5 wait req=1\n"
                  "rank 1\n @600 +5 send to=0 bytes=8\nrank 2\n @300 +5 send to=0 bytes=8\n")),
              ElementsAre("0.2 late_sender 200<-2"));
}

// The wait of rank 1 delays its own send: 500 - 100, then 600 - 50.
TEST(HandDerivedWaits, AChainWaitsInEachOfItsLinks) {
  EXPECT_THAT(wait_lines(timed_trace(3,
                                     "rank 0\n @500 +5 send to=1 bytes=8\n"
                                     "rank 1\n @100 +410 recv from=0 bytes=8\n"
                                     " @600 +5 send to=2 bytes=8\n"
                                     "rank 2\n @50 +560 recv from=1 bytes=8\n")),
              ElementsAre("1.0 late_sender 400<-0", "2.0 late_sender 550<-1"));
}

// The last sender is rank 1, at 400; then the root starts its broadcast at 800.
TEST(HandDerivedWaits, AGatherKeepsItsRootAndANonblockingBroadcastTheOthers) {
  EXPECT_THAT(
      wait_lines(timed_trace(3,
                             "rank 0\n @50 +360 gather root=0 bytes=8\n"
                             " @800 +2 ibcast root=0 bytes=8 req=1\n @810 +1 wait req=1\n"
                             "rank 1\n @400 +5 gather root=0 bytes=8\n"
                             " @600 +2 ibcast root=0 bytes=8 req=1\n @620 +190 wait req=1\n"
                             "rank 2\n @300 +5 gather root=0 bytes=8\n"
                             " @700 +2 ibcast root=0 bytes=8 req=1\n @720 +90 wait req=1\n")),
      UnorderedElementsAre("0.0 early_reduce 350<-1", "1.2 nonblocking_collective 180<-0",
                           "2.2 nonblocking_collective 80<-0"));
}

}  // namespace
}  // namespace slackline
