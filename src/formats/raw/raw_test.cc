#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "formats/raw/findings.h"
#include "formats/raw/testing/raw_file_builder.h"
#include "formats/text/text.h"
#include "trace/sample_wire.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RawFileBuilder;
using testing::RawReaderTest;
namespace fs = std::filesystem;

TEST_F(RawReaderTest, TimesCountFromTheEarliestBegin) {
  write("rank-0.slkraw", RawFileBuilder(0, 2).call(SLK_OP_init, 2000, 2100).bytes());
  write("rank-1.slkraw", RawFileBuilder(1, 2).call(SLK_OP_init, 1500, 2110).bytes());
  const Trace trace = read();
  EXPECT_EQ(trace.calls(0).begin_ns(0), 500);
  EXPECT_EQ(trace.calls(1).begin_ns(0), 0);
  EXPECT_EQ(trace.calls(0).start_ns(), 500);
  EXPECT_TRUE(trace.findings().empty());
}

TEST_F(RawReaderTest, StageOfADeadRankIsRead) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 2200, 0);
  write("rank-0.slkraw", file.staged_bytes());
  const Trace trace = read();
  EXPECT_EQ(trace.calls(0).size(), 2u);
  EXPECT_EQ(trace.findings().count(kUnfinishedCall), 1u);
  EXPECT_EQ(trace.findings().count(kTruncatedFile), 0u);
}

TEST_F(RawReaderTest, RecordsAppendedButNotClearedCountOnce) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 2200, 2300);
  write("rank-0.slkraw", file.repeated_bytes({}));
  EXPECT_EQ(read().calls(0).size(), 2u);
  const std::string open = RawFileBuilder(0, 1).call(SLK_OP_barrier, 2400, 0).records();
  write("rank-0.slkraw", file.repeated_bytes(open));
  EXPECT_EQ(read().calls(0).size(), 3u);
}

TEST_F(RawReaderTest, ResolvedReceiveGetsWhatItGot) {
  RawFileBuilder file(0, 2);
  file.add(
      {2000, 2010, 64, SLK_PEER_ANY, SLK_TAG_ANY, 0, 7, 0, 0, SLK_FLAG_ANY_SOURCE, SLK_OP_irecv});
  file.add({2030, 2030, 16, 1, 9, 0, 7, 0, 0, SLK_FLAG_ANY_SOURCE, SLK_REC_RESOLVED});
  file.call(SLK_OP_wait, 2020, 2030, SLK_PEER_NONE, 7);
  write("rank-0.slkraw", file.bytes());
  write("rank-1.slkraw", RawFileBuilder(1, 2).call(SLK_OP_init, 2000, 2010).bytes());
  const Trace trace = read();
  const Call receive = trace.calls(0)[0];
  EXPECT_EQ(receive.peer, 1);
  EXPECT_EQ(receive.tag, 9);
  EXPECT_EQ(receive.bytes, 16u);
  EXPECT_TRUE(receive.has(SLK_FLAG_ANY_SOURCE));
  ASSERT_EQ(trace.calls(0).size(), 2u);
}

TEST_F(RawReaderTest, CommunicatorsAreRecognisedByTheirMembers) {
  // Both ranks make {1, 0} twice, and number it differently because rank 0 also made one alone.
  const std::vector<std::int64_t> pair{0, 2, 0, 1, 1, -1, 2};
  RawFileBuilder a(0, 2);
  a.add({2000, 2000, 0, -1, 0, 2, 0, 0, 0, 0, SLK_REC_COMM}, {0, 1, 0, 1, 0, 1, 1});
  a.add({2001, 2001, 0, -1, 0, 3, 0, 0, 0, 0, SLK_REC_COMM}, pair);
  a.add({2002, 2002, 0, -1, 0, 4, 0, 0, 0, 0, SLK_REC_COMM}, pair);
  a.add({2010, 2020, 8, 0, 5, 4, 0, 0, 0, 0, SLK_OP_send});
  RawFileBuilder b(1, 2);
  b.add({2001, 2001, 0, -1, 0, 2, 0, 0, 0, 0, SLK_REC_COMM}, pair);
  b.add({2002, 2002, 0, -1, 0, 3, 0, 0, 0, 0, SLK_REC_COMM}, pair);
  b.add({2010, 2020, 8, 1, 5, 3, 0, 0, 0, 0, SLK_OP_recv});
  write("rank-0.slkraw", a.bytes());
  write("rank-1.slkraw", b.bytes());
  const Trace trace = read();
  const Call send = trace.calls(0)[0];
  const Call receive = trace.calls(1)[0];
  EXPECT_EQ(send.comm, receive.comm);
  EXPECT_THAT(trace.communicators()[send.comm].members, ElementsAre(1, 0));
  // Rank 0 of {1, 0} is world rank 1, and the other way round.
  EXPECT_EQ(send.peer, 1);
  EXPECT_EQ(receive.peer, 0);
}

