#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "formats/paraver/findings.h"
#include "formats/paraver/header.h"
#include "formats/paraver/paraver.h"
#include "formats/text/text.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Trace read(std::string_view text) {
  return read_paraver(std::as_bytes(std::span(text)), "x.prv");
}

std::string error_of(std::string_view text) {
  return error_text([&] { read(text); });
}

// The lines of a trace's text form that belong to ranks.
std::string ranks_of(const Trace& trace) {
  const std::string text = to_text(trace);
  return text.substr(text.find("rank 0"));
}

TEST(ParaverHeader, ReadsAllVariants) {
  const auto extrae = paraver::parse_header(
      "#Paraver (09/10/2019 at 16:08):6082352213_ns:1(4):1:4(1:1,1:1,1:1,1:1),5", "x");
  EXPECT_EQ(extrae.started, "2019-10-09T16:08");
  EXPECT_EQ(extrae.duration_ns, 6082352213);
  EXPECT_EQ(extrae.ns_per_unit, 1);
  EXPECT_EQ(extrae.nodes, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(extrae.ranks, 4);

  const auto old = paraver::parse_header("#Paraver (07/05/04 at 12:26):1500:4:1:2(1:1,2:2)", "x");
  EXPECT_EQ(old.started, "2004-05-07T12:26");
  EXPECT_EQ(old.duration_ns, 1'500'000);  // microseconds
  EXPECT_EQ(old.ranks, 2);
  EXPECT_EQ(old.applications[0].node_of_task, (std::vector<std::int32_t>{1, 2}));

  const auto two =
      paraver::parse_header("#Paraver (1/2/21 at 1:02):9_us:0:2:1(1:0):3(1:1,1:1,4:1),2", "x");
  EXPECT_EQ(two.ranks, 4);
  EXPECT_EQ(two.rank_of(2, 1), 1);
  EXPECT_EQ(two.rank_of(2, 4), -1);
  EXPECT_EQ(two.rank_of(3, 1), -1);
}

// Paraver itself, saving a trace, and its cutter separate applications by commas.
TEST(ParaverHeader, ApplicationsAreSeparatedByColonsOrCommas) {
  for (const char* const applications :
       {"3:1(1:1):2(1:1,4:2):1(1:2)", "3:1(1:1),2(1:1,4:2),1(1:2)", "3:1(1:1),2(1:1,4:2),1(1:2),7",
        "3:1(1:1),1:2(1:1,4:2),2:1(1:2),1", "3:1(1:1),1,2(1:1,4:2),2,1(1:2),1",
        "3:1(1:1),:2(1:1,4:2),:1(1:2),"}) {
    SCOPED_TRACE(applications);
    const auto header =
        paraver::parse_header(std::string("#Paraver (1/2/21 at 1:02):9_ns:0:") + applications, "x");
    ASSERT_EQ(header.applications.size(), 3u);
    EXPECT_EQ(header.ranks, 4);
    EXPECT_EQ(header.rank_of(2, 2), 2);
    EXPECT_EQ(header.rank_of(3, 1), 3);
    EXPECT_EQ(header.applications[1].node_of_task, (std::vector<std::int32_t>{1, 2}));
  }
}

TEST(ParaverHeader, ALieIsAnErrorAndNoAllocation) {
  EXPECT_THAT(error_of("#Paraver (1/2/21 at 1:02):9_ns:0:1:1000000000(1:1)\n"),
              HasSubstr("x.prv:1: cannot read the header"));
  EXPECT_THAT(error_of("#Paraver (1/2/21 at 1:02):9_ns:0:999999999999:1(1:1)\n"),
              HasSubstr("999999999999 applications are announced and 1 listed"));
  EXPECT_THAT(error_of("#Paraver (1/2/21 at 1:02):99999999999999999999_ns:0:1:1(1:1)\n"),
              HasSubstr("the duration is not a number"));
  EXPECT_THAT(error_of("#Paraver (1/2/21 at 1:02):9_fortnights:0:1:1(1:1)\n"),
              HasSubstr("'fortnights' is not a unit of time"));
}

constexpr std::string_view kTwo = "#Paraver (1/2/21 at 1:02):180_ns:1(2):1:2(1:1,1:1),1\n";

TEST(ParaverReader, BlockingCallsGetTheirPeers) {
  const Trace trace = read(std::string(kTwo) +
                           "2:1:1:1:1:100:50000001:1\n"
                           "3:1:1:1:1:100:120:2:1:2:1:150:180:8:7\n"
                           "2:1:1:1:1:120:50000001:0\n"
                           "2:2:1:2:1:150:50000001:2\n"
                           "2:2:1:2:1:180:50000001:0\n");
  EXPECT_EQ(ranks_of(trace),
            "rank 0 start=100\n  @100 +20 send to=1 tag=7 bytes=8\n"
            "rank 1 start=150\n  @150 +30 recv from=0 tag=7 bytes=8\n");
  EXPECT_TRUE(trace.findings().empty());
}

// Counters of processors have 64 bits without a sign.
TEST(ParaverReader, ValuesOf64BitsCostNoRecord) {
  const Trace trace = read(std::string(kTwo) +
                           "2:1:1:1:1:100:50000002:8:42000008:9223512060668553767\n"
                           "2:2:1:2:1:100:50000002:8:42000008:18446744073709551615\n"
                           "2:1:1:1:1:120:50000002:0\n2:2:1:2:1:120:50000002:0\n");
  EXPECT_EQ(trace.calls(0).size(), 1u);
  EXPECT_EQ(trace.calls(1).size(), 1u);
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 0u);
  EXPECT_EQ(trace.findings().count(paraver::kCounterTooLarge), 2u);
  for (const RankCalls* calls : {&trace.calls(0), &trace.calls(1)}) {
    for (std::size_t c = 0; c < trace.counters().size(); ++c) EXPECT_EQ(calls->counter(c, 0), 0u);
  }
  EXPECT_EQ(read(std::string(kTwo) + "2:1:1:1:1:100:50000002:8:42000008:18446744073709551616\n")
                .findings()
                .count(kDamagedRecord),
            1u);
}

