#include "graph/build.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/message_table.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::timed_trace;
using testing::untimed_graph;

/// L = 1000, o = 10, G = 1 ns: each part of a sum shows in its own digits.
std::vector<std::int64_t> ends_ns(const ExecutionGraph& graph) {
  return testing::end_times_ns(graph, 1000, 10, 1);
}

std::vector<std::int64_t> ends_ns(int ranks, std::string_view text,
                                  const GraphOptions& options = {}) {
  const ExecutionGraph graph = untimed_graph(ranks, text, options);
  EXPECT_THAT(graph.findings().entries(), IsEmpty());
  return ends_ns(graph);
}

std::vector<std::string> findings_of(const ExecutionGraph& graph) {
  std::vector<std::string> names;
  for (const auto& f : graph.findings().entries()) names.push_back(f.name);
  return names;
}

GraphOptions rendezvous(Rendezvous protocol, std::uint64_t threshold = 0) {
  GraphOptions options;
  options.eager_threshold_bytes = threshold;
  options.rendezvous = protocol;
  return options;
}

// --- Eager messages ---

TEST(Build, BlockingSendAndReceive) {
  // Sender o = 10; receiver 10 + 1000 + 4 + 10.
  EXPECT_THAT(ends_ns(2, "rank 0\n send to=1 bytes=5\nrank 1\n recv from=0 bytes=5\n"),
              ElementsAre(10, 1024));
}

TEST(Build, ALateReceiverPaysOnlyItsOverhead) {
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n send to=1 bytes=5\n"
                      "rank 1\n compute 5000\n recv from=0 bytes=5\n"),
              ElementsAre(10, 5010));
}

TEST(Build, SendModesAreEagerBelowTheThreshold) {
  for (const char* mode : {"send", "bsend", "rsend"}) {
    EXPECT_THAT(ends_ns(2, "rank 0\n " + std::string(mode) +
                               " to=1 bytes=5\nrank 1\n compute 5000\n recv from=0 bytes=5\n"),
                ElementsAre(10, 5010))
        << mode;
  }
}

TEST(Build, NonblockingCallsCompleteInTheirWait) {
  // isend costs o at once, its wait nothing; irecv costs nothing, its wait until 10 + 1000 + 10.
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n isend to=1 bytes=1 req=1\n compute 70\n wait req=1\n"
                      "rank 1\n irecv from=0 bytes=1 req=9\n compute 500\n wait req=9\n compute 7\n"
                      " pcontrol\n"),
              ElementsAre(80, 1027));
}

TEST(Build, AReceivePostedEarlyCompletesNoEarlierThanItsOverhead) {
  // The message from oneself: sent at 10, receive posted at 10, complete at 20. Posting at 0 and
  // completing at 20 too, because the send's o passed in between.
  EXPECT_THAT(ends_ns(1,
                      "rank 0\n isend to=0 bytes=1 req=1\n irecv from=0 bytes=1 req=2\n"
                      " waitall reqs=1,2\n"),
              ElementsAre(20));
  EXPECT_THAT(ends_ns(1,
                      "rank 0\n irecv from=0 bytes=1 req=2\n isend to=0 bytes=1 req=1\n"
                      " waitall reqs=1,2\n"),
              ElementsAre(20));
}

TEST(Build, SelfMessagesCrossNoNetwork) {
  for (const Rendezvous p :
       {Rendezvous::handshake, Rendezvous::rdma_read, Rendezvous::sync, Rendezvous::loggopsim}) {
    const ExecutionGraph graph = untimed_graph(
        1, "rank 0\n irecv from=0 bytes=999 req=1\n send to=0 bytes=999\n wait req=1\n",
        rendezvous(p));
    EXPECT_THAT(testing::end_times_ns(graph, 1000, 0, 1), ElementsAre(0)) << to_string(p);
  }
}

TEST(Build, WaitallTakesTheLatestOfItsReceivesEachWithItsOverheadBeside) {
  // Ten messages that arrived long ago: all complete at 50'000 + o, not + 10 o (no CPU
  // serialisation in the DAG model).
  std::string text = "rank 0\n";
  for (int i = 0; i < 10; ++i) text += " send to=1 bytes=1\n";
  text += "rank 1\n compute 50000\n";
  for (int i = 0; i < 10; ++i) text += " irecv from=0 bytes=1 req=" + std::to_string(i + 1) + "\n";
  EXPECT_THAT(ends_ns(2, text + " waitall reqs=1..10\n"), ElementsAre(100, 50'010));
}

TEST(Build, SendrecvPostsBothAndWaitsForBoth) {
  // Both post at 0 and 100: rank 0 gets its message at 100 + 10 + 1000 + 10.
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n sendrecv to=1 bytes=1 from=1 rbytes=1\n"
                      "rank 1\n compute 100\n sendrecv to=0 bytes=1 from=0 rbytes=1\n"),
              ElementsAre(1120, 1020));
}

