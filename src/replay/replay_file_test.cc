#include "replay/replay_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "base/testing/scratch_folder.h"
#include "formats/testing/text_trace.h"
#include "replay/stripped_program.h"
#include "replay/testing/refusal.h"
#include "trace/replay_wire.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::refusal;
using testing::timed_trace;

const std::string kSender = "rank 0\n @0 +1 init\n @10 +5 send to=1 bytes=8\n @90 finalize\n";
const std::string kReceiver = "rank 1\n @0 +1 init\n @10 +5 recv from=0 bytes=8\n @90 finalize\n";

TEST(ReplayFile, IsRefusedWhereAProcessWouldWaitForever) {
  EXPECT_EQ(refusal(timed_trace(2, kSender + kReceiver)), "");
  EXPECT_THAT(refusal(timed_trace(2, kSender + "rank 1\n @0 +1 init\n")),
              HasSubstr("sends without a receive"));
  EXPECT_THAT(refusal(timed_trace(2, "rank 0\n @0 +1 init\n" + kReceiver)),
              HasSubstr("receives without a send"));
  EXPECT_THAT(refusal(timed_trace(2, kSender + "rank 1 absent\n")),
              HasSubstr("no calls of rank 1"));
  EXPECT_THAT(refusal(timed_trace(2, "rank 0\n @0 +1 barrier\nrank 1\n @0 +1 init\n")),
              HasSubstr("collectives that some ranks never enter"));
  EXPECT_THAT(refusal(timed_trace(1, "rank 0\n @0 +1 init thread=1\n")),
              HasSubstr("several threads"));
  EXPECT_THAT(refusal(timed_trace(1, "rank 0\n @0 +1 barrier unfinished\n")), HasSubstr("died in"));
  EXPECT_THAT(refusal(timed_trace(1, "rank 0\n @0 +1 abort\n")), HasSubstr("MPI_Abort"));
}

TEST(ReplayFile, HasAPartForEachRank) {
  const ScratchFolder scratch;
  const std::filesystem::path path = scratch.path() / "replay";
  const Trace trace = timed_trace(2, kSender + kReceiver);
  const ReplayFile file = write_replay_file(trace, CallMatching(trace), {}, path);
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(file.bytes, text.size());
  ASSERT_EQ(file.calls.size(), 2u);
  EXPECT_EQ(file.steps, file.calls[0].size() + file.calls[1].size());
  slk_replay_file head{};
  ASSERT_GE(text.size(), sizeof head + 2 * sizeof(slk_replay_part));
  std::memcpy(&head, text.data(), sizeof head);
  EXPECT_EQ(head.magic, SLK_REPLAY_MAGIC);
  EXPECT_EQ(head.ranks, 2u);
  std::uint64_t expected = sizeof head + 2 * sizeof(slk_replay_part);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    slk_replay_part part{};
    std::memcpy(&part, text.data() + sizeof head + rank * sizeof part, sizeof part);
    EXPECT_EQ(part.offset, expected);
    expected += part.bytes;
    slk_replay_head own{};
    std::memcpy(&own, text.data() + part.offset, sizeof own);
    EXPECT_EQ(own.steps, file.calls[rank].size());
    EXPECT_EQ(own.received, rank == 1 ? 8u : 0u);
  }
  EXPECT_EQ(expected, text.size());
}

// A partition's sending of 5 ns lies between computation of 30 and of 55 ns, which it joins.
TEST(SkippedCalls, BecomeComputation) {
  const Trace trace = timed_trace(1,
                                  "rank 0\n @0 +10 init\n @40 +5 parrived\n @100 +10 barrier\n"
                                  " @120 finalize\n");
  EXPECT_THAT(refusal(trace), HasSubstr("MPI_Parrived"));
  const SkippedCalls skipped = without_unsupported({trace, {}});
  EXPECT_EQ(skipped.count, 1u);
  EXPECT_EQ(skipped.example, "rank 0, call 1: MPI_Parrived");
  const RankCalls& calls = skipped.program.trace.calls(0);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls.operation(1), Operation::barrier);
  EXPECT_EQ(calls.useful_ns(1), 90);
  EXPECT_EQ(refusal(skipped.program.trace), "");
}

TEST(SkippedCalls, AreThoseThatNeedMoreThanATraceTells) {
  for (const Operation operation : {Operation::comm_spawn, Operation::pready}) {
    EXPECT_TRUE(is_beyond_replay(operation)) << mpi_name(operation);
  }
  for (const Operation operation :
       {Operation::send, Operation::allreduce, Operation::comm_split, Operation::send_init,
        Operation::mprobe, Operation::put, Operation::win_fence, Operation::file_read}) {
    EXPECT_FALSE(is_beyond_replay(operation)) << mpi_name(operation);
  }
}

TEST(Skeleton, HasCallsAndTimesButNoNames) {
  TraceBuilder trace = timed_trace(
      2, "info program=secret\ncomm 2 members=0,1 name=\"halo\"\n" + kSender + kReceiver);
  trace.rank_info(0).host = "node17";
  const Trace bare = skeleton(trace);
  ASSERT_EQ(bare.calls(0).size(), 3u);
  EXPECT_EQ(bare.calls(0).begin_ns(1), 10);
  EXPECT_EQ(bare.calls(0).end_ns(1), 15);
  EXPECT_EQ(bare.calls(0).peer(1), 1);
  EXPECT_TRUE(bare.info().program.empty());
  EXPECT_TRUE(bare.rank_info(0).host.empty());
  ASSERT_EQ(bare.communicators().size(), 3u);
  EXPECT_THAT(bare.communicators()[2].members, ElementsAre(0, 1));
  EXPECT_TRUE(bare.communicators()[2].name.empty());
}

}  // namespace
}  // namespace slackline