struct PauseOf {
  std::int64_t begin;
  std::int64_t end;
  PauseKind kind;
  bool operator==(const PauseOf&) const = default;
};

std::vector<PauseOf> pauses_of(const Trace& trace) {
  std::vector<PauseOf> pauses;
  for (const Pause& p : trace.calls(0).pauses()) pauses.push_back({p.begin_ns, p.end_ns, p.kind});
  return pauses;
}

// States by the names of the format: only 12 is I/O, which blocks as 9 and 0 do.
TEST(ParaverReader, StatesOutsideOfMpiAreWhatTheirNamesSay) {
  const auto kind_of = [](int state) {
    const auto pauses = pauses_of(
        read(std::string(kTwo) + "1:1:1:1:1:0:30:1\n" + fmt::format("1:1:1:1:1:30:60:{}\n", state) +
             "1:1:1:1:1:60:90:1\n2:1:1:1:1:90:50000002:8\n2:1:1:1:1:95:50000002:0\n"));
    EXPECT_EQ(pauses.size(), 1u) << state;
    EXPECT_EQ(pauses.at(0).begin, 30) << state;
    EXPECT_EQ(pauses.at(0).end, 60) << state;
    return pauses.at(0).kind;
  };
  for (const int state : {7, 15, 17, 24, 99}) EXPECT_EQ(kind_of(state), PauseKind::other) << state;
  for (const int state : {12, 9, 0}) EXPECT_EQ(kind_of(state), PauseKind::blocked) << state;
  for (const int state : {3, 5, 8, 13, 16}) EXPECT_EQ(kind_of(state), PauseKind::in_mpi) << state;
  EXPECT_EQ(kind_of(14), PauseKind::recording);
}

// A thread that is idle or not there at the end has ended; one that runs goes on.
TEST(ParaverReader, ARunEndsWithTheLastStateOfItsThread) {
  const auto stop_with = [](int state) {
    const Trace trace = read(std::string(kTwo) +
                             "2:1:1:1:1:90:50000002:8\n2:1:1:1:1:95:50000002:0\n"
                             "1:1:1:1:1:95:150:1\n" +
                             fmt::format("1:1:1:1:1:150:180:{}\n", state));
    EXPECT_TRUE(state > 2 || pauses_of(trace).empty());
    return trace.calls(0).stop_ns();
  };
  EXPECT_EQ(stop_with(0), 150);
  EXPECT_EQ(stop_with(2), 150);
  EXPECT_EQ(stop_with(1), 180);
  EXPECT_EQ(stop_with(7), 180);
}