TEST_F(RawReaderTest, CommunicatorsOfOneKindAreToldApartByWhatTheyWereMadeFrom) {
  // Two threads make a copy of a copy each, in another order on each rank.
  const std::vector<std::int64_t> both{0, 2, 0, 1, 0, 1, 2};
  const auto made = [&](RawFileBuilder& file, std::uint64_t at, std::uint32_t from,
                        std::uint32_t id) {
    file.add({at, at, 0, -1, 0, id, 0, 0, 0, 0, SLK_REC_COMM}, both);
    file.add({at, at + 1, 0, -1, 0, from, 0, 0, 0, 0, SLK_OP_comm_dup}, {id});
  };
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RawFileBuilder file(rank, 2);
    const auto first = static_cast<std::uint32_t>(rank);  // 0 or 1
    made(file, 2000, 0, 2);
    made(file, 2010, 0, 3);
    made(file, 2020, 2 + first, 4);
    made(file, 2030, 3 - first, 5);
    for (std::uint32_t comm = 4; comm < 6; ++comm) {
      file.add({2040 + comm, 2040 + comm, 0, -1, 0, comm, 0, 0, 0, 0, SLK_OP_barrier});
    }
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  ASSERT_EQ(trace.calls(0).size(), 6u);
  EXPECT_EQ(trace.communicators().size(), 6u);
  EXPECT_EQ(trace.calls(0).comm(4), trace.calls(1).comm(5));
  EXPECT_EQ(trace.calls(0).comm(5), trace.calls(1).comm(4));
  EXPECT_NE(trace.calls(0).comm(4), trace.calls(0).comm(5));
}

TEST_F(RawReaderTest, CommunicatorsMadeByThreadsAreToldApartByTheirTag) {
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RawFileBuilder file(rank, 2);
    const auto first = static_cast<std::uint64_t>(rank);  // with tag 0 on rank 0, 1 on rank 1
    for (std::uint32_t id = 2; id < 4; ++id) {
      const std::uint64_t tag = id == 2 ? first : 1 - first;
      file.add({2000 + id, 2000 + id, tag + 1, -1, 0, id, 0, 0, 0, 0, SLK_REC_COMM},
               {0, 2, 0, 1, 0, 1, 2});
      file.add({2000 + id, 2001 + id, 0, -1, 0, 0, 0, 0, 0, 0, SLK_OP_comm_create_group}, {id});
    }
    file.add({2050, 2060, 0, -1, 0, 2, 0, 0, 0, 0, SLK_OP_barrier});
    file.add({2070, 2080, 0, -1, 0, 3, 0, 0, 0, 0, SLK_OP_barrier});
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  EXPECT_EQ(trace.communicators().size(), 4u);
  EXPECT_EQ(trace.calls(0)[2].comm, trace.calls(1)[3].comm);
  EXPECT_EQ(trace.calls(0)[3].comm, trace.calls(1)[2].comm);
}

TEST_F(RawReaderTest, BothSidesOfAnIntercommunicatorAgree) {
  RawFileBuilder a(0, 2);
  a.add({2000, 2000, 0, -1, 0, 2, 0, 0, 0, 0, SLK_REC_COMM}, {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1});
  a.add({2010, 2020, 8, 0, 5, 2, 0, 0, 0, SLK_FLAG_INTERCOMM, SLK_OP_send});
  RawFileBuilder b(1, 2);
  b.add({2000, 2000, 0, -1, 0, 2, 0, 0, 0, 0, SLK_REC_COMM}, {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1});
  b.add({2010, 2020, 8, 0, 5, 2, 0, 0, 0, SLK_FLAG_INTERCOMM, SLK_OP_recv});
  write("rank-0.slkraw", a.bytes());
  write("rank-1.slkraw", b.bytes());
  const Trace trace = read();
  EXPECT_EQ(trace.calls(0)[0].comm, trace.calls(1)[0].comm);
  EXPECT_EQ(trace.calls(0)[0].peer, 1);
  EXPECT_EQ(trace.calls(1)[0].peer, 0);
}

