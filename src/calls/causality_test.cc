#include "calls/causality.h"

#include <gtest/gtest.h>

#include "formats/text/text.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

CausalityCheck check(std::string_view rank0, std::string_view rank1) {
  TraceBuilder trace = read_text("slackline-trace 1 timed ranks=2\nrank 0\n" + std::string(rank0) +
                                     "rank 1\n" + std::string(rank1),
                                 "t");
  const CausalityCheck result = count_causality_violations(trace, CallMatching(trace));
  EXPECT_EQ(trace.findings().count(kCausalityViolated), result.violations);
  return result;
}

TEST(Causality, AReceiveMayEndWhenItsSendBegins) {
  const CausalityCheck c = check("@100 +5 send to=1\n", "@50 +50 recv from=0\n");
  EXPECT_EQ(c.messages, 1u);
  EXPECT_EQ(c.violations, 0u);
}

TEST(Causality, TellsTheWorstOfSeveral) {
  const CausalityCheck c = check("@100 send to=1\n@200 send to=1\n@300 send to=1\n",
                                 "@90 recv from=0\n@160 recv from=0\n@301 recv from=0\n");
  EXPECT_EQ(c.messages, 3u);
  EXPECT_EQ(c.violations, 2u);
  EXPECT_EQ(c.worst_ns, 40);
  EXPECT_EQ(c.worst, "rank 1 received from rank 0 (tag 0) 40 ns before it was sent");
}

TEST(Causality, OneClockIsNeverBlamed) {
  TraceBuilder trace = read_text(
      "slackline-trace 1 timed ranks=2\nrank 0 host=n\n@100 send to=1\n"
      "rank 1 host=n\n@90 recv from=0\n",
      "t");
  EXPECT_EQ(count_causality_violations(trace, CallMatching(trace)).violations, 1u);
  EXPECT_EQ(trace.findings().count(kReceivedBeforeSent), 1u);
  EXPECT_EQ(trace.findings().count(kCausalityViolated), 0u);
}

TEST(Causality, StreamsAreToldApartByTagAndCommunicator) {
  // In the order of the sends alone, each receive would seem too early.
  const CausalityCheck c =
      check("@10 send to=1 tag=2\n@20 send to=1 tag=1 comm=1\n@400 send to=1 tag=1\n",
            "@30 recv from=0 tag=1 comm=1\n@40 recv from=0 tag=2\n@500 recv from=0 tag=1\n");
  EXPECT_EQ(c.messages, 3u);
  EXPECT_EQ(c.violations, 0u);
}

TEST(Causality, NonblockingReceivesEndWhereTheyAreCompleted) {
  const std::string_view sends = "@100 isend to=1 req=1\n@200 isend to=1 tag=1 req=2\n";
  EXPECT_EQ(check(sends,
                  "@1 irecv from=0 req=1\n@2 irecv from=0 tag=1 req=2\n"
                  "@250 waitall reqs=1,2\n")
                .violations,
            0u);
  EXPECT_EQ(check(sends,
                  "@1 irecv from=0 req=1\n@2 irecv from=0 tag=1 req=2\n"
                  "@50 testany failed req=1\n@150 waitall reqs=1,2\n")
                .violations,
            1u);
  // Never completed: nothing is known of its end.
  EXPECT_EQ(check(sends, "@1 irecv from=0 req=1\n").messages, 0u);
}

TEST(Causality, SeesSendrecvAndPersistentRequests) {
  EXPECT_EQ(check("@100 sendrecv to=1 from=1 rtag=5\n", "@10 +10 sendrecv to=0 tag=5 from=0\n")
                .violations,
            1u);
  EXPECT_EQ(check("@100 start starts=1:send_init:1:3:8\n",
                  "@1 start starts=7:recv_init:0:3:8\n@20 wait req=7\n")
                .worst_ns,
            80);
}

TEST(Causality, CancelledAndNullPartnersAndUntimedTracesDoNotCount) {
  EXPECT_EQ(check("@100 send to=null\n", "@1 recv from=null\n").messages, 0u);
  EXPECT_EQ(check("@100 send to=1\n",
                  "@1 irecv from=0 req=1 cancelled\n@2 wait req=1\n"
                  "@200 recv from=0\n")
                .violations,
            0u);
  TraceBuilder untimed = read_text(
      "slackline-trace 1 untimed ranks=2\nrank 0\ncompute 9\nsend to=1\nrank 1\nrecv from=0\n",
      "t");
  EXPECT_EQ(count_causality_violations(untimed, CallMatching(untimed)).messages, 0u);
}

}  // namespace
}  // namespace slackline
