#include "calls/call_matching.h"

#include <gtest/gtest.h>

#include <string>

#include "calls/findings.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

Findings findings_of(const std::string& ranks) {
  const Trace trace = read_text("slackline-trace 1 timed ranks=2\n" + ranks, "test");
  return CallMatching(trace).findings();
}

std::uint64_t losses(const Findings& findings) {
  return findings.count(kUnmatchedSend) + findings.count(kUnmatchedReceive) +
         findings.count(kCollectiveIncomplete);
}

constexpr const char* kIdle = "rank 1\n @0 +1 barrier\n";

TEST(CallMatching, CancelledReceivesAreNoLoss) {
  const std::string barrier = "rank 0\n @0 +1 barrier\n";
  EXPECT_EQ(
      losses(findings_of(barrier + " @2 irecv from=1 req=1 cancelled\n @3 wait req=1\n" + kIdle)),
      0u);
  EXPECT_EQ(losses(findings_of(barrier +
                               " @1 recv_init from=1 tag=9 bytes=4 req=1\n"
                               " @2 start starts=1:recv_init:1:9:4\n"
                               " @3 wait req=1 cancelled\n" +
                               kIdle)),
            0u);
}

TEST(CallMatching, ReceivesThatCompleteWithoutASendAreLosses) {
  const Findings found = findings_of(
      std::string("rank 0\n @0 +1 barrier\n @2 irecv from=1 req=1\n @3 wait req=1\n") + kIdle);
  EXPECT_EQ(found.count(kUnmatchedReceive), 1u);
}

TEST(CallMatching, ReceivesThatNeverCompleteAreOpen) {
  for (const char* end : {"", " @3 request_free req=1\n", " @3 +5 wait req=1 unfinished\n"}) {
    const Findings found =
        findings_of(std::string("rank 0\n @0 +1 barrier\n @2 irecv from=1 req=1\n") + end + kIdle);
    EXPECT_EQ(losses(found), 0u) << end;
    EXPECT_EQ(found.count(kOpenReceive), 1u) << end;
  }
}

// A destination that goes on to MPI_Finalize without the message has lost it; one whose recording
// ended may have been about to receive it.
TEST(CallMatching, SendsToARecordingThatEndedAreOpen) {
  const std::string send = "rank 0\n @0 +1 barrier\n @2 send to=1 bytes=8\n";
  EXPECT_EQ(findings_of(send + kIdle).count(kUnmatchedSend), 1u);
  const Findings ended = findings_of(send + "rank 1 unfinalized\n @0 +1 barrier\n");
  EXPECT_EQ(losses(ended), 0u);
  EXPECT_EQ(ended.count(kOpenSend), 1u);
}

TEST(CallMatching, CollectivesThatRanksHadNotEnteredAreOpen) {
  const std::string two = "rank 0 unfinalized\n @0 +1 barrier\n @2 +5 barrier unfinished\n";
  EXPECT_EQ(findings_of(two + kIdle).count(kCollectiveIncomplete), 1u);
  const Findings ended = findings_of(two + "rank 1 unfinalized\n @0 +1 barrier\n");
  EXPECT_EQ(losses(ended), 0u);
  EXPECT_EQ(ended.count(kOpenCollective), 1u);
}

TEST(CallMatching, AWaitKnowsTheFileAccessThatItCompletes) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=1\nrank 0\n"
      " @0 +1 file_iwrite_at bytes=8 req=1\n @2 +1 file_iread bytes=4 req=2\n"
      " @4 +1 irecv from=0 tag=1 bytes=4 req=3\n @6 +1 send to=0 tag=1 bytes=4\n"
      " @8 +1 waitall reqs=2,1\n @10 +1 file_iwrite bytes=8 req=4\n @12 +1 waitall reqs=3,4\n"
      " @14 +1 test failed\n",
      "test");
  const CallMatching matching(trace);
  EXPECT_EQ(matching.completed_file_access(0, 4), 1u);
  EXPECT_EQ(matching.completed_file_access(0, 6), kNoCall) << "it completes a message, too";
  for (const CallIndex other : {0u, 1u, 2u, 3u, 5u, 7u}) {
    EXPECT_EQ(matching.completed_file_access(0, other), kNoCall) << other;
  }
}

}  // namespace
}  // namespace slackline