TEST_F(RawReaderTest, TheStrideOfOneMemberSaysNothing) {
  RawFileBuilder file(0, 1);
  file.add({2000, 2000, 0, -1, 0, 2, 0, 0, 0, 0, SLK_REC_COMM}, {0, 1, 0, 1, 0, 1, 1});
  file.add({2010, 2020, 0, -1, 0, 2, 0, 0, 0, 0, SLK_OP_barrier});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  EXPECT_TRUE(trace.findings().empty());
  EXPECT_THAT(trace.communicators()[trace.calls(0)[0].comm].members, ElementsAre(0));
}

TEST_F(RawReaderTest, ProcessesOfAnotherWorldAreLeftOut) {
  // {0, 1} and two more processes, merged; and an intercommunicator to these.
  const std::vector<std::int64_t> merged{0, 4, 0, 2, 0, 1, 2, -1, 0, 2};
  const std::vector<std::int64_t> spawned{1, 2, 2, 1, 0, 1, 2, 1, -1, 0, 2};
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RawFileBuilder file(rank, 2);
    file.add({2000, 2000, 0, -1, 0, 2, 0, 0, 0, 0, SLK_REC_COMM}, merged);
    file.add({2001, 2001, 0, -1, 0, 3, 0, 0, 0, 0, SLK_REC_COMM}, spawned);
    file.add({2010, 2020, 8, 0, 5, 3, 0, 0, 0, SLK_FLAG_INTERCOMM, SLK_OP_send});
    file.add({2030, 2040, 8, 1 - rank, 5, 2, 0, 0, 0, 0, SLK_OP_send});
    file.add({2050, 2060, 8, -1, 8, 2, 0, 0, 0, 0, SLK_OP_allgatherv}, {8, 8, 16, 16});
    file.add({2070, 2080, 8, 3, 8, 2, 0, 0, 0, 0, SLK_OP_bcast});
    file.add({2090, 2100, 0, -1, 0, 3, 0, 0, 0, SLK_FLAG_INTERCOMM, SLK_OP_barrier});
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 5u);
  EXPECT_EQ(trace.findings().count(raw::kOtherWorlds), 4u);
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 0u);
  EXPECT_EQ(calls.peer(0), kPeerNone);
  EXPECT_EQ(calls.peer(1), 1);
  EXPECT_THAT(trace.communicators()[calls.comm(2)].members, ElementsAre(0, 1));
  EXPECT_THAT(calls.args(2), ElementsAre(8, 8));
  EXPECT_EQ(calls.comm(3), kCommNull);  // the data comes from another world
  EXPECT_EQ(calls.comm(4), kCommNull);
}

TEST_F(RawReaderTest, AnIsendrecvIsASendAndAReceiveThatOneRequestCompletes) {
  RawFileBuilder file(0, 2);
  file.add({2000, 2010, 8, 1, 5, 0, 2, 0, 0, 0, SLK_REC_ISENDRECV},
           {SLK_PEER_ANY, 6, 64, SLK_FLAG_ANY_SOURCE});
  file.add({2020, 2020, 16, 1, 6, 0, 2, 0, 0, SLK_FLAG_ANY_SOURCE, SLK_REC_RESOLVED});
  file.call(SLK_OP_wait, 2015, 2020, SLK_PEER_NONE, 2);
  write("rank-0.slkraw", file.bytes());
  write("rank-1.slkraw", RawFileBuilder(1, 2).call(SLK_OP_init, 2000, 2010).bytes());
  const Trace trace = read();
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls.operation(0), Operation::isend);
  EXPECT_EQ(calls.request(0), 1u);
  EXPECT_EQ(calls.operation(1), Operation::irecv);
  EXPECT_EQ(calls.request(1), 2u);
  EXPECT_EQ(calls.peer(1), 1);
  EXPECT_EQ(calls.bytes(1), 16u);
  EXPECT_EQ(calls.begin_ns(1), calls.end_ns(1));
  EXPECT_EQ(calls.operation(2), Operation::waitall);
  EXPECT_THAT(calls.args(2), ElementsAre(1, 2));
  EXPECT_EQ(trace.findings().count(kUnknownRequests), 0u);
}