TEST(Build, SendrecvWithANullSideIsHalfACall) {
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n sendrecv to=1 bytes=1 from=null\n"
                      "rank 1\n sendrecv to=null from=0 rbytes=1\n"),
              ElementsAre(10, 1020));
}

TEST(Build, PersistentRequestsStartAgain) {
  // Each start sends anew: o a start, two messages.
  const ExecutionGraph graph =
      untimed_graph(2,
                    "rank 0\n send_init to=1 bytes=1 req=1\n start starts=1:send_init:1:0:1\n"
                    " wait req=1\n compute 5\n start starts=1:send_init:1:0:1\n wait req=1\n"
                    "rank 1\n startall starts=1:recv_init:0:0:1,2:recv_init:0:0:1\n"
                    " waitall reqs=1,2\n");
  EXPECT_EQ(graph.message_count(), 2u);
  EXPECT_THAT(ends_ns(graph), ElementsAre(25, 1035));
}

TEST(Build, MessagesOfAChannelDoNotOvertake) {
  // The first receive posted gets the first message (100 ns late), whichever is waited for first.
  EXPECT_THAT(
      ends_ns(2,
              "rank 0\n compute 100\n send to=1 bytes=1\n compute 5000\n send to=1 bytes=1\n"
              "rank 1\n irecv from=0 req=1\n irecv from=0 req=2\n wait req=1\n pack\n"),
      ElementsAre(5120, 1120));
  EXPECT_THAT(
      ends_ns(2,
              "rank 0\n compute 100\n send to=1 bytes=1\n compute 5000\n send to=1 bytes=1\n"
              "rank 1\n irecv from=0 req=1\n irecv from=0 req=2\n wait req=2\n pack\n"),
      ElementsAre(5120, 6130));
}

TEST(Build, TagsAndCommunicatorsAreChannelsOfTheirOwn) {
  // The receive of tag 2 on communicator 2 gets the third message.
  EXPECT_THAT(ends_ns(2,
                      "comm 2 members=0,1\n"
                      "rank 0\n send to=1 tag=1\n send to=1 tag=2\n send to=1 tag=2 comm=2\n"
                      "rank 1\n irecv from=0 tag=1 req=1\n irecv from=0 tag=2 req=2\n"
                      " recv from=0 tag=2 comm=2\n"),
              ElementsAre(30, 1040));
}

TEST(Build, WildcardsMatchWhatTheyGot) {
  // Rank 2's message came first although rank 1 sent earlier: the trace says so.
  EXPECT_THAT(ends_ns(3,
                      "rank 0\n recv from=2 any_source\n compute 1\n recv from=1 any_source\n"
                      "rank 1\n send to=0\nrank 2\n compute 500\n send to=0\n"),
              ElementsAre(1531, 10, 510));
}

TEST(Build, FailedPollsAndOtherLocalCallsCostNothing) {
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n send to=1 bytes=1\n"
                      "rank 1\n irecv from=0 req=1\n test polls=9 inside=900 failed\n pack\n"
                      " iprobe from=any polls=2 inside=3 failed\n test req=1\n"),
              ElementsAre(10, 1020));
}

TEST(Build, AProbeWaitsForArrivalAndLeavesTheMessage) {
  // Arrival at 10 + 1000 + 4, without o; the receive then pays its o.
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n send to=1 bytes=5\n"
                      "rank 1\n probe from=0\n compute 6\n recv from=0 bytes=5\n"),
              ElementsAre(10, 1030));
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n send to=1 bytes=5\n"
                      "rank 1\n mprobe from=0\n mrecv from=0 bytes=5\n"),
              ElementsAre(10, 1024));
}

