#include "calls/clock_correction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "calls/causality.h"
#include "calls/clocks.h"
#include "calls/logical_clock.h"
#include "formats/text/text.h"
#include "trace/testing/plausible_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

TraceBuilder trace_of(const std::string& text) {
  return read_text("slackline-trace 1 timed " + text, "t");
}

ClockCorrection corrected(TraceBuilder& trace, ClockPolicy policy = ClockPolicy::when_needed) {
  return correct_clocks(trace, CallMatching(trace), policy);
}

TEST(ClockCorrection, AConstantOffsetIsTheMiddleOfWhatMessagesAllow) {
  // Rank 1 is 1,000 ns early; messages of both directions take 100 ns.
  TraceBuilder trace = trace_of(
      "ranks=2\nrank 0\n@1000 +10 send to=1\n@1500 +700 recv from=1\n"
      "rank 1\n@50 +50 recv from=0\n@1100 +10 send to=0\n");
  const ClockCorrection done = corrected(trace);
  ASSERT_TRUE(done.corrected);
  EXPECT_EQ(trace.findings().count(kClocksCorrected), 1u);
  // Received at 100 what was sent at 1,000: at least 900 later; at most 2,200 - 1,100.
  EXPECT_EQ(done.estimate.maps[1].offset_ns, 1000);
  EXPECT_EQ(trace.calls(1).begin_ns(0), 1050);
  EXPECT_EQ(trace.calls(1).end_ns(1), 2110);
  EXPECT_EQ(trace.calls(0).begin_ns(0), 1000);
  EXPECT_NEAR(done.estimate.at_begin[1].low, 900, 10);
  EXPECT_NEAR(done.estimate.at_begin[1].high, 1100, 10);
}

TEST(ClockCorrection, ABarrierLeftBeforeOthersEnterMovesTheClock) {
  // Nothing but two barriers tells that rank 1's clock is 100 ms late.
  TraceBuilder trace = trace_of(
      "ranks=2\nrank 0\n@0 +10 comm_split args=2\n@1000 +20 barrier\n@5000 +30 barrier\n"
      "rank 1\n@100000000 +15 comm_split args=2\n@100001005 +10 barrier\n"
      "@100005010 +20 barrier\n");
  const CausalityCheck check = check_causality(trace, CallMatching(trace));
  EXPECT_EQ(check.collectives, 2u);
  EXPECT_EQ(check.worst_collective, "rank 0 left MPI_Barrier 99999985 ns before rank 1 entered it");
  const ClockCorrection done = corrected(trace);
  ASSERT_TRUE(done.corrected);
  // Rank 1 enters at 1,005 before 0 leaves at 1,020, and leaves at 1,015 after 0 enters at 1,000;
  // the second barrier: 5,010 to 5,030, 5,030 to 5,000.
  EXPECT_EQ(done.estimate.maps[1].offset_ns, -100000000 + (15 - 15) / 2);
  EXPECT_EQ(check_causality(trace, CallMatching(trace)).collectives, 0u);
  EXPECT_EQ(trace.calls(1).start_ns(), 0);
}

TEST(ClockCorrection, WhatTheClocksErrorExplainsStays) {
  const std::string text =
      "ranks=2\nrank 0 clock_error=600\n@1000 +10 send to=1\n"
      "rank 1 clock_error=600\n@90 +20 recv from=0\n";
  TraceBuilder trace = trace_of(text);
  const TraceBuilder before = trace;
  EXPECT_FALSE(corrected(trace).corrected);
  EXPECT_TRUE(same_content(before, trace));
  EXPECT_TRUE(trace.findings().empty());
  EXPECT_TRUE(corrected(trace, ClockPolicy::always).corrected);
  // The least correction where only one side bounds it.
  EXPECT_EQ(trace.calls(1).end_ns(0), 1000);
}

TEST(ClockCorrection, KeptClocksStay) {
  TraceBuilder trace =
      trace_of("ranks=2\nrank 0\n@1000 +10 send to=1\nrank 1\n@90 +20 recv from=0\n");
  const TraceBuilder before = trace;
  EXPECT_FALSE(corrected(trace, ClockPolicy::as_read).corrected);
  EXPECT_TRUE(same_content(before, trace));
}

