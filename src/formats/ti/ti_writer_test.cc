#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "formats/text/text.h"
#include "formats/ti/program_writer.h"
#include "formats/ti/ti.h"
#include "trace/testing/arbitrary_trace.h"
#include "trace/testing/plausible_trace.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

fs::path file_of_test() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return fs::path(::testing::TempDir()) /
         (std::string("slackline_ti_") + test->name() + "-" + std::to_string(::getpid()) + ".ti");
}

std::string written(const Trace& trace, Findings* lost = nullptr) {
  const fs::path path = file_of_test();
  const Findings findings = write_ti(trace, path);
  if (lost != nullptr) *lost = findings;
  const std::string text(MappedFile(path).text());
  fs::remove(path);
  return text;
}

Trace there_and_back(const Trace& trace) {
  const fs::path path = file_of_test();
  write_ti(trace, path);
  const MappedFile file(path);
  Trace back = read_ti(path, file.bytes());
  fs::remove(path);
  return back;
}

TEST(TiWriter, WritesActions) {
  const Trace trace = read_text(
      "slackline-trace 1 untimed ranks=2\nrank 0\n"
      "init\ncompute 1500\nirecv from=1 tag=2 bytes=8 req=1\nisend to=1 tag=3 bytes=4 req=2\n"
      "waitall reqs=1,2\nallreduce bytes=16 elem=8\n"
      "gatherv root=0 bytes=4 elem=4 counts=4,12\nfinalize\n"
      "rank 1\ninit\nsend to=0 tag=2 bytes=8\nirecv from=0 tag=3 bytes=4 req=1\n"
      "isend to=null req=2\nwait req=1\nallreduce bytes=16 elem=8\n"
      "gatherv root=0 bytes=12 elem=4\nfinalize\n",
      "t");
  EXPECT_EQ(written(trace),
            "0 init\n0 compute 1500\n0 irecv 1 2 8\n0 isend 1 3 4\n0 waitall 2\n0 allreduce 2 0 0\n"
            "0 gatherv 1 1 3 0 1 1\n0 finalize\n"
            "1 init\n1 send 0 2 8\n1 irecv 0 3 4\n1 isend -666 0 0\n1 wait 0 1 3\n"
            "1 allreduce 2 0 0\n1 gatherv 3 3 3 0 1 1\n1 finalize\n");
}

TEST(TiWriter, SaysWhatIsLost) {
  const Trace trace = read_text(
      "slackline-trace 1 untimed ranks=2\ncomm 2 members=0\nrank 0\n"
      "barrier comm=2\nibarrier req=1\nprobe from=0\nssend to=0\n"
      "sendrecv to=0 tag=1 from=0 rtag=1\nrank 1\n",
      "t");
  Findings lost;
  EXPECT_EQ(
      written(trace, &lost),
      "0 init\n0 send 0 0 0\n0 irecv 0 1 0\n0 send 0 1 0\n0 wait 0 0 1\n0 barrier\n0 finalize\n"
      "1 init\n1 finalize\n");
  EXPECT_EQ(lost.count(ti::kSubCommunicator), 1u);
  EXPECT_EQ(lost.count(ti::kNonblockingCollective), 1u);
  EXPECT_EQ(lost.count(ti::kNoAction), 1u);
  EXPECT_EQ(lost.count(ti::kModes), 1u);
  EXPECT_EQ(lost.count(ti::kSendrecvSplit), 1u);
}

// Where they are completed, in the order of their starts, before a blocking one.
TEST(TiWriter, NonblockingCollectivesBlockWhereTheyAreCompleted) {
  const Trace trace = read_text(
      "slackline-trace 1 untimed ranks=1\nrank 0\n"
      "ibarrier req=1\niallreduce bytes=8 elem=8 req=2\ncompute 500\n"
      "isend to=0 tag=3 bytes=4 req=3\nwaitall reqs=2,3\ncompute 200\nwait req=1\n"
      "ibarrier req=4\nibcast root=0 bytes=8 elem=8 req=5\nbarrier\nwaitall reqs=4,5\n",
      "t");
  EXPECT_EQ(written(trace),
            "0 init\n0 compute 500\n0 isend 0 3 4\n0 waitall 1\n0 barrier\n0 allreduce 1 0 0\n"
            "0 compute 200\n0 barrier\n0 bcast 1 0 0\n0 barrier\n0 waitall 0\n0 finalize\n");
}

