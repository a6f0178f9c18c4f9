// Probes, and polls that fail: what they wait for is what the call needed that succeeded at last.

#include "analysis/waits/poll_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

const std::string kLateSend = "rank 0\n @500 +5 send to=1 tag=3 bytes=8\n";

TEST(PollWaits, AProbeWaitsForTheMessageThatIsReceivedNext) {
  EXPECT_THAT(
      wait_lines(timed_trace(2, kLateSend + "rank 1\n @100 +410 probe from=0 tag=3 any_source\n"
                                            " @520 +5 recv from=0 tag=3 bytes=8\n")),
      ElementsAre("1.0 late_sender 400<-0"));
}

TEST(PollWaits, AMatchedProbeWaitsAsWell) {
  EXPECT_THAT(wait_lines(timed_trace(2, kLateSend + "rank 1\n @100 +410 mprobe from=0 tag=3\n"
                                                    " @520 +5 mrecv from=0 tag=3 bytes=8\n")),
              ElementsAre("1.0 late_sender 400<-0"));
}

TEST(PollWaits, AProbeOfTheSecondMessageWaitsForThatOne) {
  EXPECT_THAT(
      wait_lines(timed_trace(2,
                             "rank 0\n @10 +5 send to=1 bytes=8\n @500 +5 send to=1 bytes=8\n"
                             "rank 1\n @100 +5 probe from=0\n @110 +5 recv from=0 bytes=8\n"
                             " @200 +310 probe from=0\n @520 +5 recv from=0 bytes=8\n")),
      ElementsAre("1.2 late_sender 300<-0"));
}

TEST(PollWaits, AProbeWithoutAReceiveIsNotClaimed) {
  EXPECT_THAT(wait_lines(timed_trace(2,
                                     "rank 0\n @500 +5 barrier\n"
                                     "rank 1\n @100 +10 probe from=0\n @500 +5 barrier\n")),
              IsEmpty());
}

// 300 of the 380 ns are inside of MPI, so that all of them are waiting; the poll that succeeds
// begins after the send.
TEST(PollWaits, MergedPollsOfAProbe) {
  EXPECT_THAT(wait_lines(timed_trace(
                  2, kLateSend + "rank 1\n @100 +380 iprobe from=any tag=3 polls=12 inside=300 "
                                 "any_source failed\n"
                                 " @510 +2 iprobe from=0 tag=3 any_source\n"
                                 " @520 +5 recv from=0 tag=3 bytes=8\n")),
              ElementsAre("1.0 late_sender 380<-0"));
}

// However little of the 600 ns is inside of MPI: 540 of 600 are between the polls, and so are nine
// tenths of the 400 until the send.
TEST(PollWaits, TimeBetweenMergedPollsIsWaitingAndToldApart) {
  const Trace trace = timed_trace(2, kLateSend +
                                         "rank 1\n @10 +1 irecv from=0 tag=3 bytes=8 req=1\n"
                                         " @100 +600 test req=1 failed polls=12 inside=60\n"
                                         " @710 +2 test req=1\n");
  EXPECT_THAT(wait_lines(trace), ElementsAre("1.1 late_sender 400<-0"));
  const WaitStates waits = wait_states(trace, CallMatching(trace), {});
  EXPECT_EQ(waits.states.at(0).between_polls_ns, 360);
  // Half of the waiting lies in an interval that begins 200 ns later.
  const WaitStates later = waits_in_interval(trace, waits, {300, 1000});
  EXPECT_EQ(later.states.at(0).wait_ns, 200);
  EXPECT_EQ(later.states.at(0).between_polls_ns, 180);
}

TEST(PollWaits, ALoopOfTestsWaitsInEachOfItsCalls) {
  // In the test that succeeds, too: its message is sent while it runs.
  EXPECT_THAT(
      wait_lines(timed_trace(2, kLateSend + "rank 1\n @10 +1 irecv from=0 tag=3 bytes=8 req=1\n"
                                            " @100 +100 test req=1 failed\n"
                                            " @250 +100 test req=1 failed\n"
                                            " @450 +80 test req=1\n")),
      ElementsAre("1.1 late_sender 100<-0", "1.2 late_sender 100<-0", "1.3 late_sender 50<-0"));
}