TEST(Build, AProbeSkipsMessagesThatAReceiveHasTaken) {
  // The receive posted before takes the first message; the probe waits for the second, also when
  // the first one passes through the queue while it waits.
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n send to=1 bytes=1\n compute 700\n send to=1 bytes=1\n"
                      "rank 1\n irecv from=0 req=1\n probe from=0\n recv from=0\n wait req=1\n"),
              ElementsAre(720, 1730));
  EXPECT_THAT(
      findings_of(untimed_graph(2,
                                "rank 0\n irecv from=1 req=1\n probe from=1\n recv from=1\n pack\n"
                                "rank 1\n ssend to=0\n ssend to=0\n",
                                rendezvous(Rendezvous::sync))),
      IsEmpty());
}

// --- Rendezvous: L = 1000, o = 10, 5 bytes cost 4; the receive is posted at 0 or late at 5000 ---

constexpr std::string_view kEarly = "rank 0\n send to=1 bytes=5\nrank 1\n recv from=0 bytes=5\n";
constexpr std::string_view kLate =
    "rank 0\n send to=1 bytes=5\nrank 1\n compute 5000\n recv from=0 bytes=5\n";

TEST(Build, HandshakeHasThreeCrossings) {
  // a = 10 + 1000; m = a + 10 = 1020; d = m + 1000 + 10 = 2030; sender d + 4, receiver
  // d + 1000 + 4 + 10.
  EXPECT_THAT(ends_ns(2, kEarly, rendezvous(Rendezvous::handshake)), ElementsAre(2034, 3044));
  // m = 5010; d = 6020.
  EXPECT_THAT(ends_ns(2, kLate, rendezvous(Rendezvous::handshake)), ElementsAre(6024, 7034));
}

TEST(Build, RdmaReadEndsWithAnAcknowledgement) {
  // m = 1020; receiver m + 2000 + 4 + 10 = 3034; sender 3034 + 1000 + 10.
  EXPECT_THAT(ends_ns(2, kEarly, rendezvous(Rendezvous::rdma_read)), ElementsAre(4044, 3034));
  EXPECT_THAT(ends_ns(2, kLate, rendezvous(Rendezvous::rdma_read)), ElementsAre(8034, 7024));
}

TEST(Build, SyncReturnsTheSenderWithTheReceiver) {
  EXPECT_THAT(ends_ns(2, kEarly, rendezvous(Rendezvous::sync)), ElementsAre(1024, 1024));
  EXPECT_THAT(ends_ns(2, kLate, rendezvous(Rendezvous::sync)), ElementsAre(5010, 5010));
}

TEST(Build, LoggopsimReturnsTheSenderAtTheMatch) {
  // The match: request there (1010) and receive posted (0 or 5000).
  EXPECT_THAT(ends_ns(2, kEarly, rendezvous(Rendezvous::loggopsim)), ElementsAre(1010, 1024));
  EXPECT_THAT(ends_ns(2, kLate, rendezvous(Rendezvous::loggopsim)), ElementsAre(5000, 5010));
}

TEST(Build, TheThresholdItselfIsEager) {
  EXPECT_THAT(ends_ns(2, kEarly, rendezvous(Rendezvous::handshake, 5)), ElementsAre(10, 1024));
  EXPECT_THAT(ends_ns(2, kEarly, rendezvous(Rendezvous::handshake, 4)), ElementsAre(2034, 3044));
}

TEST(Build, SynchronousAndBufferedSendsDisregardTheThreshold) {
  EXPECT_THAT(ends_ns(2, "rank 0\n ssend to=1\nrank 1\n compute 5000\n recv from=0\n",
                      rendezvous(Rendezvous::sync, 1000)),
              ElementsAre(5010, 5010));
  EXPECT_THAT(
      ends_ns(2, "rank 0\n bsend to=1 bytes=99\nrank 1\n compute 5000\n recv from=0 bytes=99\n",
              rendezvous(Rendezvous::sync, 0)),
      ElementsAre(10, 5010));
}

TEST(Build, ProbeOfARendezvousWaitsForItsRequest) {
  // The request (no payload) is there at 1010; the receive posted then answers.
  EXPECT_THAT(
      ends_ns(2, "rank 0\n send to=1 bytes=5\nrank 1\n probe from=0\n recv from=0 bytes=5\n",
              rendezvous(Rendezvous::handshake)),
      ElementsAre(2034, 3044));
}

TEST(Build, IsendOverTheThresholdOverlapsWithComputation) {
  // The transfer ends at 2034 for the sender while it computes until 3010.
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n isend to=1 bytes=5 req=1\n compute 3000\n wait req=1\n"
                      "rank 1\n recv from=0 bytes=5\n",
                      rendezvous(Rendezvous::handshake)),
              ElementsAre(3010, 3044));
}