TEST(TiWriter, SizesThatTheReplayCannotCountAreCut) {
  const Trace trace = read_text(
      "slackline-trace 1 untimed ranks=1\nrank 0\nsend to=0 bytes=9007199254740993\n"
      "bcast root=0 bytes=9007199254740992\n",
      "t");
  Findings lost;
  EXPECT_EQ(written(trace, &lost),
            "0 init\n0 send 0 0 9007199254740992\n0 bcast 9007199254740992 0 6\n0 finalize\n");
  EXPECT_EQ(lost.count(ti::kSizeCut), 1u);
}

// What the format can hold it holds: a second trip changes nothing.
RC_GTEST_PROP(TiRoundTrip, WhatCameBackOnceComesBackEqual, ()) {
  const Trace once = there_and_back(testing::PlausibleTrace::make());
  for (const auto& entry : once.findings().entries()) {
    RC_ASSERT(entry.severity != Severity::data_loss);
  }
  const Trace twice = there_and_back(once);
  if (!same_content(once, twice)) RC_FAIL(to_text(once) + "became " + to_text(twice));
}

// Computation and messages are those of the original; who started late (MPI_Init lasts equally
// long for all of these) sleeps as long.
RC_GTEST_PROP(TiRoundTrip, ComputationAndMessagesAreKept, ()) {
  const Trace trace = testing::PlausibleTrace::make();
  const Trace back = there_and_back(trace);
  std::int64_t first_start = trace.calls(0).start_ns();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    first_start = std::min(first_start, trace.calls(r).start_ns());
  }
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const auto totals = [](const RankCalls& calls) {
      std::int64_t compute = 0;
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i < calls.size(); ++i) {
        compute += calls.gap_ns(i);
        const OperationClass c = operation_class(calls.operation(i));
        const bool sends = c == OperationClass::send || c == OperationClass::isend ||
                           c == OperationClass::sendrecv;
        bytes += sends ? calls[i].bytes : 0;
      }
      return std::pair(compute, bytes);
    };
    auto expected = totals(trace.calls(r));
    expected.first += trace.calls(r).start_ns() - first_start;
    RC_ASSERT(expected == totals(back.calls(r)));
  }
}

TEST(TiWriter, RanksThatLeaveInitLaterSleep) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=2\nrank 0\n@100 +50 init\n@160 +5 barrier\n@170 finalize\n"
      "rank 1\n@100 +2050 init\n@2160 +5 barrier\n@2170 finalize\n",
      "t");
  EXPECT_EQ(written(trace),
            "0 compute 100\n0 init\n0 compute 10\n0 barrier\n0 compute 5\n0 finalize\n"
            "1 compute 100\n1 init\n1 sleep 2e-06\n1 compute 10\n1 barrier\n1 compute 5\n"
            "1 finalize\n");
}

// A duplicate of MPI_COMM_WORLD is the replay's one communicator, a permutation of it is not.
TEST(TiWriter, CollectivesOfADuplicateOfTheWorldAreKept) {
  Findings lost;
  const std::string text = written(
      read_text("slackline-trace 1 untimed ranks=2\ncomm 2 members=0,1\ncomm 3 members=1,0\n"
                "rank 0\nbarrier comm=2\nbcast root=1 bytes=8 comm=3\n"
                "rank 1\nbarrier comm=2\nbcast root=1 bytes=8 comm=3\n",
                "t"),
      &lost);
  EXPECT_EQ(text, "0 init\n0 barrier\n0 finalize\n1 init\n1 barrier\n1 finalize\n");
  EXPECT_EQ(lost.count(ti::kSubCommunicator), 2u);
}

TEST(TiWriter, SaysWhichShareOfTheTimeIsLost) {
  // 2 of 8 calls; 60 of 100 ns in MPI and of the 200 ns of both ranks' runs.
  Findings lost;
  written(read_text("slackline-trace 1 timed ranks=2\ncomm 2 members=1,0\n"
                    "rank 0\n@0 init\n@10 +30 barrier comm=2\n@50 +20 barrier\n@100 finalize\n"
                    "rank 1\n@0 init\n@10 +30 barrier comm=2\n@50 +20 barrier\n@100 finalize\n",
                    "t"),
          &lost);
  ASSERT_EQ(lost.count(ti::kLostShare), 2u);
  EXPECT_EQ(lost.entries().back().examples.front(),
            "25 % of the calls, 60 % of the time in MPI, 30 % of the run's time");
}

RC_GTEST_PROP(TiRoundTrip, AnyTraceCanBeWritten, ()) {
  RC_ASSERT(there_and_back(testing::arbitrary_trace()).ranks() >= 1);
}

}  // namespace
}  // namespace slackline