TEST_F(RawReaderTest, ThreadsAreMergedByTime) {
  write(
      "rank-0.slkraw",
      RawFileBuilder(0, 1).call(SLK_OP_init, 2000, 2010).call(SLK_OP_barrier, 2100, 2110).bytes());
  RawFileBuilder second(0, 1);
  second.header().thread = 1;
  second.add({2050, 2105, 0, -1, 0, 0, 0, 0, 0, 0, SLK_OP_barrier});
  write("rank-0.t1.slkraw", second.bytes());
  const Trace trace = read();
  ASSERT_EQ(trace.calls(0).size(), 3u);
  EXPECT_EQ(trace.calls(0)[1].thread, 1);
  // [2050, 2105] of one thread and [2100, 2110] of the other.
  EXPECT_EQ(trace.findings().count(raw::kOverlappingThreads), 1u);
}

TEST_F(RawReaderTest, ThreadsThatSendOnOneChannelAtTheSameTimeAreCounted) {
  const auto send = [](std::uint64_t begin, std::uint64_t end, std::int32_t tag) {
    return slk_record{begin, end, 8, 0, tag, 0, 0, 0, 0, 0, SLK_OP_send};
  };
  RawFileBuilder first(0, 1);
  first.add(send(2000, 2100, 5)).add(send(2200, 2300, 5)).add(send(2400, 2500, 7));
  write("rank-0.slkraw", first.bytes());
  RawFileBuilder second(0, 1);
  second.header().thread = 1;
  // Within the first one's; between calls of the channel; with another tag.
  second.add(send(2050, 2060, 5)).add(send(2350, 2360, 5)).add(send(2450, 2460, 5));
  write("rank-0.t1.slkraw", second.bytes());
  EXPECT_EQ(read().findings().count(raw::kThreadsShareChannel), 1u);
}

TEST_F(RawReaderTest, ThreadsThatStartOnOneChannelAtTheSameTimeAreCounted) {
  const auto start = [](RawFileBuilder& file, std::uint64_t begin, std::uint64_t end,
                        std::int64_t serial, std::int64_t tag) {
    file.add({begin, end, 0, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, SLK_OP_start},
             {serial, SLK_OP_send_init, 0, tag, 8});
  };
  RawFileBuilder first(0, 1);
  start(first, 2000, 2100, 1, 5);
  start(first, 2400, 2500, 2, 7);
  write("rank-0.slkraw", first.bytes());
  RawFileBuilder second(0, 1);
  second.header().thread = 1;
  start(second, 2050, 2060, 3, 5);  // within the first one's
  start(second, 2450, 2460, 4, 5);  // with another tag
  write("rank-0.t1.slkraw", second.bytes());
  EXPECT_EQ(read().findings().count(raw::kThreadsShareChannel), 1u);
}

TEST_F(RawReaderTest, PartitionedRequestsOfOneChannelAreCounted) {
  const auto init = [](std::uint64_t at, std::uint32_t serial, std::int32_t tag, slk_operation op) {
    return slk_record{at, at + 10, 8, 0, tag, 0, serial, 0, 0, 0, static_cast<std::uint8_t>(op)};
  };
  RawFileBuilder file(0, 1);
  file.add(init(2000, 1, 5, SLK_OP_psend_init)).add(init(2100, 2, 5, SLK_OP_precv_init));
  file.add(init(2200, 3, 6, SLK_OP_psend_init));
  // The first one gets a new serial when it starts, and is freed under that: the next one is alone.
  file.add({2300, 2310, 0, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, SLK_OP_pready},
           {4, SLK_OP_send_init, 0, 5, 8});
  file.add(init(2400, 4, 0, SLK_OP_request_free)).add(init(2500, 5, 5, SLK_OP_psend_init));
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().findings().count(raw::kThreadsShareChannel), 0u);
  file.add(init(2600, 6, 5, SLK_OP_psend_init));  // beside the one before
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().findings().count(raw::kThreadsShareChannel), 1u);
}

