#include "calls/cpu_time.h"

#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

// The rank computes from 100 to 200, 30 ns of it off the processor, and from 210 to 260, 20 of it.
TraceBuilder interrupted() {
  TraceBuilder trace =
      testing::timed_trace(1,
                           "rank 0\n @60 +40 init\n @200 +10 barrier\n @260 +5 barrier\n"
                           " @300 finalize\n");
  RankCallsBuilder& calls = trace.calls(0);
  calls.append_pause({40, 50, 0});  // before MPI_Init
  calls.append_pause({170, 200, 1});
  calls.append_pause({220, 225, 2, PauseKind::in_mpi});  // in a call that no Operation stands for
  calls.append_pause({230, 250, 2});
  return trace;
}

TEST(CpuTime, IsTheTimeBetweenCallsWithoutPauses) {
  Trace trace = interrupted().build();
  EXPECT_EQ(paused_ns(trace), 50);
  trace = without_pauses(std::move(trace));
  const RankCalls& calls = trace.calls(0);
  EXPECT_EQ(calls.gap_ns(1), 70);
  EXPECT_EQ(calls.gap_ns(2), 30);
  EXPECT_EQ(calls.gap_ns(3), 35);
  EXPECT_EQ(calls.useful_ns(1), 70);
  EXPECT_EQ(calls.useful_ns(2), 25);
  EXPECT_EQ(paused_ns(trace), 0);
}

TEST(CpuTime, CallsKeepTheirLengthsAndTheRunItsBegin) {
  Trace trace = interrupted().build();
  trace = without_pauses(std::move(trace));
  const RankCalls& calls = trace.calls(0);
  EXPECT_EQ(calls.end_ns(0), 100);
  EXPECT_EQ(calls.end_ns(1) - calls.begin_ns(1), 10);
  EXPECT_EQ(calls.end_ns(2) - calls.begin_ns(2), 5);
  EXPECT_EQ(calls.begin_ns(3), 250);
}

TEST(CpuTime, WithoutPausesNothingMoves) {
  Trace trace = testing::timed_trace(1, "rank 0\n @0 +100 init\n @200 +10 barrier\n");
  EXPECT_EQ(paused_ns(trace), 0);
  trace = without_pauses(std::move(trace));
  EXPECT_EQ(trace.calls(0).begin_ns(1), 200);
}

// 30 ns of writing, and 6 + 9 ns around each barrier; the pause without a processor stays.
TEST(CpuTime, RecordingAloneCanBeTakenOut) {
  Trace trace = testing::timed_trace(1,
                                     "rank 0\n recording barrier 6 9\n @60 +40 init\n"
                                     " @110 +30 pause recording\n @150 +20 pause no_processor\n"
                                     " @200 +10 barrier\n @212 +5 barrier\n @300 finalize\n");
  EXPECT_EQ(recording_ns(trace), 30 + 6 + 2 + 9);
  EXPECT_EQ(paused_ns(trace), 20 + 47);
  trace = without_recording(std::move(trace));
  const RankCalls& calls = trace.calls(0);
  EXPECT_EQ(calls.begin_ns(1), 164);
  EXPECT_EQ(calls.useful_ns(1), 64 - 20);
  EXPECT_EQ(calls.gap_ns(2), 0);
  EXPECT_EQ(calls.gap_ns(3), 83 - 9);
  EXPECT_EQ(recording_ns(trace), 0);
}

// What recording took lies at the begin of a gap, for edits too: being blocked until the next call
// stays as long as it was.
TEST(CpuTime, RecordingIsNotTakenOutOfBeingBlocked) {
  const Trace trace = without_recording(
      testing::timed_trace(1,
                           "rank 0\n recording barrier 6 9\n @0 +10 init\n @20 +10 barrier\n"
                           " @33 +7 pause blocked\n @60 +40 pause blocked\n @100 +10 barrier\n"
                           " @200 finalize\n"));
  const RankCalls& calls = trace.calls(0);
  EXPECT_EQ(calls.gap_ns(2), 70 - 15);
  EXPECT_EQ(calls.paused_ns(2, PauseKind::blocked), 47);
  EXPECT_EQ(calls.useful_ns(2), 23 - 15);
  // 3 ns of it before the first pause, 12 after.
  EXPECT_EQ(calls.pauses()[0].begin_ns, calls.end_ns(1));
  EXPECT_EQ(calls.pauses()[1].begin_ns - calls.pauses()[0].end_ns, 20 - 12);
}

// Regions move with the computation around them; one that is left during a pause is left at it.
TEST(CpuTime, RegionsStayWhereTheyAreInTheComputation) {
  TraceBuilder trace = interrupted();
  const std::uint32_t region = trace.region_id("solve");
  trace.calls(0).append_region({150, region, 1, true});
  trace.calls(0).append_region({240, region, 2, false});
  const Trace without = without_pauses(std::move(trace).build());
  EXPECT_EQ(without.calls(0).regions()[0].time_ns, 150);
  EXPECT_EQ(without.calls(0).regions()[1].time_ns, 200);
}

}  // namespace
}  // namespace slackline
