#include "calls/run_span.h"

#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"

namespace slackline {
namespace {

using testing::timed_trace;

TEST(RunSpan, IsAnalysedFromTheFirstReturnFromInitToTheLastEntryIntoFinalize) {
  const Trace trace = timed_trace(2,
                                  "rank 0 start=10\n @20 +80 init\n @200 +300 send to=1\n"
                                  " @1000 +70 finalize\n"
                                  "rank 1 start=5\n @20 +110 init\n @200 +200 recv from=0\n"
                                  " @900 +500 finalize\n");
  const RunSpan run = run_span(trace);
  EXPECT_EQ(run.whole.begin_ns, 5);
  EXPECT_EQ(run.whole.end_ns, 1400);
  EXPECT_EQ(run.analysed.begin_ns, 100);
  EXPECT_EQ(run.analysed.end_ns, 1000);
  EXPECT_EQ(run.lead_ns(), 95);
  const RankSpan rank = rank_span(trace.calls(1));
  EXPECT_EQ(rank.first_call, 1u);
  EXPECT_EQ(rank.last_call, 2u);
  EXPECT_EQ(rank.analysed.begin_ns, 130);
  EXPECT_EQ(rank.analysed.end_ns, 900);
}

TEST(RunSpan, WithoutInitAndFinalizeIsAnalysedWhole) {
  const RunSpan run = run_span(timed_trace(2,
                                           "rank 0 start=50\n @60 +40 send to=1\nrank 1 start=20\n"
                                           " @30 +50 recv from=0\n"));
  EXPECT_EQ(run.whole.begin_ns, 20);
  EXPECT_EQ(run.analysed.begin_ns, 20);
  EXPECT_EQ(run.analysed.end_ns, 100);
  EXPECT_EQ(run.lead_ns(), 0);
}

// What a rank does after its last call is a part of the run.
TEST(RunSpan, WithoutFinalizeEndsWithTheRecording) {
  const RunSpan run = run_span(timed_trace(2,
                                           "rank 0 stop=400\n @60 +40 barrier\n"
                                           "rank 1 stop=300\n @60 +50 barrier\n"));
  EXPECT_EQ(run.analysed.end_ns, 400);
  EXPECT_EQ(run.common.end_ns, 400);
}

TEST(RunSpan, HasInCommonWhatLiesBetweenTheLastInitAndTheFirstFinalize) {
  const RunSpan run = run_span(timed_trace(2,
                                           "rank 0\n @0 +100 init\n @200 +300 barrier\n"
                                           " @1000 +70 finalize\n"
                                           "rank 1\n @0 +130 init\n @200 +300 barrier\n"
                                           " @900 +170 finalize\n"));
  EXPECT_EQ(run.common.begin_ns, 130);
  EXPECT_EQ(run.common.end_ns, 900);
  EXPECT_EQ(extent_of(run, run.common), AnalysedExtent::common);
}

TEST(RunSpan, IsAnalysedWholeWhereRanksShareLittleOfIt) {
  const RunSpan run = run_span(timed_trace(2,
                                           "rank 0\n @0 +10 init\n @1000 +70 finalize\n"
                                           "rank 1 start=600\n @600 +100 init\n"
                                           " @900 +170 finalize\n"));
  EXPECT_EQ(run.common, run.analysed);
}

TEST(RunSpan, WithoutFinalizeHasItsEndFromTheOthers) {
  const RunSpan run = run_span(timed_trace(2,
                                           "rank 0\n @0 +10 init\n @1000 +70 finalize\n"
                                           "rank 1\n @0 +10 init\n @800 +20 barrier\n"));
  EXPECT_EQ(run.common.end_ns, 1000);
}

TEST(RunSpan, LeavesRanksWithoutCallsOut) {
  EXPECT_EQ(
      run_span(timed_trace(2, "rank 0 absent\nrank 1 start=40\n @50 +9 barrier\n")).whole.begin_ns,
      40);
  EXPECT_EQ(run_span(timed_trace(1, "rank 0\n")).whole.length_ns(), 0);
}

}  // namespace
}  // namespace slackline