TEST(ParaverReader, RequestsFollowFromPhysicalTimes) {
  // Two receives completed by different waits; a send that only the waitall can have completed.
  const Trace trace = read(std::string(kTwo) +
                           "2:1:1:1:1:0:50000001:4\n2:1:1:1:1:5:50000001:0\n"
                           "2:1:1:1:1:10:50000001:4\n2:1:1:1:1:15:50000001:0\n"
                           "2:1:1:1:1:20:50000001:3\n"
                           "3:1:1:1:1:20:25:2:1:2:1:30:60:1:3\n"
                           "2:1:1:1:1:25:50000001:0\n"
                           "2:2:1:2:1:30:50000001:41\n"
                           "3:2:1:2:1:30:30:1:1:1:1:15:50:2:2\n"
                           "2:1:1:1:1:40:50000001:5\n2:1:1:1:1:50:50000001:0\n"
                           "2:1:1:1:1:55:50000001:6\n"
                           "2:2:1:2:1:60:50000001:0\n"
                           "2:2:1:2:1:70:50000001:1\n"
                           "3:2:1:2:1:70:72:1:1:1:1:5:80:4:1\n"
                           "2:2:1:2:1:72:50000001:0\n"
                           "2:1:1:1:1:80:50000001:0\n");
  EXPECT_EQ(ranks_of(trace),
            "rank 0\n"
            "  @0 +5 irecv from=1 tag=1 bytes=4 req=1\n"
            "  @10 +5 irecv from=1 tag=2 bytes=2 req=2\n"
            "  @20 +5 isend to=1 tag=3 bytes=1 req=3\n"
            "  @40 +10 wait req=2\n"
            "  @55 +25 waitall reqs=1,3\n"
            "rank 1 start=30\n"
            "  @30 +30 sendrecv to=0 tag=2 bytes=2 from=0 rtag=3 rbytes=1\n"
            "  @70 +2 send to=0 tag=1 bytes=4\n");
  EXPECT_EQ(trace.findings().count(kCompletionGuessed), 1u);
}

