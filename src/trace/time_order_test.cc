#include "trace/sound_calls.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/text/text.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

Trace mended(const std::string& rank0) {
  TraceBuilder trace = read_text("slackline-trace 1 timed ranks=1\nrank 0" + rank0, "t");
  mend_time_order(trace);
  return std::move(trace).build();
}

TEST(TimeOrder, LeavesATraceInOrderAlone) {
  const std::string text = " start=-5\n@-5 +10 init\n@5 barrier\n@5 +0 barrier thread=1\n";
  const Trace trace = mended(text);
  EXPECT_TRUE(trace.findings().entries().empty());
  EXPECT_EQ(trace.calls(0).start_ns(), -5);
}

TEST(TimeOrder, ARankStartsWithItsFirstCallAtTheLatest) {
  const Trace trace = mended("\n@-1000 +100 init\n@400 +10 finalize\n");
  EXPECT_EQ(trace.calls(0).start_ns(), -1000);
  ASSERT_EQ(trace.findings().entries().size(), 1u);
  EXPECT_EQ(trace.findings().entries()[0].name, "calls_before_start");
}

TEST(TimeOrder, CallsOfAThreadGiveWay) {
  // The second begins within the first, the third ends before it begins; thread 1 is another one.
  const Trace trace = mended(
      "\n@0 +100 init\n@50 +100 barrier\n@60 +10 barrier thread=1\n@300 +-20 barrier\n"
      "@400 +10 finalize\n");
  const RankCalls& calls = trace.calls(0);
  EXPECT_EQ(calls.begin_ns(1), 100);
  EXPECT_EQ(calls.end_ns(1), 150);
  EXPECT_EQ(calls.begin_ns(2), 60);
  EXPECT_EQ(calls.end_ns(3), 300);
  EXPECT_EQ(calls.begin_ns(4), 400);
  ASSERT_EQ(trace.findings().entries().size(), 1u);
  EXPECT_EQ(trace.findings().entries()[0].name, "calls_overlap");
  EXPECT_EQ(trace.findings().entries()[0].count, 2u);
}

TEST(TimeOrder, TimesTooFarApartAreAnError) {
  // 2^62 = 4611686018427387904
  const Trace within = mended(" start=-11686018427387904\n@4600000000000000000 +0 init\n");
  EXPECT_NO_THROW(check_time_span(within));
  const Trace beyond = mended(" start=-11686018427387904\n@4600000000000000000 +1 init\n");
  EXPECT_THROW(check_time_span(beyond), Error);
  const Trace limits = mended(" start=-4611686018427387904 stop=4611686018427387904\n");
  EXPECT_THROW(check_time_span(limits), Error);
}

}  // namespace
}  // namespace slackline
