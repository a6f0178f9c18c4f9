#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"
#include "replay/object_plans.h"
#include "replay/stripped_program.h"
#include "replay/testing/refusal.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using testing::refusal;
using testing::timed_trace;

/// Two ranks with the same calls, which make a window before and free it after them.
std::string at_window(std::string_view calls) {
  return " win_allocate\n" + std::string(calls) + " win_free\n";
}
Trace two_ranks(std::string_view first, std::string_view second) {
  return timed_trace(2, "rank 0\n" + at_window(first) + "rank 1\n" + at_window(second));
}
std::string of_both(std::string_view calls) {
  return refusal(two_ranks(calls, calls));
}
std::string of(std::string_view first, std::string_view second) {
  return refusal(two_ranks(first, second));
}

TEST(Windows, MayHaveAllKindsOfEpochs) {
  EXPECT_EQ(of_both(" win_fence\n put target=0 bytes=8\n win_fence\n"), "");
  EXPECT_EQ(of(" win_start args=1\n put target=1 bytes=8\n win_complete\n",
               " win_post args=0\n win_test failed\n win_test\n"),
            "");
  EXPECT_EQ(of_both(" win_lock target=1\n accumulate target=1 bytes=8\n win_flush target=1\n"
                    " win_unlock target=1\n"),
            "");
  EXPECT_EQ(of_both(" win_lock_all\n rput target=1 bytes=8 req=1\n wait req=1\n barrier\n"
                    " win_flush_all\n win_unlock_all\n"),
            "");
}

TEST(Windows, AreRefusedOutsideOfEpochs) {
  EXPECT_THAT(of_both(" put target=0 bytes=8\n"),
              HasSubstr("MPI_Put of rank 0 (call 1) is outside"));
  EXPECT_THAT(of_both(" win_flush target=1\n"), HasSubstr("outside of an epoch"));
  EXPECT_THAT(of_both(" win_unlock target=1\n"), HasSubstr("has no lock"));
  EXPECT_THAT(of_both(" win_lock target=1\n"), HasSubstr("before the end of an epoch"));
  EXPECT_THAT(of_both(" win_complete\n"), HasSubstr("has no MPI_Win_start"));
  EXPECT_THAT(refusal(timed_trace(1, "rank 0\n put target=0 bytes=8\n")),
              HasSubstr("names no window that is open"));
  EXPECT_THAT(refusal(timed_trace(1, "rank 0\n win_allocate\n win_lock target=0\n")),
              HasSubstr("never ends an epoch"));
}

TEST(Windows, AreRefusedWhereAProcessWouldWaitForever) {
  EXPECT_THAT(of(" win_fence\n", ""), HasSubstr("MPI_Win_free of rank 1 meets MPI_Win_fence"));
  EXPECT_THAT(refusal(timed_trace(2, "rank 0\n win_allocate\nrank 1\n pcontrol\n")),
              HasSubstr("1 of 2 ranks enter MPI_Win_allocate"));
  EXPECT_THAT(of(" win_start args=1\n win_complete\n", ""),
              HasSubstr("rank 0 starts 1 epochs with rank 1, which posts 0"));
  EXPECT_THAT(of(" win_post args=1\n win_wait\n", ""),
              HasSubstr("rank 1 starts 0 epochs with rank 0, which posts 1"));
  EXPECT_THAT(of(" win_start\n win_complete\n", " win_post args=0\n win_wait\n"),
              HasSubstr("does not tell its group"));
}