TEST(ParaverReader, CollectivesGetRootsCommunicatorsAndSizes) {
  const Trace trace = read(
      "#Paraver (1/2/21 at 1:02):1000_ns:1(3):1:3(1:1,1:1,1:1),2\n"
      "c:1:1:3:1:2:3\nc:1:7:2:3:2\n"
      "2:1:1:2:1:10:50000002:7:50100001:0:50100002:64:50100004:7\n"
      "2:1:1:3:1:11:50000002:7:50100001:64:50100002:0:50100004:7:50100003:1\n"
      "2:1:1:2:1:12:50000002:0\n2:1:1:3:1:12:50000002:0\n"
      "2:1:1:1:1:13:50000002:13:50100001:8:50100002:24:50100004:1:50100003:1\n"
      "2:1:1:2:1:13:50000002:13:50100001:8:50100002:0:50100004:1\n"
      "2:1:1:3:1:13:50000002:13:50100001:8:50100002:0:50100004:1\n"
      "2:1:1:1:1:14:50000002:0\n2:1:1:2:1:14:50000002:0\n2:1:1:3:1:14:50000002:0\n"
      "2:1:1:1:1:20:50000002:8:50100004:9\n2:1:1:1:1:21:50000002:0\n");
  EXPECT_EQ(trace.communicators().size(), 3u);
  EXPECT_EQ(trace.communicators()[2].members, (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(trace.calls(1)[0].peer, 2);
  EXPECT_EQ(trace.calls(1)[0].bytes, 64u);
  EXPECT_EQ(trace.calls(1)[0].comm, 2u);
  EXPECT_EQ(trace.calls(2)[1].peer, 0);
  EXPECT_EQ(trace.calls(2)[1].bytes, 8u);
  EXPECT_EQ(trace.calls(0)[1].comm, kCommNull);
  EXPECT_EQ(trace.findings().count(kUnknownCommunicator), 1u);
}

TEST(ParaverReader, StatesTellWhatIsUseful) {
  const Trace trace = read(
      "#Paraver (1/2/21 at 1:02):100_ns:1(1):1:1(1:1)\n"
      "1:1:1:1:1:0:10:2\n"    // not created
      "1:1:1:1:1:10:20:1\n"   // running
      "1:1:1:1:1:20:25:12\n"  // I/O
      "1:1:1:1:1:25:40:1\n"   // running
      "1:1:1:1:1:40:50:15\n"  // MPI_Init
      "2:1:1:1:1:40:50000003:31:42000050:1000:42000059:2000\n"
      "2:1:1:1:1:50:50000003:0:42000050:7:42000059:7\n"
      "1:1:1:1:1:50:60:15\n"  // MPI_Comm_rank, which a Trace does not know
      "2:1:1:1:1:50:50000003:19:42000050:0\n"
      "2:1:1:1:1:60:50000003:0:42000050:5\n"
      "1:1:1:1:1:60:70:1\n"
      "1:1:1:1:1:70:90:13\n"
      "2:1:1:1:1:70:50000002:8:42000050:300\n"
      "2:1:1:1:1:90:50000002:0\n"
      "1:1:1:1:1:90:100:1\n"
      "2:1:1:1:1:100:40000001:0:42000050:11\n");
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls.start_ns(), 10);
  EXPECT_EQ(calls.stop_ns(), 100);
  EXPECT_EQ(calls.useful_ns(0), 25);
  EXPECT_EQ(calls.useful_ns(1), 10);
  EXPECT_EQ(calls.useful_ns(2), 10);
  EXPECT_EQ(calls.gap_ns(1), 20);
  EXPECT_EQ(trace.counters(), (std::vector<std::string>{"PAPI_TOT_INS", "PAPI_TOT_CYC"}));
  EXPECT_EQ(calls.counter(0, 0), 1000u);
  EXPECT_EQ(calls.counter(0, 1), 300u);
  EXPECT_EQ(calls.counter(0, 2), 11u);
  EXPECT_EQ(calls.counter(1, 0), 2000u);
}

// A file of one rank that computes 100 ns between two barriers, with its names beside it.
TEST(ParaverReader, KeepsEveryCounterAndTheCallers) {
  const ScratchFolder folder;
  const std::string prv =
      "#Paraver (1/2/21 at 1:02):200_ns:1(1):1:1(1:1)\n"
      "1:1:1:1:1:0:10:12\n"
      "2:1:1:1:1:0:50000002:8:42000000:5:42001047:6\n"
      "1:1:1:1:1:10:110:1\n"
      "2:1:1:1:1:10:50000002:0:42000000:1:42001047:1\n"
      "2:1:1:1:1:110:50000002:8:42000000:70:42001047:80:70000001:3:80000001:4:70000002:5:80000002:"
      "2\n"
      "2:1:1:1:1:120:50000002:0:42000000:1:42001047:1:42000003:9\n";
  write_file(folder / "x.prv", prv);
  write_file(folder / "x.pcf",
             "EVENT_TYPE\n7  42000000 PAPI_L1_DCM [L1D cache misses]\n"
             "7  42001047 RESOURCE STALLS [Cycles]\n\n"
             "EVENT_TYPE\n0    70000001    Caller at level 1\n0    70000002    Caller at level 2\n"
             "VALUES\n0   End\n1 Unresolved\n3 __halo..xchange [__halo_MOD_exchange]\n5 main\n\n"
             "EVENT_TYPE\n0    80000001    Caller line at level 1\n"
             "0    80000002    Caller line at level 2\n"
             "VALUES\n0   End\n2 0 (_NOT_Found)\n4 71 (halo.F90, app)\n");
  const Trace trace = read_paraver(std::as_bytes(std::span(prv)), folder / "x.prv");
  EXPECT_EQ(trace.counters(),
            (std::vector<std::string>{"PAPI_L1_DCM", "RESOURCE STALLS", "counter_42000003"}));
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls.counter(0, 1), 70u);
  EXPECT_EQ(calls.counter(1, 1), 80u);
  EXPECT_EQ(calls.counter(2, 1), 0u);
  EXPECT_EQ(calls[0].frame, 0u);
  const CallTree& tree = trace.call_tree();
  const FrameId inner = calls[1].frame;
  ASSERT_NE(inner, 0u);
  EXPECT_EQ(tree.location(inner), (CodeLocation{"halo::exchange", "halo.F90", 71, "app"}));
  EXPECT_EQ(tree.location(tree.parent(inner)), (CodeLocation{"main", "", 0, ""}));
  EXPECT_EQ(tree.depth(inner), 2u);
}