/// A start of a persistent barrier: the nonblocking one, and which it is.
void start_plan(RawFileBuilder& file, std::uint64_t at, std::uint32_t request, std::uint64_t number,
                std::uint8_t op, std::uint32_t comm = SLK_COMM_WORLD) {
  file.add({at, at, 8, op == SLK_OP_ibcast ? 0 : SLK_PEER_NONE, 4, comm, request, 0, 0, 0, op});
  file.add({at, at, number, -1, 0, comm, request, 0, 0, 0, SLK_REC_PERSISTENT});
}

TEST_F(RawReaderTest, PersistentCollectivesMatchByWhatIsStarted) {
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RawFileBuilder file(rank, 2);
    const std::uint64_t first = rank == 0 ? 2000 : 2200;  // rank 1 starts them the other way round
    if (rank == 0) start_plan(file, first, 1, 0, SLK_OP_ibcast);
    start_plan(file, 2100, 2, 1, SLK_OP_iallreduce);
    if (rank == 1) start_plan(file, first, 1, 0, SLK_OP_ibcast);
    file.call(SLK_OP_barrier, 2300, 2310);
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  const RankCalls& zero = trace.calls(0);
  const RankCalls& one = trace.calls(1);
  EXPECT_EQ(zero.comm(0), one.comm(1));
  EXPECT_EQ(zero.comm(1), one.comm(0));
  EXPECT_NE(zero.comm(0), zero.comm(1));
  EXPECT_THAT(trace.communicators()[zero.comm(0)].members, ElementsAre(0, 1));
  EXPECT_EQ(zero.comm(2), kCommWorld);
  EXPECT_EQ(one.comm(2), kCommWorld);
}

TEST_F(RawReaderTest, PersistentCollectivesOfSomeRanksMatchByWhatIsStarted) {
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    RawFileBuilder file(rank, 3);
    if (rank > 0) {
      file.add({1990, 1990, 0, -1, 0, 2, 0, 0, 0, 0, SLK_REC_COMM}, {0, 2, 0, 1, 1, 1, 2});
      start_plan(file, 2000, 1, rank == 1 ? 0 : 1, SLK_OP_iallreduce, 2);
      start_plan(file, 2100, 2, rank == 1 ? 1 : 0, SLK_OP_iallreduce, 2);
    }
    file.call(SLK_OP_barrier, 2300, 2310);
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  EXPECT_EQ(trace.calls(1).comm(0), trace.calls(2).comm(1));
  EXPECT_EQ(trace.calls(1).comm(1), trace.calls(2).comm(0));
  EXPECT_NE(trace.calls(1).comm(0), trace.calls(1).comm(1));
  EXPECT_THAT(trace.communicators()[trace.calls(1).comm(0)].members, ElementsAre(1, 2));
}

TEST_F(RawReaderTest, PersistentCollectivesInOneOrderStayWhereTheyAre) {
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RawFileBuilder file(rank, 2);
    start_plan(file, 2000, 1, 0, SLK_OP_ibcast);
    start_plan(file, 2100, 2, 1, SLK_OP_iallreduce);
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  EXPECT_EQ(trace.calls(1).comm(0), kCommWorld);
  EXPECT_EQ(trace.communicators().size(), 2u);
}

TEST_F(RawReaderTest, KindsOfRecordsAreNumberedByVersion) {
  for (const auto& [version, resolved] : {std::pair(13u, 204), std::pair(14u, 234)}) {
    RawFileBuilder file(0, 1);
    file.header().version = version;
    file.call(SLK_OP_irecv, 2010, 2011, 0, 7);
    file.add({2030, 2030, 16, 0, 9, 0, 7, 0, 0, 0, static_cast<std::uint8_t>(resolved)});
    file.call(SLK_OP_wait, 2020, 2040, -1, 7);
    write("rank-0.slkraw", file.bytes());
    const Trace trace = read();
    ASSERT_EQ(trace.calls(0).size(), 2u);
    EXPECT_EQ(trace.calls(0).bytes(0), 16u) << version;
    EXPECT_EQ(trace.findings().count(kDamagedRecord), 0u) << version;
  }
}