TEST(Windows, AreRefusedWhereALockIsHeldWhileWaiting) {
  const std::string locked = " win_lock target=0\n barrier\n win_unlock target=0\n";
  const std::string later = " barrier\n win_lock target=0\n win_unlock target=0\n";
  EXPECT_THAT(of(locked, later), HasSubstr("rank 0 may wait in MPI_Barrier (call 2)"));
  EXPECT_EQ(of(locked, " barrier\n"), "");
  const std::string elsewhere = " barrier\n win_lock target=1\n win_unlock target=1\n";
  EXPECT_EQ(of(locked, elsewhere), "");
  const std::string reading = " win_lock target=0 tag=1\n barrier\n win_unlock target=0\n";
  EXPECT_EQ(of(reading, reading), "");
  EXPECT_THAT(of(reading, later), HasSubstr("may wait"));
  EXPECT_THAT(of(" win_lock_all\n barrier\n win_unlock_all\n", later), HasSubstr("may wait"));
  EXPECT_THAT(of_both(" win_lock target=0\n win_lock target=1\n win_unlock target=1\n"
                      " win_unlock target=0\n"),
              HasSubstr("rank 0 may wait in MPI_Win_lock (call 2)"));
}

TEST(Windows, AreToldApartByNumbersOrWhereOneIsOpen) {
  EXPECT_EQ(of_both(" win_free\n win_create\n win_fence\n"), "");
  EXPECT_THAT(of_both(" win_create\n win_fence\n win_free\n"),
              HasSubstr("one of several windows of its communicator"));
  const std::string numbered =
      " win_create tag=2\n win_lock target=0\n win_lock target=0 tag=3\n"
      " put target=0 bytes=8 tag=2\n win_unlock target=0\n";
  EXPECT_EQ(of_both(numbered + " win_unlock target=0 tag=2\n win_free tag=2\n"), "");
  EXPECT_THAT(of_both(numbered + " win_free tag=2\n"), HasSubstr("before the end of an epoch"));
}

TEST(Windows, HaveRoomForTheLargestTransfer) {
  const Trace trace =
      two_ranks(" win_fence\n put target=1 bytes=8\n get target=1 bytes=24\n win_fence\n",
                " win_fence\n put target=0 bytes=16\n win_fence\n");
  const WindowPlan plan(trace, CallMatching(trace));
  EXPECT_EQ(plan.bytes({kCommWorld, 0}, 0), 16u);
  EXPECT_EQ(plan.bytes({kCommWorld, 0}, 1), 24u);
  EXPECT_EQ(plan.bytes({kCommWorld, 1}, 1), 0u);
}

// Rank 1 comes 40 ns late; both leave together 10 ns later. Closing does not synchronise.
TEST(Files, TakeTheTimeOfTheRankThatComesLast) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @10 +50 file_write_all\n @70 +7 file_write\n"
                                  " @80 +5 file_close\n"
                                  "rank 1\n @50 +10 file_write_all\n @90 +5 file_close\n");
  const CallMatching matching(trace);
  const FilePlan files(trace, matching);
  EXPECT_EQ(files.calls(), 5u);
  EXPECT_EQ(files.access(0, 0).comm, kCommWorld);
  EXPECT_EQ(files.access(0, 0).ns, 10);
  EXPECT_EQ(files.access(1, 0).ns, 10);
  EXPECT_EQ(files.access(0, 1).comm, kCommNull);
  EXPECT_EQ(files.access(0, 1).ns, 7);
  EXPECT_EQ(files.access(0, 2).comm, kCommNull);
  EXPECT_EQ(files.access(0, 2).ns, 5);
  EXPECT_EQ(refusal(trace), "");
}

TEST(Files, AreRefusedWhereARankNeverComes) {
  EXPECT_THAT(refusal(timed_trace(2, "rank 0\n file_open\nrank 1\n pcontrol\n")),
              HasSubstr("1 of 2 ranks enter MPI_File_open"));
}

TEST(SkippedCalls, AreAllAtWindowsOrNone) {
  const Trace whole =
      two_ranks(" win_fence\n put target=1 bytes=8\n win_fence\n", " win_fence\n win_fence\n");
  EXPECT_EQ(without_unsupported({whole, {}}).count, 0u);
  const Trace odd = two_ranks(" put target=1 bytes=8\n file_read\n", " barrier comm=self\n");
  const SkippedCalls skipped = without_unsupported({odd, {}});
  EXPECT_EQ(skipped.count, 5u);
  EXPECT_EQ(skipped.program.trace.calls(0).size(), 1u);
  EXPECT_EQ(refusal(skipped.program.trace), "");
}

}  // namespace
}  // namespace slackline
