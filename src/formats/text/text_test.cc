#include "formats/text/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "trace/start_groups.h"
#include "trace/testing/arbitrary_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One rank, timed; `lines` are its operations.
Trace read_rank(std::string_view lines) {
  return read_text("slackline-trace 1 timed ranks=1\nrank 0\n" + std::string(lines), "t");
}

std::string error_of(std::string_view text) {
  return error_text([&] { read_text(text, "t.slt"); });
}

std::string rank_error_of(std::string_view lines) {
  return error_of("slackline-trace 1 timed ranks=1\nrank 0\n" + std::string(lines));
}

TEST(ReadText, ReadsCallPaths) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=1\n"
      "frame 1 0 main file=\"/usr/my code/heat.c\" line=20 module=/usr/heat\n"
      "frame 2 1 \"ns::relax<int>\" module=/usr/libsolver.so\n"
      "rank 0\n +5 barrier frame=2 # relax\n +5 barrier\n",
      "t");
  ASSERT_EQ(trace.call_tree().size(), 2u);
  EXPECT_EQ(trace.call_tree().parent(2), 1u);
  EXPECT_EQ(trace.call_tree().location(1),
            (CodeLocation{"main", "/usr/my code/heat.c", 20, "/usr/heat"}));
  EXPECT_EQ(trace.calls(0).frame(0), 2u);
  EXPECT_EQ(trace.calls(0).frame(1), 0u);
  const std::string text = to_text(trace);
  EXPECT_THAT(text, HasSubstr("barrier frame=2 # ns::relax<int> (libsolver.so)\n"));
  EXPECT_TRUE(same_content(trace, read_text(text, "t")));
}

TEST(ReadText, ReadsSamples) {
  Samples samples;
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=2\ninfo sampling=5000000\nframe 1 0 main\nrank 0\n"
      " @7 sample cpu=10 frame=1\n @8 sample cpu=5\n @20 +5 barrier\n @30 sample cpu=5 thread=2\n"
      "rank 1\n @20 +5 barrier\n",
      "t", &samples);
  EXPECT_EQ(samples.interval_ns, 5000000);
  ASSERT_EQ(samples.of(0).size(), 3u);
  EXPECT_EQ(samples.of(0)[0], (Sample{7, 10, 1, 0, 0}));
  EXPECT_EQ(samples.of(0)[2], (Sample{30, 5, 0, 1, 2}));
  EXPECT_TRUE(samples.of(1).empty());
  Samples back;
  EXPECT_TRUE(same_content(trace, read_text(to_text(trace, &samples), "t", &back)));
  EXPECT_TRUE(samples.same_as(back));
  EXPECT_THAT(rank_error_of(" @5 sample frame=1\n"), HasSubstr("frame"));
  EXPECT_THAT(rank_error_of(" sample cpu=1\n"), HasSubstr("no time"));
}

TEST(ReadText, ReadsParallelRegions) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=1\nframe 1 0 solve\nrank 0\n"
      "  @100 +50 parallel busy=50,20 waiting=0,25 frame=1\n"
      "  @160 +40 parallel instances=7 length=30 busy=30,10,10 waiting=0,0,20\n"
      "  @200 +5 barrier\n",
      "t");
  const ParallelRegions& regions = trace.calls(0).parallel_regions();
  ASSERT_EQ(regions.all().size(), 2u);
  EXPECT_EQ(regions.locations(), 3u);
  EXPECT_EQ(regions.all()[0].length_ns, 50);
  EXPECT_EQ(regions.all()[0].frame, 1u);
  EXPECT_EQ(regions.times(regions.all()[0])[1], (LocationTime{20, 25}));
  EXPECT_EQ(regions.all()[1].instances, 7u);
  EXPECT_EQ(regions.all()[1].length_ns, 30);
  EXPECT_EQ(regions.all()[1].before_call, 0u);
}