TEST(PollWaits, ATestsomeWaitsForTheFirstAndATestallForTheLast) {
  const std::string senders =
      "rank 0\n @300 +5 send to=2 bytes=8\nrank 1\n @500 +5 send to=2 bytes=8\n";
  const std::string posts =
      "rank 2\n @1 +1 irecv from=0 bytes=8 req=1\n @3 +1 irecv from=1 bytes=8 req=2\n";
  EXPECT_THAT(wait_lines(timed_trace(3, senders + posts +
                                            " @100 +500 testsome failed polls=9 inside=500\n"
                                            " @600 +5 testsome reqs=1,2\n")),
              ElementsAre("2.2 late_sender 200<-0"));
  EXPECT_THAT(wait_lines(timed_trace(3, senders + posts +
                                            " @100 +500 testall failed polls=9 inside=500\n"
                                            " @600 +5 testall reqs=1,2\n")),
              ElementsAre("2.2 late_sender 400<-1"));
}

TEST(PollWaits, OfANonblockingCollectiveWaitForItsLastMember) {
  EXPECT_THAT(wait_lines(timed_trace(2,
                                     "rank 0\n @500 +5 ibarrier req=1\n @510 +5 wait req=1\n"
                                     "rank 1\n @10 +5 ibarrier req=1\n"
                                     " @100 +420 test req=1 failed polls=9 inside=400\n"
                                     " @525 +2 test req=1\n")),
              ElementsAre("1.1 nonblocking_collective 400<-0"));
}

TEST(PollWaits, OfASendWaitForItsReceiver) {
  EXPECT_THAT(wait_lines(timed_trace(2,
                                     "rank 0\n @10 +5 isend to=1 bytes=100000 req=1\n"
                                     " @100 +450 test req=1 failed polls=9 inside=400\n"
                                     " @560 +2 test req=1\n"
                                     "rank 1\n @500 +100 recv from=0 bytes=100000\n")),
              ElementsAre("0.1 late_receiver 400<-1"));
}

// A loop that goes on elsewhere: the poll's wait is told by a call after one that others need.
TEST(PollWaits, CauseTheWaitingOfOthers) {
  const Trace trace =
      timed_trace(3,
                  "rank 0\n @1000 +5 send to=1 bytes=8\n"
                  "rank 1\n @1 +1 irecv from=0 bytes=8 req=1\n"
                  " @10 +1000 test req=1 failed polls=9 inside=1000\n @1012 +1 test req=1\n"
                  " @1100 +5 send to=2 bytes=8\n"
                  "rank 2\n @100 +1010 recv from=1 bytes=8\n");
  const CallMatching matching(trace);
  const CallPaths paths(trace);
  const WaitStates waits = wait_states(trace, matching, {});
  const DelayCosts delays = delay_costs(trace, matching, waits, CallActivities(trace, paths));
  EXPECT_EQ(delays.unexplained_ns.value(), 0);
  EXPECT_EQ(delays.waiting_ns, 990 + 1000);
  ASSERT_FALSE(delays.costs.empty());
  EXPECT_EQ(delays.costs.front().of.rank, 0);
  EXPECT_GT(delays.costs.front().total(), 1800);
}

// Rank 0 sends before it knows what its poll waited for, and rank 2 waits for that send. Since the
// barrier rank 0 waits 400 ns and posts a receive for 1 ns longer than rank 2, so that 400/401 of
// rank 2's 370 ns are those of the poll, which are rank 1's. The first message decides in which
// order the ranks go on: it costs 10 ns, and changes nothing else.
TEST(PollWaits, HandOnWhatTheirRankSendsBeforeTheySucceed) {
  const Trace trace =
      timed_trace(3,
                  "rank 0\n @20 +5 send to=2 tag=1 bytes=8\n @100 +100 barrier\n"
                  " @201 +1 irecv from=1 bytes=8 req=1\n"
                  " @210 +400 test req=1 failed polls=9 inside=400\n @620 +5 send to=2 bytes=8\n"
                  " @710 +1 test req=1\n"
                  "rank 1\n @100 +100 barrier\n @700 +5 send to=0 bytes=8\n"
                  "rank 2\n @10 +30 recv from=0 tag=1 bytes=8\n @100 +100 barrier\n"
                  " @250 +380 recv from=0 bytes=8\n");
  const CallMatching matching(trace);
  const CallPaths paths(trace);
  const WaitStates waits = wait_states(trace, matching, {});
  const DelayCosts delays = delay_costs(trace, matching, waits, CallActivities(trace, paths));
  EXPECT_EQ(delays.unexplained_ns.value(), 0);
  EXPECT_EQ(delays.waiting_ns, 400 + 370 + 10);
  ASSERT_EQ(delays.costs.size(), 3u);
  EXPECT_EQ(delays.costs[0].of.rank, 1);
  EXPECT_NEAR(delays.costs[0].total(), 400 + 370.0 * 400 / 401, 1e-6);
  EXPECT_EQ(delays.costs[1].total(), 10);
  EXPECT_NEAR(delays.costs[2].total(), 370.0 / 401, 1e-6);
}