TEST(Build, ProtocolsHaveNames) {
  for (const Rendezvous p :
       {Rendezvous::handshake, Rendezvous::rdma_read, Rendezvous::sync, Rendezvous::loggopsim}) {
    EXPECT_EQ(parse_rendezvous(to_string(p)), p);
  }
  EXPECT_THROW(parse_rendezvous("telepathy"), Error);
}

// --- Collectives ---

TEST(Build, ABlockingCollectiveIsItsMessages) {
  // Linear bcast from rank 0 to two others: sends at 10 and 20.
  GraphOptions options;
  options.collectives.add("bcast=linear");
  const std::string call = " bcast root=0 bytes=5 elem=1\n";
  EXPECT_THAT(ends_ns(3, "rank 0\n" + call + "rank 1\n" + call + "rank 2\n" + call, options),
              ElementsAre(20, 1024, 1034));
}

TEST(Build, CollectivesWithOneMemberOrOnOneselfDoNothing) {
  const ExecutionGraph graph =
      untimed_graph(2,
                    "comm 2 members=1\n"
                    "rank 0\n barrier comm=self\n ibarrier comm=self req=1\n wait req=1\n"
                    "rank 1\n allreduce bytes=8 comm=2\n");
  EXPECT_EQ(graph.message_count(), 0u);
  EXPECT_THAT(ends_ns(graph), ElementsAre(0, 0));
}

TEST(Build, ANonblockingCollectiveProgressesBesideItsRank) {
  GraphOptions options;
  options.collectives.add("bcast=linear");
  // The root's two sends run beside its 15 ns of computation; the wait returns at 20.
  EXPECT_THAT(ends_ns(3,
                      "rank 0\n ibcast root=0 bytes=5 elem=1 req=1\n compute 15\n wait req=1\n"
                      "rank 1\n ibcast root=0 bytes=5 elem=1 req=1\n compute 4000\n wait req=1\n"
                      "rank 2\n ibcast root=0 bytes=5 elem=1 req=1\n compute 500\n wait req=1\n",
                      options),
              ElementsAre(20, 4000, 1034));
}

TEST(Build, ANonblockingCollectiveNeverWaitedForHoldsNobody) {
  GraphOptions options;
  options.collectives.add("bcast=linear");
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n ibcast root=0 bytes=1 elem=1 req=1\n compute 3\n pcontrol\n"
                      "rank 1\n compute 9000\n ibcast root=0 bytes=1 elem=1 req=1\n wait req=1\n",
                      options),
              ElementsAre(3, 9010));
}

TEST(Build, SideContextsLieBesideTheMainPath) {
  const ExecutionGraph graph = untimed_graph(
      2, "rank 0\n ibarrier req=1\n wait req=1\nrank 1\n ibarrier req=1\n wait req=1\n");
  for (std::int32_t r = 0; r < 2; ++r) {
    for (VertexId v = graph.last_vertex(r); graph.in_degree(v) > 0; v = graph.in_edge(v, 0).from) {
      EXPECT_TRUE(graph.on_main_path(v));
      EXPECT_EQ(graph.rank(v), r);
    }
  }
  std::size_t beside = 0;
  for (VertexId v = 0; v < graph.vertex_count(); ++v) beside += graph.on_main_path(v) ? 0 : 1;
  EXPECT_GE(beside, 4u);  // a send and a receive on each rank at least
}

TEST(Build, EdgesLeadForward) {
  const ExecutionGraph graph = untimed_graph(
      3,
      "rank 0\n allreduce bytes=80000 elem=8\n sendrecv to=1 bytes=9 from=2 rbytes=9\n"
      "rank 1\n allreduce bytes=80000 elem=8\n sendrecv to=2 bytes=9 from=0 rbytes=9\n"
      "rank 2\n allreduce bytes=80000 elem=8\n sendrecv to=0 bytes=9 from=1 rbytes=9\n",
      rendezvous(Rendezvous::rdma_read));
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    graph.for_in_edges(v, [&](const Edge& e) { EXPECT_LT(e.from, v); });
  }
}

// --- Where ranks begin and end ---

