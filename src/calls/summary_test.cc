#include "calls/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "formats/text/text.h"

namespace slackline {
namespace {

TEST(Summary, AddsUpCallsTimesMessagesAndRegions) {
  const TraceSummary s = summarize(read_text(
      "slackline-trace 1 timed ranks=3\n"
      "comm 2 members=0,1\nregion 0 solve\n"
      "rank 0 host=n0 clock_error=7\n"
      " enter solve\n @10 +10 isend to=1 bytes=100 req=1\n @30 +20 wait req=1\n"
      " @60 +40 allreduce bytes=8\n @100 leave solve\n"
      "rank 1 host=n1 unfinalized clock_offset=-50 clock_error=3\n"
      " enter solve\n enter solve\n @0 +20 recv from=0 bytes=100 any_source thread=2\n"
      " @40 iprobe from=any polls=5 inside=30 failed any_tag\n leave solve\n @45 leave solve\n"
      " @60 +50 allreduce bytes=8\n"
      "rank 2 absent\n",
      "t"));
  EXPECT_EQ(s.ranks, 3);
  EXPECT_EQ(s.present_ranks, 2);
  EXPECT_EQ(s.unfinalized_ranks, 1);
  EXPECT_EQ(s.hosts, 2);
  EXPECT_EQ(s.threads, 3u);
  EXPECT_EQ(s.calls, 3u + 1 + 5 + 1);  // the probe counts five times
  EXPECT_EQ(s.duration_ns, 110);
  EXPECT_EQ(s.mpi_time_ns.min, 70);  // 10 + 20 + 40
  EXPECT_EQ(s.mpi_time_ns.max, 80);  // 30 + 50, and 20 of another thread
  EXPECT_EQ(s.mpi_time_ns.mean, 75);
  EXPECT_EQ(s.mpi_time_ns.max_rank, 1);
  EXPECT_EQ(s.thread_mpi_time_ns.max, 20);
  EXPECT_EQ(s.compute_time_ns.min, 30);  // rank 0: 10 + 10 + 10
  EXPECT_EQ(s.messages, 1u);
  EXPECT_EQ(s.message_bytes, 100u);
  EXPECT_EQ(s.collectives, 2u);
  EXPECT_EQ(s.collective_bytes, 16u);
  EXPECT_EQ(s.wildcards, 2u);
  EXPECT_EQ(s.communicators, 1u);
  EXPECT_EQ(s.clock_offset_ns, 50);
  EXPECT_EQ(s.clock_error_ns, 7);
  ASSERT_EQ(s.operations.size(), 5u);
  EXPECT_EQ(s.operations[0].operation, Operation::allreduce);
  EXPECT_EQ(s.operations[0].time_ns, 90);
  ASSERT_EQ(s.regions.size(), 1u);
  EXPECT_EQ(s.regions[0].visits, 3u);
  EXPECT_EQ(s.regions[0].time_ns, 100 + 45);
}

TEST(Summary, SpreadsPausesAndCountersOverTheRanksThatArePresent) {
  const TraceSummary s = summarize(read_text(
      "slackline-trace 1 timed ranks=3\ncounter 0 \"cycles\"\n"
      "rank 0\n counted 100\n @10 +10 barrier\n @30 +5 pause\n counted 20\n @40 +1 barrier\n"
      " counted 3\n"
      "rank 1\n counted 7\n @10 +10 barrier\n @40 +1 barrier\n"
      "rank 2 absent\n",
      "t"));
  ASSERT_EQ(s.counters.size(), 1u);
  EXPECT_EQ(s.counters[0].name, "cycles");
  EXPECT_EQ(s.counters[0].gained.max, 123);
  EXPECT_EQ(s.counters[0].gained.min, 7);
  EXPECT_EQ(s.counters[0].gained.mean, 65);
  EXPECT_EQ(s.pause_time_ns.max, 5);
  EXPECT_EQ(s.pause_time_ns.min_rank, 1);
}

TEST(Summary, CountsSendrecvAndPersistentMessagesButNotThoseToNobody) {
  const TraceSummary s = summarize(
      read_text("slackline-trace 1 timed ranks=1\nrank 0\n"
                "sendrecv to=0 bytes=10 from=0 rbytes=10 recv_any_source\nsend to=null bytes=99\n"
                "startall starts=1:send_init:0:0:5,2:recv_init:0:0:5,3:ssend_init:0:0:6\n",
                "t"));
  EXPECT_EQ(s.messages, 3u);
  EXPECT_EQ(s.message_bytes, 21u);
  EXPECT_EQ(s.wildcards, 1u);
}

// Sizes of a file may be anything; their sums end at the largest number.
TEST(Summary, SumsOfBytesDoNotWrap) {
  const TraceSummary all =
      summarize(read_text("slackline-trace 1 timed ranks=2\nrank 0\n"
                          "send to=1 bytes=18446744073709551000\nsend to=1 bytes=1000\n"
                          "allreduce bytes=18446744073709551000\nallreduce bytes=1000\n"
                          "rank 1\nrecv from=0 bytes=8\nrecv from=0 bytes=8\n",
                          "t"));
  EXPECT_EQ(all.message_bytes, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(all.collective_bytes, std::numeric_limits<std::uint64_t>::max());
}

TEST(Summary, OfNothingIsZero) {
  const TraceSummary s = summarize(Trace(2, false));
  EXPECT_EQ(s.calls, 0u);
  EXPECT_EQ(s.duration_ns, 0);
  EXPECT_EQ(s.mpi_time_ns.max, 0);
  EXPECT_TRUE(s.operations.empty());
}

TEST(Summary, AStartedPersistentCollectiveIsOneCall) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=1\nrank 0\n"
      " @0 +1 allreduce_init\n @5 iallreduce bytes=16 req=1\n @5 +2 start\n @8 +4 wait req=1\n"
      " @20 +0 iallreduce bytes=8 req=2\n @22 +4 wait req=2\n",
      "test");
  const TraceSummary all = summarize(trace);
  EXPECT_EQ(all.calls, 5u);
  EXPECT_EQ(all.collectives, 2u);
  EXPECT_EQ(all.collective_bytes, 24u);
  const auto row =
      std::ranges::find(all.operations, Operation::iallreduce, &OperationSummary::operation);
  ASSERT_NE(row, all.operations.end());
  EXPECT_EQ(row->calls, 1u);
}

}  // namespace
}  // namespace slackline