TEST(PollWaits, ThatNeverSucceedHaveNoCause) {
  EXPECT_THAT(
      wait_lines(timed_trace(2, kLateSend + "rank 1\n @10 +1 irecv from=0 tag=3 bytes=8 req=1\n"
                                            " @100 +400 test req=1 failed polls=9 inside=400\n")),
      IsEmpty());
}

// Rank 1 polls for two messages by turns, 100,000 times. Compared one by one since the ranks
// synchronised, these polls would take minutes.
TEST(PollWaits, ForOneMessageAreExplainedTogether) {
  constexpr int kPolls = 100'000;
  std::string text =
      "rank 0\n @10 +10 barrier\n @2100000 +5 send to=1 tag=3 bytes=8\n"
      " @2100010 +5 send to=1 tag=4 bytes=8\n"
      "rank 1\n @10 +10 barrier\n @30 +1 irecv from=0 tag=4 bytes=8 req=1\n";
  for (int i = 0; i < kPolls; i += 2) {
    text += " @" + std::to_string(100 + 20 * i) + " +10 iprobe from=0 tag=3 failed\n";
    text += " @" + std::to_string(120 + 20 * i) + " +10 test req=1 failed\n";
  }
  text += " @2100020 +5 recv from=0 tag=3 bytes=8\n @2100030 +5 wait req=1\n";
  const Trace trace = timed_trace(2, text);
  const CallMatching matching(trace);
  const WaitStates waits = wait_states(trace, matching, {});
  const CallPaths paths(trace);
  const DelayCosts costs = delay_costs(trace, matching, waits, CallActivities(trace, paths));
  EXPECT_EQ(costs.waiting_ns, 10 * kPolls);
  EXPECT_NEAR(costs.unexplained_ns.value(), 0, 1);
  ASSERT_FALSE(costs.costs.empty());
  EXPECT_EQ(costs.costs.front().of.rank, 0);
  EXPECT_EQ(costs.costs.front().of.operation, Operation::none) << "what rank 0 computes";
  EXPECT_NEAR(costs.costs.front().total(), 10 * kPolls, 10);
  for (const WaitOrigin& origin : costs.origins) EXPECT_NEAR(origin.direct_ns, 10, 1e-3);
}

/// Two ranks that wait for each other in turn, rank 0 longer; rank 1 asks in each step whether a
/// last message is there.
Trace ping_pong(bool polls) {
  std::string text[2];
  std::int64_t now = 0;
  for (int step = 0; step < 50; ++step) {
    text[0] += " @" + std::to_string(now + 600) + " +5 send to=1 bytes=8\n";
    text[1] += " @" + std::to_string(now) + " +610 recv from=0 bytes=8\n";
    if (polls) text[1] += " @" + std::to_string(now + 620) + " +10 test req=1 failed\n";
    text[1] += " @" + std::to_string(now + 1100) + " +5 send to=0 bytes=8\n";
    text[0] += " @" + std::to_string(now + 605) + " +505 recv from=1 bytes=8\n";
    now += 1110;
  }
  const std::string last = std::to_string(now + 600);
  return timed_trace(2, "rank 0\n" + text[0] + " @" + last +
                            " +5 send to=1 tag=9 bytes=8\nrank 1\n" +
                            " @0 +0 irecv from=0 tag=9 bytes=8 req=1\n" + text[1] + " @" +
                            std::to_string(now) + " +610 wait req=1\n");
}

TEST(PollWaits, AreNotJoinedWhereTheirRanksSynchroniseInBetween) {
  for (const bool polls : {false, true}) {
    const Trace trace = ping_pong(polls);
    const CallMatching matching(trace);
    const CallPaths paths(trace);
    const DelayCosts costs = delay_costs(trace, matching, wait_states(trace, matching, {}),
                                         CallActivities(trace, paths));
    ASSERT_FALSE(costs.costs.empty());
    EXPECT_EQ(costs.costs.front().of.rank, 0) << polls;
    EXPECT_GT(costs.costs.front().total(), 50 * 590) << polls;
  }
}

}  // namespace
}  // namespace slackline