// Extrae's merger may give an event and what was counted and called then a line each.
TEST(ParaverReader, CountersOnALineAfterTheCallTheyPrecede) {
  const Trace trace = read(
      "#Paraver (1/2/21 at 1:02):200_ns:1(1):1:1(1:1)\n"
      "1:1:1:1:1:0:110:1\n"
      "1:1:1:1:1:110:120:13\n"
      "2:1:1:1:1:110:50000002:8\n"
      "2:1:1:1:1:110:42000050:70:42000059:80\n"
      "2:1:1:1:1:115:42000050:3\n"
      "2:1:1:1:1:120:50000002:0\n"
      "2:1:1:1:1:120:42000050:1\n");
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls.counter(0, 0), 70u);
  EXPECT_EQ(calls.counter(1, 0), 80u);
  EXPECT_EQ(calls.counter(0, 1), 0u);
}

// A call that takes no time by the clock is entered and left on two lines of one time, in the
// middle of a running state: what its second line counts was counted inside of it.
TEST(ParaverReader, CountersOfACallWithoutDurationAreNoComputation) {
  const Trace trace = read(
      "#Paraver (1/2/21 at 1:02):200_ns:1(1):1:1(1:1)\n"
      "1:1:1:1:1:0:110:1\n"
      "1:1:1:1:1:110:180:1\n"
      "2:1:1:1:1:110:50000003:43:42000050:70\n"
      "2:1:1:1:1:110:50000003:0:42000050:2604\n"
      "2:1:1:1:1:180:50000002:8:42000050:5\n"
      "2:1:1:1:1:190:50000002:0:42000050:9\n");
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls.counter(0, 0), 70u);
  EXPECT_EQ(calls.counter(0, 1), 5u);
  EXPECT_EQ(calls.counter(0, 2), 0u);
}

TEST(ParaverReader, HeadersOfSeveralApplicationsWithAndWithoutCommunicators) {
  for (const char* const applications :
       {"2:2(1:1,1:1),1:1(1:1),0", "2:2(1:1,1:1),:1(1:1),", "2:2(1:1,1:1):1(1:1),3"}) {
    SCOPED_TRACE(applications);
    const Trace trace =
        read(std::string("#Paraver (1/2/21 at 1:02):200_ns:1(4):") + applications + "\n");
    EXPECT_EQ(trace.ranks(), 3);
  }
}

TEST(ParaverReader, MoreThan64CountersAreAFinding) {
  std::string text = "#Paraver (1/2/21 at 1:02):200_ns:1(1):1:1(1:1)\n2:1:1:1:1:0:50000002:8";
  for (int i = 0; i < 70; ++i) text += ":" + std::to_string(42000000 + i) + ":1";
  const Trace trace = read(text + "\n2:1:1:1:1:10:50000002:0\n");
  EXPECT_EQ(trace.counters().size(), 64u);
  EXPECT_EQ(trace.findings().count(paraver::kOtherCounters), 6u);
}

TEST(ParaverReader, OldFilesCountMicroseconds) {
  const Trace trace = read(
      "#Paraver (07/05/04 at 12:26):1500:4:1:2(1:1,1:2)\n"
      "1:1:1:1:1:0:3:1\n"
      "3:1:1:1:1:3:3:2:1:2:1:3:5:100:1\n"
      "2:1:1:1:1:3:50000001:1\n"
      "2:2:1:2:1:3:50000001:2\n"
      "2:1:1:1:1:3:50000001:0\n"
      "2:2:1:2:1:5:50000001:0\n");
  EXPECT_EQ(ranks_of(trace),
            "rank 0\n  @3000 send to=1 tag=1 bytes=100\n"
            "rank 1 start=3000\n  @3000 +2000 recv from=0 tag=1 bytes=100\n");
}