TEST(Build, TimeBeginsWhenTheFirstRankLeavesInitAndEndsAtFinalize) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @0 +100 init\n @150 +5 barrier comm=self\n"
                                  " @200 +30 finalize\n @500 barrier comm=self\n"
                                  "rank 1\n @0 +130 init\n @190 +9 finalize\n");
  // Rank 0: 50 + 45 of computation. Rank 1 began 30 later and computed 60.
  EXPECT_THAT(ends_ns(build_graph(trace, {})), ElementsAre(95, 90));
}

TEST(Build, ComputationAfterTheLastCallBelongsToARunWithoutFinalize) {
  const Trace trace = timed_trace(2,
                                  "rank 0 unfinalized stop=300\n @0 +100 init\n"
                                  " @150 +5 barrier comm=self\n"
                                  "rank 1 unfinalized stop=250\n @0 +100 init\n");
  // 50 before the barrier and 145 after it; rank 1 does nothing but compute.
  EXPECT_THAT(ends_ns(build_graph(trace, {})), ElementsAre(195, 150));
}

TEST(Build, EmptyRanksTakeNoTime) {
  const ExecutionGraph graph = untimed_graph(2, "rank 0\n compute 5\n pcontrol\nrank 1\n");
  EXPECT_THAT(ends_ns(graph), ElementsAre(5, 0));
  EXPECT_EQ(graph.ranks(), 2);
}

// --- Defects of the trace ---

TEST(Build, AnUnmatchedReceiveWaitsForNothing) {
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n compute 5\n recv from=1\n compute 6\n pcontrol\nrank 1\n");
  EXPECT_THAT(findings_of(graph), ElementsAre("unmatched_receive"));
  EXPECT_EQ(graph.findings().entries()[0].severity, Severity::data_loss);
  EXPECT_THAT(graph.findings().entries()[0].examples,
              ElementsAre(::testing::HasSubstr("rank 0, call 0 (recv): from rank 1, tag 0")));
  EXPECT_THAT(ends_ns(graph), ElementsAre(11, 0));
}

TEST(Build, AnUnmatchedSendIsCounted) {
  const ExecutionGraph graph = untimed_graph(2, "rank 0\n send to=1 bytes=7\nrank 1\n pcontrol\n");
  EXPECT_THAT(findings_of(graph), ElementsAre("unmatched_send"));
  EXPECT_THAT(ends_ns(graph), ElementsAre(10, 0));
}

TEST(Build, AnUnmatchedRendezvousSendIsReleased) {
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n send to=1 bytes=7\n compute 3\n pcontrol\nrank 1\n pcontrol\n",
                    rendezvous(Rendezvous::handshake));
  EXPECT_THAT(findings_of(graph), ElementsAre("unmatched_send"));
  EXPECT_THAT(ends_ns(graph), ElementsAre(13, 0));
}

TEST(Build, AProbeWithoutMessageIsReleased) {
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n probe from=1\n compute 3\n pcontrol\nrank 1\n");
  EXPECT_THAT(findings_of(graph), ElementsAre("unmatched_receive"));
  EXPECT_THAT(ends_ns(graph), ElementsAre(3, 0));
}

TEST(Build, AReleasedReceiveTakesNoLaterMessage) {
  // Rank 0 waits for rank 1 and rank 1 for rank 0; the receive posted first (rank 1's) is given up,
  // and the message that rank 0 then sends goes to rank 1's second receive.
  const ExecutionGraph graph = untimed_graph(2,
                                             "rank 0\n compute 50\n recv from=1\n send to=1\n"
                                             "rank 1\n recv from=0\n send to=0\n recv from=0\n");
  EXPECT_THAT(findings_of(graph), ElementsAre("unmatched_receive"));
  EXPECT_EQ(graph.message_count(), 2u);
  // Rank 1 sends at 0; rank 0 gets it at 1020 and sends; rank 1 gets that at 1030 + 1000 + 10.
  EXPECT_THAT(ends_ns(graph), ElementsAre(1030, 2040));
}

TEST(Build, SendersOverTheThresholdThatWaitForEachOtherAreModelledAsEager) {
  const std::string_view head_to_head =
      "rank 0\n send to=1 bytes=9\n recv from=1 bytes=9\n"
      "rank 1\n send to=0 bytes=9\n recv from=0 bytes=9\n";
  const ExecutionGraph graph = untimed_graph(2, head_to_head, rendezvous(Rendezvous::handshake, 8));
  EXPECT_THAT(findings_of(graph), ElementsAre("rendezvous_deadlock"));
  EXPECT_EQ(graph.findings().entries()[0].count, 2u);
  EXPECT_THAT(findings_of(untimed_graph(2, head_to_head, rendezvous(Rendezvous::handshake, 9))),
              IsEmpty());
}

