// What all ranks do together with a communicator, a window or a file: rank 0 is late, and the
// others' waiting follows from when the calls begin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/waits/delay_costs.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::timed_trace;
using ::testing::UnorderedElementsAre;

std::vector<std::string> waits_of(const Trace& trace) {
  std::vector<std::string> lines;
  for (const WaitState& s : wait_states(trace, CallMatching(trace), {}).states) {
    lines.push_back(std::to_string(s.rank) + " " + std::string(identifier(s.pattern)) + " " +
                    std::to_string(s.wait_ns) + "<-" + std::to_string(s.cause_rank));
  }
  return lines;
}

/// Rank 0 comes 50 ms after the others, who come at 1 us; all leave 1 us after it came.
Trace late_rank_0(const std::string& call) {
  return timed_trace(3, "rank 0\n @50000000 +1000 " + call + "\nrank 1\n @1000 +50000000 " + call +
                            "\nrank 2\n @2000 +49999000 " + call + "\n");
}

class LateRank0 : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(LateRank0, IsWaitedFor) {
  const auto& [call, pattern] = GetParam();
  const Trace trace = late_rank_0(call);
  EXPECT_THAT(waits_of(trace), UnorderedElementsAre("1 " + std::string(pattern) + " 49999000<-0",
                                                    "2 " + std::string(pattern) + " 49998000<-0"));
}

TEST_P(LateRank0, IsTheRootCause) {
  const Trace trace = late_rank_0(GetParam().first);
  const CallMatching matching(trace);
  const CallPaths paths(trace);
  const WaitStates waits = wait_states(trace, matching, {});
  const DelayCosts delays = delay_costs(trace, matching, waits, CallActivities(trace, paths));
  ASSERT_FALSE(delays.costs.empty());
  EXPECT_EQ(delays.costs.front().of.rank, 0);
  EXPECT_EQ(delays.costs.front().of.operation, Operation::none);
  EXPECT_NEAR(delays.costs.front().total(), 99997000, 1);
  EXPECT_EQ(delays.unexplained_ns.value(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Objects, LateRank0,
    ::testing::Values(
        std::pair("comm_dup", "wait_at_creation"), std::pair("comm_split", "wait_at_creation"),
        std::pair("cart_create", "wait_at_creation"), std::pair("comm_free", "wait_at_creation"),
        std::pair("win_create", "wait_at_creation"), std::pair("win_allocate", "wait_at_creation"),
        std::pair("win_free", "wait_at_creation"), std::pair("win_fence", "wait_at_fence"),
        std::pair("file_open", "wait_at_creation"), std::pair("file_close", "wait_at_creation"),
        std::pair("file_set_view", "wait_at_collective_io"),
        std::pair("file_write_all bytes=8", "wait_at_collective_io"),
        std::pair("file_write_ordered bytes=8", "wait_at_collective_io"),
        std::pair("file_read_at_all bytes=8", "wait_at_collective_io")),
    [](const auto& test) {
      const std::string call = test.param.first;
      return call.substr(0, call.find(' '));
    });

TEST(ObjectWaits, IndividualInputAndOutputWaitsForNobody) {
  EXPECT_THAT(waits_of(late_rank_0("file_write bytes=8")), IsEmpty());
}

// Nobody who has gone on waited for who came later: freeing is local in most MPI libraries, and a
// file system may let each rank write for itself.
TEST(ObjectWaits, WhoWentOnBeforeTheLastRankCameDidNotWait) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @5000 +10 comm_free\n @6000 +5 send to=1 bytes=8\n"
                                  "rank 1\n @100 +10 comm_free\n @5900 +200 recv from=0 bytes=8\n");
  EXPECT_THAT(waits_of(trace), ElementsAre("1 late_sender 100<-0"));
  EXPECT_THAT(waits_of(timed_trace(2,
                                   "rank 0\n @5000 +10 file_write_all bytes=8\n"
                                   "rank 1\n @100 +10 file_write_all bytes=8\n")),
              IsEmpty());
}

// A rank frees a communicator, sends, and its receiver frees it after that.
TEST(ObjectWaits, FreeingForcesNoOrder) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @100 +10 comm_free\n @200 +5 send to=1 bytes=8\n"
                                  "rank 1\n @150 +60 recv from=0 bytes=8\n @300 +10 comm_free\n");
  const CallMatching matching(trace);
  EXPECT_EQ(wait_states(trace, matching, {}).released, 0u);
  EXPECT_EQ(ideal_run(trace, matching, {}).released, 0u);
}

// Calls on windows and files that do not say their communicator have that of the only one.
TEST(ObjectWaits, AreOfTheCommunicatorThatTheObjectWasOpenedOn) {
  const std::string split = "comm 2 members=0,1\n";
  const Trace trace = timed_trace(3, split +
                                         "rank 0\n @10 +5 win_create comm=2\n @500 +5 win_fence\n"
                                         "rank 1\n @10 +5 win_create comm=2\n @100 +405 win_fence\n"
                                         "rank 2\n @10 +5 barrier comm=1\n");
  EXPECT_THAT(waits_of(trace), ElementsAre("1 wait_at_fence 400<-0"));
}

// Windows and files have an order of their own beside the communicator's collectives.
TEST(ObjectWaits, AreNotCountedWithTheCollectivesOfTheCommunicator) {
  const Trace trace =
      timed_trace(2,
                  "rank 0\n @100 +5 win_fence\n @200 +5 ibarrier req=1\n @300 +5 wait req=1\n"
                  "rank 1\n @10 +5 ibarrier req=1\n @20 +85 win_fence\n @190 +115 wait req=1\n");
  EXPECT_THAT(waits_of(trace),
              UnorderedElementsAre("1 wait_at_fence 80<-0", "1 nonblocking_collective 10<-0"));
}

// The ideal network takes the waiting out of collective MPI-IO, and keeps the input and output.
TEST(ObjectWaits, TheIdealNetworkKeepsTheTimeOfInputAndOutput) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @500 +300 file_write_all bytes=8\n"
                                  "rank 1\n @100 +700 file_write_all bytes=8\n");
  EXPECT_EQ(ideal_run(trace, CallMatching(trace), {}).runtime_ns, 800);
}

TEST(ObjectWaits, BroadcastsBetweenTwoGroupsAreOfTheRootAndTheOtherGroup) {
  // Rank 1 of the root's group gives MPI_PROC_NULL, and neither waits nor is waited for.
  const Trace trace = timed_trace(4,
                                  "comm 2 members=0,1 remote=2,3\n"
                                  "rank 0\n @500 +20 bcast root=root bytes=8 comm=2\n"
                                  "rank 1\n @700 +2 bcast root=null bytes=8 comm=2\n"
                                  "rank 2\n @100 +420 bcast root=0 bytes=8 comm=2\n"
                                  "rank 3\n @200 +320 bcast root=0 bytes=8 comm=2\n");
  EXPECT_THAT(waits_of(trace),
              UnorderedElementsAre("2 late_broadcast 400<-0", "3 late_broadcast 300<-0"));
}

}  // namespace
}  // namespace slackline
