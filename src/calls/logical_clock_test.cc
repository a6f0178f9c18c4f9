#include "calls/logical_clock.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "calls/causality.h"
#include "formats/text/text.h"
#include "trace/testing/arbitrary_trace.h"
#include "trace/testing/plausible_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

TEST(LogicalClock, ARaceAgainstTimeIsMovedToTheSend) {
  // Rank 1's clock is 1000 ns behind: it has its message 890 ns before that was sent.
  TraceBuilder trace = read_text(
      "slackline-trace 1 timed ranks=2\nrank 0\n@1000 +10 send to=1\n"
      "rank 1\n@90 +20 recv from=0\n@210 +10 barrier comm=1\n",
      "t");
  const CausalityRepair fixed = restore_causality(trace, CallMatching(trace));
  EXPECT_EQ(fixed.violations, 1u);
  // Forward: the receive ends at 1000, the interval of 100 after it keeps 99, and the last call's
  // 10 stay whole. Backward: the begin moves on with the end, less one percent of the 20 between.
  EXPECT_EQ(trace.calls(1).end_ns(0), 1000);
  EXPECT_EQ(trace.calls(1).begin_ns(0), 979);
  EXPECT_EQ(trace.calls(1).begin_ns(1), 1099);
  EXPECT_EQ(trace.calls(1).end_ns(1), 1109);
  EXPECT_EQ(trace.calls(0).begin_ns(0), 1000);
  EXPECT_EQ(trace.findings().count(kClocksFixed), 2u);
  EXPECT_EQ(count_causality_violations(trace, CallMatching(trace)).violations, 0u);
}

TEST(LogicalClock, CollectivesEndAfterTheirMembersArrived) {
  TraceBuilder trace = read_text(
      "slackline-trace 1 timed ranks=2\nrank 0\n@0 +10 barrier\n@100 +5 bcast root=1\n"
      "rank 1\n@50 +10 barrier\n@90 +5 bcast root=1\n",
      "t");
  restore_causality(trace, CallMatching(trace));
  EXPECT_EQ(trace.calls(0).end_ns(0), 50);
  EXPECT_EQ(trace.calls(1).begin_ns(0), 50);
  EXPECT_GE(trace.calls(0).end_ns(1), trace.calls(1).begin_ns(1));
}

TEST(LogicalClock, AMoveNeverPassesWhatWaitsForIt) {
  // The send of rank 1 just before the jump may not move past its receive on rank 0.
  TraceBuilder trace = read_text(
      "slackline-trace 1 timed ranks=2\nrank 0\n@60 +20 recv from=1 tag=1\n@1000 +10 send to=1\n"
      "rank 1\n@50 +5 send to=0 tag=1\n@90 +20 recv from=0\n",
      "t");
  restore_causality(trace, CallMatching(trace));
  EXPECT_EQ(trace.calls(0).end_ns(0), 80);
  EXPECT_LE(trace.calls(1).begin_ns(0), 80);
  EXPECT_EQ(trace.calls(1).end_ns(1), 1000);
}

TEST(LogicalClock, ACircleIsLeftAndSaid) {
  TraceBuilder trace = read_text(
      "slackline-trace 1 timed ranks=2\nrank 0\n@0 +1 recv from=1\n@5 +1 send to=1\n"
      "rank 1\n@0 +1 recv from=0\n@5 +1 send to=0\n",
      "t");
  restore_causality(trace, CallMatching(trace));
  EXPECT_EQ(trace.findings().count(kCausalCycle), 1u);
}

bool intervals_are_fine(const RankCalls& before, const RankCalls& after) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::int64_t was = before.end_ns(i) - before.begin_ns(i);
    if (after.end_ns(i) - after.begin_ns(i) < was - was / 100) return false;
    if (after.begin_ns(i) < before.begin_ns(i)) return false;
    if (i == 0) continue;
    const std::int64_t gap = before.begin_ns(i) - before.end_ns(i - 1);
    if (after.begin_ns(i) - after.end_ns(i - 1) < gap - gap / 100) return false;
  }
  return true;
}

RC_GTEST_PROP(LogicalClockProperty, SkewedClocksBecomeCausal, ()) {
  TraceBuilder trace = testing::PlausibleTrace::make();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const auto offset = *rc::gen::inRange<std::int64_t>(-3000, 3000);
    trace.calls(r).map_times([&](std::int64_t t) { return t + offset + t / 100 * r; });
  }
  const TraceBuilder before = trace;
  restore_causality(trace, CallMatching(trace));
  RC_ASSERT(trace.findings().count(kCausalCycle) == 0u);
  RC_ASSERT(count_causality_violations(trace, CallMatching(trace)).violations == 0u);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    RC_ASSERT(intervals_are_fine(before.calls(r), trace.calls(r)));
  }
  // Once is enough.
  const TraceBuilder once = trace;
  RC_ASSERT(restore_causality(trace, CallMatching(trace)).violations == 0u);
  RC_ASSERT(same_content(once, trace));
}

RC_GTEST_PROP(LogicalClockProperty, CausalTracesStayAsTheyAre, ()) {
  TraceBuilder trace = testing::PlausibleTrace::make();
  const TraceBuilder before = trace;
  RC_ASSERT(restore_causality(trace, CallMatching(trace)).violations == 0u);
  RC_ASSERT(same_content(before, trace));
  RC_ASSERT(trace.findings().empty());
}

RC_GTEST_PROP(LogicalClockProperty, AnyTraceIsBroughtToAnEnd, ()) {
  TraceBuilder trace = testing::arbitrary_trace();
  restore_causality(trace, CallMatching(trace));
}

}  // namespace
}  // namespace slackline