TEST_F(RawReaderTest, KindsThatAnOldVersionLacksAreDamage) {
  for (const int kind : {219, 228, 239, 242, 255}) {
    RawFileBuilder file(0, 1);
    file.header().version = 13;
    file.call(SLK_OP_barrier, 2010, 2011);
    file.add({2030, 2030, 16, 0, 9, 0, 7, 0, 0, 0, static_cast<std::uint8_t>(kind)});
    write("rank-0.slkraw", file.bytes());
    const Trace trace = read();
    EXPECT_EQ(trace.calls(0).size(), 1u) << kind;
    EXPECT_EQ(trace.findings().count(kDamagedRecord), 1u) << kind;
  }
}

TEST_F(RawReaderTest, RequestsOfFileAccessesAreKnown) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_file_iwrite_at, 2010, 2011, -1, 7).call(SLK_OP_wait, 2020, 2040, -1, 7);
  file.call(SLK_OP_grequest_start, 2050, 2051, -1, 8).call(SLK_OP_wait, 2060, 2061, -1, 8);
  file.call(SLK_OP_wait, 2070, 2071, -1, 9);
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().findings().count(kUnknownRequests), 1u);
}

TEST_F(RawReaderTest, FilesOfVersionThreeNameTheThreadInEveryRecord) {
  RawFileBuilder file(0, 1);
  file.header().version = 3;
  file.add({2050, 2105, 0, -1, 0, 0, 0, 0, 1, 0, SLK_OP_barrier});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  ASSERT_EQ(trace.calls(0).size(), 1u);
  EXPECT_EQ(trace.calls(0)[0].thread, 1);
  EXPECT_EQ(trace.calls(0)[0].frame, 0u);
}

TEST_F(RawReaderTest, MissingRankAndMissingFinalizeAreTold) {
  RawFileBuilder file(1, 3);
  file.header().finalized = 0;
  file.call(SLK_OP_init, 2000, 2010).call(SLK_OP_recv, 2020, 0, 0);
  write("rank-1.slkraw", file.bytes());
  const Trace trace = read();
  EXPECT_EQ(trace.ranks(), 3);
  EXPECT_EQ(trace.findings().count(kMissingRanks), 2u);
  EXPECT_EQ(trace.findings().count(kNotFinalized), 1u);
  EXPECT_EQ(trace.findings().count(kUnfinishedCall), 1u);
  EXPECT_FALSE(trace.rank_info(0).present);
  EXPECT_TRUE(trace.calls(1)[1].has(SLK_FLAG_UNFINISHED));
}

TEST_F(RawReaderTest, CallsThatNeverReturnLastUntilTheJobEnded) {
  RawFileBuilder hung(0, 2);
  hung.header().realtime_ns = 5'000'000;
  hung.call(SLK_OP_init, 2000, 2010).call(SLK_OP_recv, 2020, 0, 1);
  write("rank-0.slkraw", hung.bytes());
  RawFileBuilder other(1, 2);
  other.call(SLK_OP_init, 2000, 2010).call(SLK_OP_barrier, 2500, 2600);
  write("rank-1.slkraw", other.bytes());
  // As long as any rank was seen alive.
  EXPECT_EQ(read().calls(0).end_ns(1), 600);
  // At 1,000 ns of the clock it was 5 ms since 1970.
  write(std::string(kJobEndName), "5009000\n");
  EXPECT_EQ(read().calls(0).end_ns(1), 8000);
  for (const char* nonsense : {"", "x", "7", "18446744073709551615"}) {
    write(std::string(kJobEndName), nonsense);
    EXPECT_EQ(read().calls(0).end_ns(1), 600) << nonsense;
  }
}

TEST_F(RawReaderTest, LostCallsHaveTheirReason) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2010);
  file.header().lost_calls = 7;
  file.header().lost_reason = ENOSPC;
  write("rank-0.slkraw", file.bytes());
  const Findings found = read().findings();
  EXPECT_EQ(found.count(raw::kLostCalls), 7u);
  EXPECT_THAT(to_text(read()), HasSubstr("rank 0: No space left on device"));
}

