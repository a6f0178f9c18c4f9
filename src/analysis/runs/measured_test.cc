#include "analysis/runs/measured.h"

#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using testing::timed_trace;
using testing::untimed_trace;

TEST(MeasuredRun, IsFromTheFirstReturnOfInitToTheLastEntryIntoFinalize) {
  // Rank 0: 100 to 1000, of it 300 + 50 in MPI. Rank 1: 130 to 900, 200 in MPI.
  const auto run = measured_run(timed_trace(2,
                                            "rank 0\n @0 +100 init\n @200 +300 send to=1\n"
                                            " @600 +50 barrier\n @1000 +70 finalize\n"
                                            "rank 1\n @0 +130 init\n @200 +200 recv from=0\n"
                                            " @900 +500 finalize\n"));
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->makespan_ns, 900);
  EXPECT_EQ(run->ranks_ns[0].mpi, 350);
  EXPECT_EQ(run->ranks_ns[0].compute, 550);
  EXPECT_EQ(run->ranks_ns[0].outside, 0);
  EXPECT_EQ(run->ranks_ns[1].mpi, 200);
  EXPECT_EQ(run->ranks_ns[1].compute, 570);
  EXPECT_EQ(run->ranks_ns[1].outside, 130);
}

TEST(MeasuredRun, WithoutInitAndFinalizeIsAllThereIs) {
  const auto run = measured_run(timed_trace(
      2, "rank 0 start=50\n @60 +40 send to=1\nrank 1 start=20\n @30 +50 recv from=0\n"));
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->makespan_ns, 80);  // 20 to 100
  EXPECT_EQ(run->ranks_ns[0].compute, 10);
  EXPECT_EQ(run->ranks_ns[0].outside, 30);
  EXPECT_EQ(run->ranks_ns[1].mpi, 50);
  EXPECT_EQ(run->ranks_ns[1].outside, 20);
}

TEST(MeasuredRun, IsOfMainThreads) {
  const auto run = measured_run(timed_trace(
      1, "rank 0\n @0 +0 init\n @10 +50 pack\n @30 +40 pack thread=1\n @100 +0 finalize\n"));
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->ranks_ns[0].mpi, 50);  // 10 to 60; the other thread is in MPI until 70
  EXPECT_EQ(run->ranks_ns[0].compute, 50);
}

// 100 to 200 with a pause of 30 and 12 of recording; 210 to 300 with 12 of it, cut by the interval.
TEST(MeasuredRun, WhatRecordingTookIsAPartOfItsOwn) {
  const Trace trace = timed_trace(1,
                                  "rank 0\n recording init 0 4\n recording barrier 8 4\n"
                                  " recording finalize 8 0\n @0 +100 init\n"
                                  " @120 +30 pause recording\n @200 +10 barrier\n"
                                  " @300 +5 finalize\n");
  const RankTime all = measured_rank(trace.calls(0), {100, 300});
  EXPECT_EQ(all.recording, 30 + 12 + 12);
  EXPECT_EQ(all.compute, 190 - 54);
  EXPECT_EQ(all.mpi, 10);
  EXPECT_EQ(all.total(), 200);
  const RankTime part = measured_rank(trace.calls(0), {205, 215});
  EXPECT_EQ(part.recording, 5) << "no more than the computation in the interval";
  EXPECT_EQ(part.compute, 0);
  EXPECT_EQ(part.total(), 10);
}

TEST(MeasuredRun, PartsAddUpToTheMakespanForEveryRank) {
  const auto run = measured_run(timed_trace(3,
                                            "rank 0\n @0 +5 init\n @9 +9 barrier\n @30 finalize\n"
                                            "rank 1 absent\n"
                                            "rank 2\n @0 +7 init\n @8 +1 barrier\n"));
  ASSERT_TRUE(run.has_value());
  for (const RankTime& p : run->ranks_ns) {
    EXPECT_EQ(p.total(), run->makespan_ns);
  }
}

TEST(MeasuredRun, OfNothingMeasuredIsNothing) {
  EXPECT_FALSE(measured_run(untimed_trace(1, "rank 0\n compute 5\n barrier\n")).has_value());
  EXPECT_FALSE(measured_run(timed_trace(1, "rank 0\n")).has_value());
}

}  // namespace
}  // namespace slackline