TEST(ReadText, RefusesParallelRegionsThatCannotBe) {
  EXPECT_THAT(rank_error_of(" blocking nap function=sleep\n"), HasSubstr("misplaced"));
  EXPECT_THAT(rank_error_of(" @5 blocking io function=read\n"), HasSubstr("misplaced"));
  EXPECT_THAT(rank_error_of(" blocking io time=5 blocked=6\n"), HasSubstr("longer"));
  EXPECT_THAT(rank_error_of(" @5 parallel busy=1 waiting=0\n"), HasSubstr("no time"));
  EXPECT_THAT(rank_error_of(" @5 +9 parallel busy=1,2 waiting=0\n"), HasSubstr("as many"));
  EXPECT_THAT(rank_error_of(" @5 +9 parallel\n"), HasSubstr("as many"));
  EXPECT_THAT(rank_error_of(" @5 +9 parallel busy=8 waiting=2\n"), HasSubstr("longer than"));
  EXPECT_THAT(rank_error_of(" @5 +9 parallel busy=8 waiting=0 frame=1\n"), HasSubstr("frame"));
  EXPECT_THAT(rank_error_of(" @5 +9 parallel busy=8 waiting=0 team=1\n"), HasSubstr("team"));
}

TEST(ReadText, RefusesFramesThatDoNotExist) {
  EXPECT_THAT(rank_error_of(" barrier frame=1\n"), HasSubstr("frame"));
  EXPECT_THAT(error_of("slackline-trace 1 timed ranks=1\nframe 2 0 main\nrank 0\n"),
              HasSubstr("frame 2 is out of order"));
  EXPECT_THAT(error_of("slackline-trace 1 timed ranks=1\nframe 1 0 f\nframe 2 0 f\nrank 0\n"),
              HasSubstr("frame 2 is out of order"));
}

TEST(ReadText, ReadsAnOperationWithItsKeys) {
  const Trace trace = read_rank("  @1200 +500 send to=3 tag=7 bytes=8 comm=self thread=2\n");
  ASSERT_EQ(trace.calls(0).size(), 1u);
  const Call call = trace.calls(0)[0];
  EXPECT_EQ(call.operation, Operation::send);
  EXPECT_EQ(call.begin_ns, 1200);
  EXPECT_EQ(call.end_ns, 1700);
  EXPECT_EQ(call.peer, 3);
  EXPECT_EQ(call.tag, 7);
  EXPECT_EQ(call.bytes, 8u);
  EXPECT_EQ(call.comm, kCommSelf);
  EXPECT_EQ(call.thread, 2);
  EXPECT_EQ(call.request, kRequestNone);
}

TEST(ReadText, TimesFollowFromTheLinesBefore) {
  const Trace trace = read_rank(
      "+10 init\n"       // from 0
      "compute 50\n"     //
      "+5 barrier\n"     // from 60
      "@100 barrier\n"   // at 100, takes nothing
      "+1 finalize\n");  // from 100
  EXPECT_EQ(trace.calls(0).begin_ns(1), 60);
  EXPECT_EQ(trace.calls(0).end_ns(1), 65);
  EXPECT_EQ(trace.calls(0).end_ns(2), 100);
  EXPECT_EQ(trace.calls(0).end_ns(3), 101);
}

TEST(ReadText, UntimedTracesAccumulateComputation) {
  const Trace trace = read_text(
      "slackline-trace 1 untimed ranks=2\n"
      "rank 0\n compute 500\n send to=1 bytes=4\n compute 30\n barrier\n"
      "rank 1\n recv from=0 bytes=4\n barrier\n",
      "t");
  EXPECT_FALSE(trace.timed());
  EXPECT_EQ(trace.calls(0).begin_ns(0), 500);
  EXPECT_EQ(trace.calls(0).end_ns(0), 500);
  EXPECT_EQ(trace.calls(0).gap_ns(1), 30);
  EXPECT_EQ(trace.calls(1).begin_ns(1), 0);
}