TEST(ParaverReader, CommunicationWithoutEventsBecomesCalls) {
  const Trace trace = read(std::string(kTwo) +
                           "1:1:1:1:1:0:50:1\n1:2:1:2:1:0:70:1\n"
                           "3:1:1:1:1:50:60:2:1:2:1:70:90:100:1\n");
  EXPECT_EQ(trace.calls(0)[0].operation, Operation::send);
  EXPECT_EQ(trace.calls(1)[0].operation, Operation::recv);
  EXPECT_EQ(trace.calls(1)[0].end_ns, 90);
  EXPECT_EQ(trace.findings().count(paraver::kWithoutCall), 2u);
}

// Cut between two lines: only the duration in the header tells.
TEST(ParaverReader, SaysThatRecordsEndBeforeTheDuration) {
  const std::string header = "#Paraver (07/05/04 at 12:26):1000_ns:1(1):1:1(1:1),0\n";
  const std::string init = "2:1:1:1:1:0:50000003:31\n2:1:1:1:1:10:50000003:0\n";
  const std::string finalize = "2:1:1:1:1:990:50000003:32\n2:1:1:1:1:1000:50000003:0\n";
  const Trace whole = read(header + init + finalize);
  EXPECT_EQ(whole.findings().count(paraver::kEndsEarly), 0u);
  EXPECT_EQ(whole.findings().count(kNotFinalized), 0u);
  const Trace cut = read(header + init);
  EXPECT_EQ(cut.findings().count(paraver::kEndsEarly), 1u);
  EXPECT_EQ(cut.findings().count(kNotFinalized), 1u);
}

TEST(ParaverReader, BadRecordsCostThemselves) {
  const Trace trace = read(std::string(kTwo) +
                           "2:1:1:9:1:100:50000001:1\n2:1:1:1\nnonsense\n1:1:1:1:1:5:2:1\n"
                           "2:1:1:1:1:99999999999999999999:50000001:1\n# a comment\n\n"
                           "2:1:1:1:70000:5:50000001:1\n"
                           "2:1:1:1:1:100:50000002:8\n2:1:1:1:1:90:50000002:0\n"
                           "2:1:1:1:1:200:50000002:8\n2:1:1:1:1:300:50000002:8");
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 6u);
  EXPECT_EQ(trace.findings().count(kTimeBackwards), 1u);
  EXPECT_EQ(trace.findings().count(kUnfinishedCall), 2u);
  EXPECT_EQ(trace.calls(0).size(), 3u);
  EXPECT_TRUE(trace.calls(0)[2].has(SLK_FLAG_UNFINISHED));
}

TEST(ParaverReader, ThreadsKeepTheirOwnCalls) {
  const Trace trace = read(
      "#Paraver (1/2/21 at 1:02):1000_ns:1(3):1:1(2:1)\n"
      "2:1:1:1:1:10:50000002:8\n2:2:1:1:2:12:50000002:10\n2:2:1:1:2:14:50000002:0\n"
      "2:1:1:1:1:20:50000002:0\n");
  EXPECT_EQ(ranks_of(trace),
            "rank 0 start=10 stop=20\n  @10 +10 barrier\n  @12 +2 allreduce thread=1\n");
}

TEST(ParaverReader, UserFunctionsAreRegions) {
  const Trace trace = read(std::string(kTwo) +
                           "2:1:1:1:1:10:60000019:4\n2:1:1:1:1:20:60000019:5\n"
                           "2:1:1:1:1:30:50000002:8\n2:1:1:1:1:31:50000002:0\n"
                           "2:1:1:1:1:40:60000019:0\n2:1:1:1:1:50:60000019:0\n");
  EXPECT_EQ(trace.regions(), (std::vector<std::string>{"function 4", "function 5"}));
  EXPECT_EQ(trace.calls(0).regions().size(), 4u);
  EXPECT_EQ(trace.calls(0).regions()[2].region, 1u);
  EXPECT_EQ(trace.calls(0).regions()[3].before_call, 1u);
}

// Traces recorded by others, where they are at hand.
struct Epoch {
  int ranks;
  std::int64_t runtime_ns;
  double useful_mean_us;
  double useful_max_us;
};

class EpochTraces : public ::testing::TestWithParam<Epoch> {};