TEST_F(RawReaderTest, RanksOfSeparateJobsAreTold) {
  for (const auto& [launched, told] : {std::pair{2, 1u}, std::pair{1, 0u}, std::pair{0, 0u}}) {
    RawFileBuilder file(0, 1);
    file.call(SLK_OP_init, 2000, 2010);
    file.header().launched = launched;
    write("rank-0.slkraw", file.bytes());
    EXPECT_EQ(read().findings().count(raw::kSeparateJobs), told) << launched;
  }
}

TEST_F(RawReaderTest, ArgumentsBeyondTheEndAreATruncatedFile) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2010);
  file.call(SLK_OP_waitall, 2020, 2030);
  std::string bytes = file.bytes();
  const std::uint32_t lie = 1000000;
  std::memcpy(bytes.data() + bytes.size() - sizeof(slk_record) + offsetof(slk_record, n_args), &lie,
              sizeof lie);
  write("rank-0.slkraw", bytes);
  const Trace trace = read();
  EXPECT_EQ(trace.calls(0).size(), 1u);
  EXPECT_EQ(trace.findings().count(kTruncatedFile), 1u);
}

TEST_F(RawReaderTest, NothingReadableIsAnError) {
  EXPECT_FALSE(looks_like_raw(folder_));
  EXPECT_THROW(read(), Error);
  write("rank-0.slkraw", "no recording");
  EXPECT_TRUE(looks_like_raw(folder_));
  EXPECT_THROW(read(), Error);
}

TEST_F(RawReaderTest, ProcessesThatSeeDifferentFilesAreRefused) {
  write("rank-0.slkraw", RawFileBuilder(0, 3).call(SLK_OP_init, 2000, 2100).bytes());
  write("rank-1.slkraw", RawFileBuilder(1, 3).call(SLK_OP_init, 2000, 2100).bytes());
  const ScratchFolder other("other");
  fs::copy(folder_ / "rank-1.slkraw", other / "rank-1.slkraw");
  const auto read_by = [&](int processes) {
    return error_text([&] {
      run_as_processes(processes, [&](ProcessGroup& group) {
        read_raw(group.rank() == 1 ? other.path() : folder_, group);
      });
    });
  };
  EXPECT_THAT(read_by(2), HasSubstr("process 1 sees other files than process 0"));
  EXPECT_THAT(read_by(3), HasSubstr("process 1 sees other files than process 0"));
}

TEST_F(RawReaderTest, DamageNeverCrashes) {
  RawFileBuilder file(0, 2);
  file.call(SLK_OP_init, 2000, 2010);
  file.add({2011, 2011, 0, -1, 0, 2, 0, 0, 0, 0, SLK_REC_COMM}, {0, 2, 0, 1, 0, 1, 2});
  file.add({2020, 2030, 8, 1, 5, 2, 1, 0, 0, 0, SLK_OP_irecv});
  file.add({2031, 2040, 0, -1, 0, 0, 0, 0, 0, 0, SLK_OP_startall}, {2, SLK_OP_recv_init, 1, 5, 8});
  file.add({2040, 2050, 0, -1, 0, 0, 0, 0, 0, 0, SLK_OP_waitall}, {1, 2});
  file.add({2060, 2070, 8, -1, 8, 2, 0, 0, 0, 0, SLK_OP_neighbor_alltoall}, {1, 1, 8, 1, 1, 8});
  const std::string intact = file.bytes();
  std::mt19937 random(1);
  std::uint64_t told = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = intact;
    // Flips in the records; every fourth time in the header's numbers; sometimes a cut.
    const std::size_t from = i % 4 == 0 ? 0 : SLK_RAW_HEADER_BYTES;
    const std::size_t to = i % 4 == 0 ? 200 : bytes.size();
    for (int flips = 1 + i % 3; flips > 0; --flips) {
      bytes[from + random() % (to - from)] ^= static_cast<char>(1 << random() % 8);
    }
    if (i % 5 == 0) bytes.resize(random() % bytes.size());
    write("rank-0.slkraw", bytes);
    try {
      const Trace trace = read();
      EXPECT_LE(trace.call_count(), 5u);
      told += trace.findings().entries().size();
    } catch (const Error&) {
      ++told;
    }
  }
  EXPECT_GT(told, 400u);  // the missing rank 1 alone is told every time
}

}  // namespace
}  // namespace slackline