// What may be buffered is given up before what never is.
TEST(Build, SynchronousSendersThatWaitForEachOtherAreADeadlock) {
  const GraphOptions options = rendezvous(Rendezvous::handshake, 8);
  const auto head_to_head = [&](std::string_view first, std::string_view second) {
    return untimed_graph(2,
                         fmt::format("rank 0\n {} to=1 bytes=9\n recv from=1 bytes=9\n"
                                     "rank 1\n {} to=0 bytes=9\n recv from=0 bytes=9\n",
                                     first, second),
                         options);
  };
  EXPECT_THAT(findings_of(head_to_head("ssend", "ssend")), ElementsAre("synchronous_deadlock"));
  const ExecutionGraph mixed = head_to_head("ssend", "send");
  EXPECT_THAT(findings_of(mixed), ElementsAre("rendezvous_deadlock"));
  EXPECT_EQ(mixed.findings().entries()[0].count, 1u);
}

TEST(Build, ARingOfSendersIsReleasedToo) {
  std::string text;
  for (int r = 0; r < 5; ++r) {
    text += "rank " + std::to_string(r) + "\n send to=" + std::to_string((r + 1) % 5) +
            " bytes=9\n recv from=" + std::to_string((r + 4) % 5) + " bytes=9\n";
  }
  const ExecutionGraph graph = untimed_graph(5, text, rendezvous(Rendezvous::sync));
  EXPECT_THAT(findings_of(graph), ElementsAre("rendezvous_deadlock"));
  EXPECT_EQ(graph.message_count(), 5u);
}

TEST(Build, ACollectiveThatOneRankNeverEntersRunsAmongTheOthers) {
  GraphOptions options;
  options.collectives.add("bcast=linear");
  const std::string call = " bcast root=0 bytes=5 elem=1\n";
  const ExecutionGraph graph = untimed_graph(
      3, "rank 0\n" + call + "rank 1\n compute 8\n pcontrol\nrank 2\n" + call, options);
  EXPECT_THAT(findings_of(graph), ElementsAre("collective_incomplete"));
  EXPECT_THAT(ends_ns(graph), ElementsAre(10, 8, 1024));
}

TEST(Build, ARankThatIsMissingLeavesTheOthersResult) {
  const Trace trace = timed_trace(3,
                                  "rank 0\n @0 +1 init\n @11 send to=1\n @11 recv from=2\n"
                                  " @30 finalize\n"
                                  "rank 1\n @0 +1 init\n @21 recv from=0\n @30 finalize\n"
                                  "rank 2 absent\n");
  const ExecutionGraph graph = build_graph(trace, {});
  EXPECT_THAT(findings_of(graph), ElementsAre("unmatched_receive"));
  EXPECT_EQ(graph.message_count(), 1u);
  EXPECT_THAT(ends_ns(graph), ElementsAre(39, 1039, 0));
}

TEST(Build, CancelledAndNullCallsAreNoMessages) {
  const ExecutionGraph graph = untimed_graph(
      2,
      "rank 0\n irecv from=any req=1 any_source cancelled\n cancel req=1\n wait req=1\n"
      " send to=null bytes=8\n recv from=null\n irecv from=null req=2\n wait req=2\n"
      "rank 1\n");
  EXPECT_THAT(findings_of(graph), IsEmpty());
  EXPECT_EQ(graph.message_count(), 0u);
  EXPECT_THAT(ends_ns(graph), ElementsAre(0, 0));
}

TEST(Build, AFreedRequestIsNotWaitedFor) {
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n isend to=1 bytes=9 req=1\n request_free req=1\n"
                      "rank 1\n compute 7000\n recv from=0 bytes=9\n",
                      rendezvous(Rendezvous::sync)),
              ElementsAre(10, 7010));
  // And its number may come again.
  EXPECT_THAT(ends_ns(2,
                      "rank 0\n isend to=1 req=1\n request_free req=1\n isend to=1 req=1\n"
                      " wait req=1\nrank 1\n recv from=0\n recv from=0\n"),
              ElementsAre(20, 1030));
}