// Runtime and useful time as the efficiency analysis of the traces' authors gives them.
TEST_P(EpochTraces, RuntimeAndUsefulTimeAreExact) {
  const Epoch& expected = GetParam();
  const fs::path path =
      testing::shared_trace("epoch/epoch_" + std::to_string(expected.ranks) + "proc.prv.gz");
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const MappedFile file(path);
  const Trace trace = read_paraver(file.bytes(), path);
  ASSERT_EQ(trace.ranks(), expected.ranks);
  std::int64_t runtime = 0;
  double sum = 0;
  double most = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    runtime = std::max(runtime, calls.stop_ns());
    std::int64_t useful = 0;
    for (std::size_t i = 0; i <= calls.size(); ++i) useful += calls.useful_ns(i);
    sum += static_cast<double>(useful);
    most = std::max(most, static_cast<double>(useful));
  }
  EXPECT_EQ(runtime, expected.runtime_ns);
  EXPECT_NEAR(sum / expected.ranks / 1000, expected.useful_mean_us, 0.0051);
  EXPECT_NEAR(most / 1000, expected.useful_max_us, 0.0051);
  for (const auto& entry : trace.findings().entries()) {
    EXPECT_NE(entry.severity, Severity::data_loss) << entry.name;
  }
  EXPECT_EQ(trace.counters(), (std::vector<std::string>{
                                  "PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_DCM",
                                  "PAPI_L3_TCM", "PAPI_BR_INS", "PAPI_BR_MSP", "RESOURCE_STALLS"}));
  // Extrae recorded three levels of callers, and main is the outermost of few of them.
  std::uint32_t deepest = 0;
  for (std::size_t frame = 1; frame <= trace.call_tree().size(); ++frame) {
    deepest = std::max(deepest, trace.call_tree().depth(static_cast<FrameId>(frame)));
  }
  EXPECT_EQ(deepest, 3u);
}

INSTANTIATE_TEST_SUITE_P(All, EpochTraces,
                         ::testing::Values(Epoch{1, 21898659139, 21882362.82, 21882362.82},
                                           Epoch{2, 11528373565, 11456696.18, 11484151.34},
                                           Epoch{4, 6082352213, 5921167.02, 5999910.80},
                                           Epoch{8, 3513565328, 3362753.84, 3421581.67}));

// As a script counts them: what the events at the ends of running states say.
// Instructions are those that the traces' publisher states ("Useful instructions (total)").
TEST(EpochCounters, AllComputationIsCounted) {
  for (const auto& [name, instructions, misses] :
       {std::tuple{"epoch/epoch_2proc.prv.gz", std::uint64_t{87640358419},
                   std::uint64_t{1639877284}},
        std::tuple{"epoch/epoch_8proc.prv.gz", std::uint64_t{90063308642},
                   std::uint64_t{966595393}}}) {
    const fs::path path = testing::shared_trace(name);
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
    const MappedFile file(path);
    const Trace trace = read_paraver(file.bytes(), path);
    std::uint64_t counted[2] = {};
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      for (std::size_t i = 0; i <= trace.calls(r).size(); ++i) {
        counted[0] += trace.calls(r).counter(0, i);
        counted[1] += trace.calls(r).counter(2, i);
      }
    }
    EXPECT_EQ(counted[0], instructions) << name;
    EXPECT_EQ(counted[1], misses) << name;
  }
}

// The ring's program: 20 rounds of Irecv, Isend, Waitall, a send down and an answer, and so on.
TEST(RingTrace, HasWhatItsProgramDoes) {
  const fs::path path = testing::shared_trace("ring4/ring.prv");
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const MappedFile file(path);
  const Trace trace = read_paraver(file.bytes(), path);
  std::size_t receives = 0;
  for (std::int32_t r = 0; r < 4; ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Call call = calls[i];
      if (call.operation == Operation::irecv) {
        ++receives;
        EXPECT_EQ(call.peer, (r + 3) % 4);
        EXPECT_EQ(call.bytes, 70000u);
      }
      if (call.operation == Operation::waitall) {
        EXPECT_EQ(call.args.size(), 2u);
      }
      if (call.operation == Operation::wait) {
        EXPECT_NE(call.request, kRequestNone);
      }
    }
  }
  EXPECT_EQ(receives, 80u);
}

}  // namespace
}  // namespace slackline