TEST(ReadText, TypedKeysFillTheArgumentsOfTheWireFormat) {
  const auto args = [](std::string_view line) {
    const Trace trace = read_rank(line);
    const auto span = trace.calls(0).args(0);
    return std::vector<std::int64_t>(span.begin(), span.end());
  };
  EXPECT_THAT(args("sendrecv to=1 bytes=8 from=2 rtag=5 rbytes=16 recv_any_tag\n"),
              ElementsAre(2, 5, 16, SLK_FLAG_ANY_TAG));
  EXPECT_THAT(args("waitall reqs=1..3,9\n"), ElementsAre(1, 2, 3, 9));
  EXPECT_THAT(args("testany failed polls=7 inside=120\n"), ElementsAre(7, 120));
  EXPECT_THAT(args("startall starts=4:send_init:2:1:8,5:recv_init:any:any:64:7\n"),
              ElementsAre(4, static_cast<int>(Operation::send_init), 2, 1, 8, 0,  //
                          5, static_cast<int>(Operation::recv_init), -3, -1, 64, 7));
  EXPECT_THAT(args("gatherv root=0 bytes=8 counts=8*3,0\n"), ElementsAre(8, 8, 8, 0));
  EXPECT_THAT(args("alltoallv send=1,2 recv=3,4\n"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(args("neighbor_alltoall out=1:8,null:8 in=3:16\n"),
              ElementsAre(2, 1, 8, -2, 8, 1, 3, 16));
  EXPECT_THAT(args("comm_split new=null\n"), ElementsAre(0xffffffff));
  EXPECT_THAT(args("pcontrol level=2\n"), ElementsAre(2));
  EXPECT_THAT(args("put target=1 bytes=8 args=0..10/5,10..8\n"), ElementsAre(0, 5, 10, 10, 9, 8));
}

TEST(ReadText, CollectivesHaveRootAndElementSize) {
  const Trace trace = read_rank("reduce root=2 bytes=64 elem=8 in_place non_commutative\n");
  const Call call = trace.calls(0)[0];
  EXPECT_EQ(call.peer, 2);
  EXPECT_EQ(call.tag, 8);
  EXPECT_EQ(call.flags, SLK_FLAG_IN_PLACE | SLK_FLAG_NON_COMMUTATIVE);
}

TEST(ReadText, ReadsFactsCommunicatorsRegionsAndComments) {
  const Trace trace = read_text(
      "# a comment, and a blank line\n\n"
      "slackline-trace 1 timed ranks=6  # here too\n"
      "info program=\"lmp -in \\\"x\\\"\" mpi=MPICH lost=3\n"
      "comm 2 members=0..4/2,5 name=row\n"
      "comm 3 members=1 remote=3,2\n"
      "region 0 \"time step\"\n"
      "rank 0 host=n0 start=9 clock_offset=-4 clock_drift=1e-6 clock_error=2\n"
      "  @10 enter 0\n  @10 +1 barrier\n  @12 enter solve\n  leave \"solve\"\n"
      "rank 1 absent\nrank 2 unfinalized\nrank 3\nrank 4\nrank 5\n",
      "t");
  EXPECT_EQ(trace.info().program, "lmp -in \"x\"");
  EXPECT_EQ(trace.info().lost_calls, 3u);
  EXPECT_THAT(trace.communicators()[2].members, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(trace.communicators()[3].remote, ElementsAre(3, 2));
  EXPECT_THAT(trace.regions(), ElementsAre("time step", "solve"));
  const auto regions = trace.calls(0).regions();
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[0].before_call, 0u);
  EXPECT_EQ(regions[1].time_ns, 12);
  EXPECT_EQ(regions[1].before_call, 1u);
  EXPECT_EQ(regions[2].time_ns, 11);  // no time: the end of the call before
  EXPECT_FALSE(regions[2].enter);
  EXPECT_EQ(trace.rank_info(0).clock_drift, 1e-6);
  EXPECT_EQ(trace.calls(0).start_ns(), 9);
  EXPECT_FALSE(trace.rank_info(1).present);
  EXPECT_FALSE(trace.rank_info(2).finalized);
}

// As in a recording: the nonblocking form, in no time, before the start, which keeps the messages.
TEST(ReadText, AStartOfAPersistentCollectiveBeginsIt) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=1\n"
      "rank 0\n"
      "  @5 +2 bcast_init req=1\n"
      "  @20 +3 startall starts=2:bcast_init:0:4:64,3:send_init:0:7:8 thread=1\n"
      "  @30 +9 wait req=2\n",
      "t.slt");
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 4u);
  const Call bcast = calls[1];
  EXPECT_EQ(bcast.operation, Operation::ibcast);
  EXPECT_EQ(bcast.begin_ns, 20);
  EXPECT_EQ(bcast.end_ns, 20);
  EXPECT_EQ(bcast.request, 2u);
  EXPECT_EQ(bcast.peer, 0);
  EXPECT_EQ(bcast.tag, 4);
  EXPECT_EQ(bcast.bytes, 64u);
  EXPECT_EQ(bcast.thread, 1);
  EXPECT_EQ(calls.operation(2), Operation::startall);
  EXPECT_EQ(StartGroups(calls.args(2)).size(), 1u);
}

