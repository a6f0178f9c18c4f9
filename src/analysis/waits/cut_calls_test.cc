#include "analysis/waits/cut_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/waits/wait_states.h"
#include "calls/causality.h"
#include "calls/findings.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::Field;
using ::testing::HasSubstr;
using testing::timed_trace;
using ::testing::UnorderedElementsAre;

/// What the last call of rank 0 waited for.
std::optional<MissingPartner> missing(const Trace& trace) {
  const auto call = cut_call(trace.calls(0));
  EXPECT_TRUE(call.has_value());
  return missing_partner(trace, CallMatching(trace), 0, call.value_or(0));
}

std::string others() {
  return "rank 1 unfinalized stop=500\n @0 +10 barrier\nrank 2 unfinalized stop=500\n @0 +10 "
         "barrier\n";
}

Trace cut_in(const std::string& calls) {
  return timed_trace(3, "rank 0 unfinalized\n @0 +10 barrier\n" + calls + others());
}

TEST(CutCalls, NameTheSourceOfAReceive) {
  const auto found = missing(cut_in(" @100 +400 recv from=2 tag=5 unfinished\n"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 2);
  EXPECT_EQ(found->pattern, WaitPattern::late_sender);
}

TEST(CutCalls, NameTheSourceOfAReceiveThatIsWaitedFor) {
  const auto found = missing(cut_in(
      " @20 irecv from=1 req=1\n @30 irecv from=2 req=2\n @100 +400 wait req=2 unfinished\n"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 2);
}

TEST(CutCalls, NameTheDestinationOfASend) {
  const auto found = missing(cut_in(" @100 +400 send to=1 bytes=1000000 unfinished\n"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 1);
  EXPECT_EQ(found->pattern, WaitPattern::late_receiver);
}

TEST(CutCalls, NameTheRootOfABroadcast) {
  const auto found = missing(cut_in(" @100 +400 bcast root=2 bytes=8 unfinished\n"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 2);
}

TEST(CutCalls, NameAMemberOutsideOfMpiBeforeOneThatWaitsToo) {
  const auto found =
      missing(timed_trace(3,
                          "rank 0 unfinalized\n @0 +10 barrier\n @100 +400 barrier unfinished\n"
                          "rank 1 unfinalized\n @0 +10 barrier\n @100 +400 recv from=2 unfinished\n"
                          "rank 2 unfinalized stop=500\n @0 +10 barrier\n"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 2);
}

TEST(CutCalls, NameNoRankWhereAnyCouldCome) {
  EXPECT_FALSE(missing(cut_in(" @100 +400 recv from=any unfinished\n")).has_value());
}

TEST(CutCalls, AreNoLossesAndSayWhereRanksWere) {
  const Trace trace = cut_in(" @100 +400 recv from=2 tag=5 unfinished\n");
  const CallMatching matching(trace);
  EXPECT_EQ(matching.findings().count(kUnmatchedReceive), 0u);
  EXPECT_EQ(matching.findings().count(kOpenReceive), 1u);
  Findings findings;
  report_cut_calls(trace, matching, findings);
  ASSERT_EQ(findings.entries().size(), 1u);
  EXPECT_EQ(findings.entries()[0].severity, Severity::notice);
  EXPECT_THAT(findings.entries()[0].examples[0],
              HasSubstr("rank 0 in MPI_Recv for 400 ns: rank 2 had not sent"));
}

// Rank 1 came 7 µs after rank 0 to a reduction that rank 2 never reached: who is missing explains
// all of both waits, so the earlier one is not counted for rank 1 as well.
TEST(CutCalls, WaitOnceThoughAnotherRankWasLateToo) {
  const Trace trace = timed_trace(3,
                                  "rank 0 unfinalized\n @0 +10 barrier\n"
                                  " @1000 +9000 allreduce bytes=8 unfinished\n"
                                  "rank 1 unfinalized\n @0 +10 barrier\n"
                                  " @8000 +2000 allreduce bytes=8 unfinished\n"
                                  "rank 2 unfinalized stop=10000\n @0 +10 barrier\n");
  const WaitStates waits = wait_states(trace, CallMatching(trace));
  EXPECT_THAT(waits.states, UnorderedElementsAre(Field(&WaitState::wait_ns, 9000),
                                                 Field(&WaitState::wait_ns, 2000)));
}

// What had not returned cannot have returned too early.
TEST(CutCalls, GiveNoDoubtAboutClocks) {
  const Trace trace =
      timed_trace(2,
                  "rank 0 host=a unfinalized\n @100 allreduce bytes=8 unfinished\n"
                  "rank 1 host=a unfinalized\n @300 allreduce bytes=8 unfinished\n");
  const CausalityCheck check = check_causality(trace, CallMatching(trace));
  EXPECT_EQ(check.collectives, 0u);
}

std::string deadlock_of(const std::string& text) {
  const Trace trace = timed_trace(3, text);
  Findings findings;
  report_cut_calls(trace, CallMatching(trace), findings);
  for (const Findings::Entry& e : findings.entries()) {
    if (e.name == kDeadlock.name) return e.examples.at(0);
  }
  return "";
}

// Rank 2 waits for a rank of the circle, and is none of it.
TEST(CutCalls, FormACircle) {
  EXPECT_EQ(
      deadlock_of("rank 0 unfinalized\n @0 +10 barrier\n"
                  " @100 +400 send to=1 bytes=4000000 unfinished\n"
                  "rank 1 unfinalized\n @0 +10 barrier\n"
                  " @200 +300 send to=0 bytes=4000000 unfinished\n"
                  "rank 2 unfinalized\n @0 +10 barrier\n @50 +450 recv from=1 unfinished\n"),
      "rank 0 waits in MPI_Send for rank 1 and rank 1 waits in MPI_Send for rank 0, since 300 ns "
      "before its end");
}

TEST(CutCalls, FormNoCircleWhereAnotherPartnerWouldDo) {
  EXPECT_EQ(deadlock_of("rank 0 unfinalized\n @0 +10 barrier\n @20 +1 irecv from=2 req=1\n"
                        " @30 +1 irecv from=1 req=2\n @100 +400 waitany reqs=1,2 unfinished\n"
                        "rank 1 unfinalized\n @0 +10 barrier\n @100 +400 recv from=0 unfinished\n"
                        "rank 2 unfinalized stop=500\n @0 +10 barrier\n"),
            "");
}

TEST(CutCalls, FormNoCircleWhereOneComputesOrWaitsForAnInstant) {
  EXPECT_EQ(deadlock_of("rank 0 unfinalized\n @0 +10 barrier\n @100 +400 recv from=1 unfinished\n"
                        "rank 1 unfinalized\n @0 +10 barrier\n @100 +400 recv from=2 unfinished\n"
                        "rank 2 unfinalized stop=500\n @0 +10 barrier\n"),
            "");
  EXPECT_EQ(deadlock_of("rank 0 unfinalized\n @0 +10 barrier\n @498 +2 recv from=1 unfinished\n"
                        "rank 1 unfinalized\n @0 +10 barrier\n @498 +2 recv from=0 unfinished\n"
                        "rank 2 unfinalized stop=500\n @0 +10 barrier\n"),
            "");
}

}  // namespace
}  // namespace slackline