TEST(ClockCorrection, OneClockIsNotCorrectedUnlessAsked) {
  TraceBuilder trace =
      trace_of("ranks=2\nrank 0 host=n\n@1000 +10 send to=1\nrank 1 host=n\n@90 +20 recv from=0\n");
  const TraceBuilder before = trace;
  EXPECT_FALSE(corrected(trace).corrected);
  EXPECT_TRUE(same_content(before, trace));
  corrected(trace, ClockPolicy::always);
  EXPECT_EQ(trace.findings().count(kClocksFixed), 1u);
  EXPECT_EQ(check_causality(trace, CallMatching(trace)).violations, 0u);
}

/// Ranks of one host that exchange 20 messages in turn, 1,000 apart; rank 1's times are `offset`
/// later than its rank 0's.
std::string exchange_on_one_host(int offset) {
  std::string ranks[2]{"rank 0 host=n\n", "rank 1 host=n\n"};
  for (int i = 0; i < 20; ++i) {
    const int sender = i % 2;
    const int sent = 10'000 + 1000 * i;
    const auto at = [&](int rank, int time) { return time + (rank == 1 ? offset : 0); };
    ranks[sender] += fmt::format("@{} +10 send to={}\n", at(sender, sent), 1 - sender);
    ranks[1 - sender] += fmt::format("@{} +100 recv from={}\n", at(1 - sender, sent), sender);
  }
  return "ranks=2\n" + ranks[0] + ranks[1];
}

TEST(ClockCorrection, RanksOfOneHostMayDifferByAConstant) {
  TraceBuilder trace = trace_of(exchange_on_one_host(5000));
  EXPECT_EQ(check_causality(trace, CallMatching(trace)).on_one_clock, 10u);
  ASSERT_TRUE(corrected(trace).corrected);
  EXPECT_EQ(trace.findings().count(kClocksOfOneHost), 1u);
  EXPECT_EQ(trace.findings().count(kClocksCorrected), 0u);
  EXPECT_EQ(check_causality(trace, CallMatching(trace)).violations, 0u);
  // Messages of both directions take at most 100: the offset is known no better than that.
  EXPECT_NEAR(static_cast<double>(trace.calls(1).begin_ns(0) - trace.calls(0).begin_ns(0)), 0, 100);
  EXPECT_FALSE(have_one_clock(trace, 0, 1));
}

TEST(ClockCorrection, RanksOfOneHostThatNoConstantExplainsAreLeft) {
  // Each receives ten messages before the other one sends them.
  std::string ranks[2]{"rank 0 host=n\n", "rank 1 host=n\n"};
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 10; ++i) {
      ranks[rank] += fmt::format("@{} +10 recv from={}\n", 100 * i, 1 - rank);
    }
    for (int i = 0; i < 10; ++i) {
      ranks[rank] += fmt::format("@{} +10 send to={}\n", 5000 + 100 * i, 1 - rank);
    }
  }
  TraceBuilder trace = trace_of("ranks=2\n" + ranks[0] + ranks[1]);
  const TraceBuilder before = trace;
  EXPECT_FALSE(corrected(trace).corrected);
  EXPECT_TRUE(same_content(before, trace));
}

TEST(ClockCorrection, WhatNoClockExplainsIsSaidAndLeft) {
  // Both receive what the other one sends later: no offset helps.
  TraceBuilder trace = trace_of(
      "ranks=2\nrank 0\n@0 +1 recv from=1\n@5000 +1 send to=1\n"
      "rank 1\n@0 +1 recv from=0\n@5000 +1 send to=0\n");
  const TraceBuilder before = trace;
  EXPECT_FALSE(corrected(trace).corrected);
  EXPECT_TRUE(same_content(before, trace));
  EXPECT_EQ(trace.findings().count(kClocksInconsistent), 1u);
}

RC_GTEST_PROP(ClockCorrectionProperty, CausalTracesStayAsTheyAre, ()) {
  TraceBuilder trace = testing::PlausibleTrace::make();
  const TraceBuilder before = trace;
  for (const ClockPolicy policy : {ClockPolicy::when_needed, ClockPolicy::always}) {
    RC_ASSERT(!corrected(trace, policy).corrected);
    RC_ASSERT(same_content(before, trace));
    RC_ASSERT(trace.findings().empty());
  }
}

}  // namespace
}  // namespace slackline