TEST(Build, AWildcardThatGotNothingIsLeftOut) {
  const ExecutionGraph graph =
      untimed_graph(1, "rank 0\n irecv from=any tag=any req=1 any_source\n compute 4\n pcontrol\n");
  EXPECT_THAT(findings_of(graph), ElementsAre("unresolved_wildcard"));
  EXPECT_THAT(ends_ns(graph), ElementsAre(4));
}

TEST(Build, PeersAndCommunicatorsThatDoNotExistAreLeftOut) {
  const ExecutionGraph graph = untimed_graph(
      2, "rank 0\n send to=7\n recv from=7\n barrier comm=9\n compute 4\n pcontrol\nrank 1\n");
  EXPECT_THAT(findings_of(graph), ElementsAre("bad_peer", "bad_communicator"));
  EXPECT_THAT(ends_ns(graph), ElementsAre(4, 0));
}

TEST(Build, WhatIsNotModelledIsSaid) {
  const ExecutionGraph graph =
      untimed_graph(1, "rank 0\n win_create\n put target=0 bytes=8\n file_write bytes=8\n");
  EXPECT_THAT(findings_of(graph), ElementsAre("one_sided_not_modelled", "io_as_measured"));
}

TEST(Build, CompletingAnUnknownRequestIsIgnored) {
  const ExecutionGraph graph = untimed_graph(1, "rank 0\n wait req=77\n compute 4\n pcontrol\n");
  EXPECT_THAT(ends_ns(graph), ElementsAre(4));
}

TEST(Build, MessagesOfCollectivesAreNamedByTheCall) {
  const ExecutionGraph graph = untimed_graph(
      2, "rank 0\n barrier\n bcast root=0 bytes=9\nrank 1\n barrier\n recv from=0 tag=7\n");
  for (const auto& finding : graph.findings().entries()) {
    for (const std::string& example : finding.examples) {
      EXPECT_THAT(example, ::testing::Not(::testing::HasSubstr("tag -")));
    }
  }
  EXPECT_EQ(describe_tag({.tag = 7}), "tag 7");
  EXPECT_EQ(describe_tag({.tag = collective_tag(2), .comm = 5}), "collective 3 on communicator 5");
}

// --- Threads ---

// Thread 0 of each rank waits for what thread 1 of the other sends later: in the order of the
// calls alone, both ranks would wait for ever.
TEST(Build, AWaitingThreadDoesNotHoldTheOthers) {
  const ExecutionGraph graph = build_graph(timed_trace(2,
                                                       "rank 0\n"
                                                       " @0 +100 recv from=1 bytes=4\n"
                                                       " @10 +20 send to=1 tag=1 bytes=4 thread=1\n"
                                                       "rank 1\n"
                                                       " @0 +40 recv from=0 tag=1 bytes=4\n"
                                                       " @5 +90 allreduce comm=self thread=1\n"
                                                       " @50 +10 send to=0 bytes=4\n"),
                                           {});
  EXPECT_THAT(findings_of(graph), IsEmpty());
  EXPECT_EQ(graph.message_count(), 2u);
}

TEST(Build, CollectivesOfThreadsRunSideBySide) {
  const ExecutionGraph graph = build_graph(timed_trace(2,
                                                       "comm 2 members=0,1\n"
                                                       "comm 3 members=0,1\n"
                                                       "rank 0\n"
                                                       " @0 +100 barrier comm=2\n"
                                                       " @10 +100 barrier comm=3 thread=1\n"
                                                       "rank 1\n"
                                                       " @0 +100 barrier comm=3\n"
                                                       " @10 +100 barrier comm=2 thread=1\n"),
                                           {});
  EXPECT_THAT(findings_of(graph), IsEmpty());
}

TEST(Build, CallsThatOneThreadProbesForWhileAnotherSends) {
  const ExecutionGraph graph = build_graph(timed_trace(2,
                                                       "rank 0\n"
                                                       " @0 +50 probe from=1 bytes=4\n"
                                                       " @10 +20 send to=1 tag=1 bytes=4 thread=1\n"
                                                       " @60 +10 recv from=1 bytes=4\n"
                                                       "rank 1\n"
                                                       " @0 +40 recv from=0 tag=1 bytes=4\n"
                                                       " @45 +10 send to=0 bytes=4\n"),
                                           {});
  EXPECT_THAT(findings_of(graph), IsEmpty());
}

}  // namespace
}  // namespace slackline