TEST(ReadText, MessagesSayWhereAndWhat) {
  EXPECT_THAT(rank_error_of("  @10 sned to=1\n"), HasSubstr("t.slt:3:7: unknown operation 'sned'"));
  EXPECT_THAT(rank_error_of("send bytes=8\n"), HasSubstr("3:1: send without to="));
  EXPECT_THAT(rank_error_of("send to=x\n"), HasSubstr("3:9: 'x' is not a rank"));
  EXPECT_THAT(rank_error_of("send to=0 bytes=-1\n"), HasSubstr("3:17: '-1' is not a byte count"));
  EXPECT_THAT(rank_error_of("send to=0 to=1\n"), HasSubstr("3:11: 'to' is given twice"));
  EXPECT_THAT(rank_error_of("send to=0 root=1\n"), HasSubstr("3:11: unknown key 'root' of send"));
  EXPECT_THAT(rank_error_of("irecv from=0 any\n"), HasSubstr("3:14: unknown word 'any'"));
  EXPECT_THAT(rank_error_of("waitall reqs=1..9999999\n"), HasSubstr("too long"));
  EXPECT_THAT(rank_error_of("@5\n"), HasSubstr("3:3: a time has no operation"));
  EXPECT_THAT(rank_error_of("@5 compute 3\n"), HasSubstr("misplaced compute"));
  EXPECT_THAT(rank_error_of("@9223372036854775807 barrier\n"), HasSubstr("out of range"));
  EXPECT_THAT(rank_error_of("rank 0\n"), HasSubstr("3:6: rank 0 has two sections"));
  EXPECT_THAT(rank_error_of("alltoallv send=1 recv=1,2\n"), HasSubstr("1 and 2 values"));
  EXPECT_THAT(rank_error_of("startall starts=1:2\n"), HasSubstr("invalid started request"));
  EXPECT_THAT(rank_error_of("start starts=1:barrier:none:0:0\n"),
              HasSubstr("'barrier' does not make a request to start"));
  EXPECT_THAT(rank_error_of("enter 3\n"), HasSubstr("out of range"));
  EXPECT_THAT(rank_error_of("enter \"a\n"), HasSubstr("the closing quote is missing on its line"));
}

TEST(ReadText, MessagesAboutTheWhole) {
  EXPECT_THAT(error_of(""), HasSubstr("not a trace"));
  EXPECT_THAT(error_of("hello\n"), HasSubstr("1:1: not a trace in text format"));
  EXPECT_THAT(error_of("slackline-trace 2 timed ranks=1\n"), HasSubstr("unsupported version 2"));
  EXPECT_THAT(error_of("slackline-trace 1 timed ranks=0\n"), HasSubstr("out of range"));
  EXPECT_THAT(error_of("slackline-trace 1 timed ranks=2\nrank 0\n"),
              HasSubstr("rank 1 is missing"));
  EXPECT_THAT(error_of("slackline-trace 1 timed ranks=2\nbarrier\n"), HasSubstr("Insert 'rank 0'"));
  EXPECT_THAT(error_of("slackline-trace 1 timed ranks=2\ncomm 3 members=0\n"),
              HasSubstr("the next is 2"));
  EXPECT_THAT(error_of("slackline-trace 1 timed ranks=2\ncomm 2 members=2\n"),
              HasSubstr("member 2 is not a rank"));
}

TEST(ReadText, ShortTextsDoNotMakeLargeTraces) {
  EXPECT_THAT(error_of("slackline-trace 1 timed ranks=2000000000\n"), HasSubstr("out of range"));
  EXPECT_THAT(rank_error_of("gatherv root=0 counts=8*1000000000\n"), HasSubstr("out of range"));
  std::string many = "slackline-trace 1 timed ranks=60000\n";
  for (int i = 2; i < 300; ++i) many += "comm " + std::to_string(i) + " members=0..59999\n";
  EXPECT_THAT(error_of(many), HasSubstr("too long"));
}

TEST(WriteText, LooksAsTheDocumentationSays) {
  const std::string text =
      "slackline-trace 1 timed ranks=2\n"
      "info program=\"./halo 2 1\" mpi=MPICH\n"
      "comm 2 members=1,0 name=reversed\n"
      "region 0 \"solve\"\n"
      "rank 0 host=n0\n"
      "  @0 +100 init\n"
      "  @110 enter \"solve\"\n"
      "  @1200 +500 isend to=1 tag=3 bytes=8 comm=2 req=1\n"
      "  @1700 +30 irecv from=1 bytes=8 req=2 any_source\n"
      "  @2100 +20 sendrecv to=1 bytes=8 from=1 rbytes=16\n"
      "  @2200 +9 waitall reqs=1,2\n"
      "  @2300 +50 allreduce elem=8 bytes=8\n"
      "  @2400 +50 alltoallv send=8,0 recv=8,0\n"
      "  @2450 iprobe from=any polls=12 inside=900 any_source failed\n"
      "  @2460 leave \"solve\"\n"
      "rank 1 unfinalized\n";
  EXPECT_EQ(to_text(read_text(text, "t")), text);
}

TEST(WriteText, NamesStayNamesOnATerminal) {
  const std::string hostile =
      "\x1b]0;t\x07 \xc2\x9b"
      "2J \xe2\x80\xae \xff \xc3\xa4\n";
  const Trace trace = read_text(
      R"(slackline-trace 1 timed ranks=1
region 0 "\x1b]0;t\x07 \xc2\x9b2J \xe2\x80\xae \xff ä\n"
frame 1 0 "f\x1b[2J" file="a\x07.c" line=3
rank 0
  @0 +1 init frame=1
  @2 enter 0
)",
      "names.txt");
  EXPECT_EQ(trace.regions().front(), hostile);
  const std::string text = to_text(trace);
  EXPECT_THAT(text, HasSubstr(R"(region 0 "\x1b]0;t\x07 \xc2\x9b2J \xe2\x80\xae \xff ä\n")"));
  EXPECT_THAT(text, HasSubstr("frame=1 # f [2J (a .c:3)\n"));
  EXPECT_TRUE(same_content(read_text(text, "again"), trace));
}

TEST(WriteText, OneRankReadsBackWithTheOthersAbsent) {
  const Trace trace =
      read_text("slackline-trace 1 untimed ranks=3\nrank 0\nrank 1\nbarrier\nrank 2\n", "t");
  std::string text;
  write_text_trace(trace, [&](std::string_view piece) { text += piece; }, {.rank = 1});
  EXPECT_EQ(text, "slackline-trace 1 untimed ranks=3 partial\nrank 1\n  barrier\n");
  const Trace back = read_text(text, "t");
  EXPECT_FALSE(back.rank_info(0).present);
  EXPECT_TRUE(back.rank_info(1).present);
  EXPECT_EQ(back.calls(1).size(), 1u);
}

RC_GTEST_PROP(Text, HoldsEverythingATraceHolds, ()) {
  const Trace trace = testing::arbitrary_trace();
  const std::string text = to_text(trace);
  const Trace back = read_text(text, "t");
  RC_ASSERT(same_content(trace, back));
  RC_ASSERT(testing::same_facts(trace, back));
  RC_ASSERT(to_text(back) == text);
}

TEST(LooksLikeText, SkipsCommentsOnly) {
  EXPECT_TRUE(looks_like_text("slackline-trace 1 timed ranks=1\n"));
  EXPECT_TRUE(looks_like_text("# hello\n\n  slackline-trace 1"));
  EXPECT_FALSE(looks_like_text("hello\nslackline-trace 1"));
  EXPECT_FALSE(looks_like_text(""));
}

TEST(TextForm, RequestsThatCountFromZeroAreFound) {
  const auto found = [](const std::string& calls) {
    TraceBuilder trace = read_text("slackline-trace 1 untimed ranks=1\nrank 0\n" + calls, "t");
    find_request_zero(trace);
    return trace.findings().entries().size();
  };
  EXPECT_EQ(found("irecv from=0 bytes=8 req=0\nwaitall reqs=0,1\n"), 1u);
  EXPECT_EQ(found("isend to=0 bytes=8 req=0\nwait req=0\n"), 1u);
  EXPECT_EQ(found("irecv from=0 bytes=8 req=1\nwaitall reqs=1\n"), 0u);
  EXPECT_EQ(found("irecv from=0 bytes=8 req=0\n"), 0u);  // of a format that knows no requests
  EXPECT_EQ(found("irecv from=0 bytes=8 req=1\nwait\n"), 0u);
}

}  // namespace
}  // namespace slackline
