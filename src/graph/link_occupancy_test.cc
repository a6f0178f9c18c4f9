#include "graph/link_occupancy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using testing::end_times_ns;
using testing::untimed_graph;

GraphOptions serial(std::uint64_t eager_threshold = 1 << 20) {
  return {.eager_threshold_bytes = eager_threshold, .serial_links = true};
}

/// Ends of ranks where G is 1 ns/B, L 100 ns and o 10 ns.
std::vector<std::int64_t> ends_of_ranks(int ranks, std::string_view text,
                                        const GraphOptions& options) {
  return end_times_ns(untimed_graph(ranks, text, options), 100, 10, 1);
}

// Handed over at 10, 20 and 30 ns; they leave from 10, 2010 and 4010 ns, and each is received 2000
// ns of transmission, 100 ns of latency and 10 ns of o later.
TEST(LinkOccupancy, EagerMessagesLeaveOneAfterTheOther) {
  const std::string text =
      "rank 0\n send to=1 bytes=2001\n send to=2 bytes=2001\n send to=3 bytes=2001\n"
      "rank 1\n recv from=0 bytes=2001\nrank 2\n recv from=0 bytes=2001\n"
      "rank 3\n recv from=0 bytes=2001\n";
  EXPECT_EQ(ends_of_ranks(4, text, serial()), (std::vector<std::int64_t>{30, 2120, 4120, 6120}));
  EXPECT_EQ(ends_of_ranks(4, text, {}), (std::vector<std::int64_t>{30, 2120, 2130, 2140}));
}

// A message of 1 MB in 100 pieces is as long on its way as in one, but for the first byte of each.
TEST(LinkOccupancy, PiecesOfAMessageAreNoFasterThanTheMessage) {
  const std::string whole =
      "rank 0\n send to=1 bytes=1000000\nrank 1\n recv from=0 bytes=1000000\n";
  std::string pieces = "rank 0\n";
  for (int i = 0; i < 100; ++i) pieces += " send to=1 bytes=10000\n";
  pieces += "rank 1\n";
  for (int i = 0; i < 100; ++i) pieces += " recv from=0 bytes=10000\n";
  EXPECT_EQ(ends_of_ranks(2, whole, serial())[1], 10 + 999'999 + 100 + 10);
  EXPECT_EQ(ends_of_ranks(2, pieces, serial())[1], 10 + 100 * 9999 + 100 + 10);
  EXPECT_LT(ends_of_ranks(2, pieces, {})[1], 20'000);
}

// Both directions at once take no longer than one.
TEST(LinkOccupancy, ALinkCarriesBothDirectionsAtOnce) {
  const std::string exchange =
      "rank 0\n isend to=1 bytes=2001 req=1\n recv from=1 bytes=2001\n wait req=1\n"
      "rank 1\n isend to=0 bytes=2001 req=1\n recv from=0 bytes=2001\n wait req=1\n";
  for (const std::uint64_t threshold : {std::uint64_t{1} << 20, std::uint64_t{1000}}) {
    EXPECT_EQ(ends_of_ranks(2, exchange, serial(threshold)),
              ends_of_ranks(2, exchange, {.eager_threshold_bytes = threshold}));
  }
}

// The answer cannot come before the question: nothing ever waits for a link.
TEST(LinkOccupancy, MessagesThatFollowEachOtherTakeAsLongAsBefore) {
  const std::string ping_pong =
      "rank 0\n send to=1 bytes=5000\n recv from=1 bytes=5000\n send to=1 bytes=5000\n"
      "rank 1\n recv from=0 bytes=5000\n send to=0 bytes=5000\n recv from=0 bytes=5000\n";
  for (const std::uint64_t threshold : {std::uint64_t{1} << 20, std::uint64_t{1000}}) {
    for (const Rendezvous protocol :
         {Rendezvous::handshake, Rendezvous::rdma_read, Rendezvous::sync, Rendezvous::loggopsim}) {
      GraphOptions options = serial(threshold);
      options.rendezvous = protocol;
      GraphOptions unlimited = options;
      unlimited.serial_links = false;
      EXPECT_EQ(ends_of_ranks(2, ping_pong, options), ends_of_ranks(2, ping_pong, unlimited))
          << to_string(protocol);
    }
  }
}

// Posted at 10 and 20 ns, 2000 ns each: neither send can be through before 4010 ns. One of them
// alone would be at 240 + 2000.
TEST(LinkOccupancy, SendsOfARendezvousThatAreCompletedTogetherShareTheLink) {
  const std::string text =
      "rank 0\n isend to=1 bytes=2001 req=1\n isend to=2 bytes=2001 req=2\n waitall reqs=1,2\n"
      "rank 1\n recv from=0 bytes=2001\nrank 2\n recv from=0 bytes=2001\n";
  EXPECT_EQ(ends_of_ranks(3, text, serial(1000))[0], 4010);
  EXPECT_EQ(ends_of_ranks(3, text, {.eager_threshold_bytes = 1000})[0], 20 + 220 + 2000);
}

// The same where each is waited for by itself, in the order of posting.
TEST(LinkOccupancy, SendsOfARendezvousThatAreCompletedInOrderShareTheLink) {
  const std::string text =
      "rank 0\n isend to=1 bytes=2001 req=1\n isend to=2 bytes=2001 req=2\n wait req=1\n"
      " wait req=2\nrank 1\n recv from=0 bytes=2001\nrank 2\n recv from=0 bytes=2001\n";
  EXPECT_EQ(ends_of_ranks(3, text, serial(1000))[0], 4010);
}

// Receives are posted at 0 ns, so their data begin to arrive after 10 ns at the earliest.
TEST(LinkOccupancy, ReceivesOfARendezvousShareTheLink) {
  const std::string text =
      "rank 0\n irecv from=1 bytes=2001 req=1\n irecv from=2 bytes=2001 req=2\n"
      " irecv from=3 bytes=2001 req=3\n waitall reqs=1..3\n"
      "rank 1\n send to=0 bytes=2001\nrank 2\n send to=0 bytes=2001\n"
      "rank 3\n send to=0 bytes=2001\n";
  EXPECT_EQ(ends_of_ranks(4, text, serial(1000))[0], 10 + 3 * 2000 + 10);
}

// A sender whose receiver is late does not hold up the other message: only what is completed
// together has to be through.
TEST(LinkOccupancy, AMessageThatWaitsForItsReceiverHoldsUpNoOther) {
  const std::string text =
      "rank 0\n isend to=1 bytes=2001 req=1\n isend to=2 bytes=2001 req=2\n wait req=2\n"
      " send to=2 bytes=1\n wait req=1\n"
      "rank 1\n compute 900000\n recv from=0 bytes=2001\n"
      "rank 2\n recv from=0 bytes=2001\n recv from=0 bytes=1\n";
  for (const bool links : {false, true}) {
    GraphOptions options = serial(1000);
    options.serial_links = links;
    EXPECT_LT(ends_of_ranks(3, text, options)[2], 3000);  // 2001 bytes, and the answer to them
  }
}

// What was posted after everything before was through finds the link free.
TEST(LinkOccupancy, ExchangesThatFollowEachOtherDoNotWaitForOldOnes) {
  const std::string once =
      " isend to=1 bytes=2001 req=1\n isend to=2 bytes=2001 req=2\n waitall reqs=1,2\n";
  const std::string receive = " recv from=0 bytes=2001\n";
  const std::string text = "rank 0\n" + once + " compute 50000\n" + once + "rank 1\n" + receive +
                           receive + "rank 2\n" + receive + receive;
  EXPECT_EQ(ends_of_ranks(3, text, serial(1000))[0], 4010 + 50000 + 4010);
}

// Transfers under a lock leave like messages: three need the link for 30 us.
TEST(LinkOccupancy, TransfersUnderALockLeaveOneAfterTheOther) {
  const std::string put = " put target=1 bytes=10001\n";
  const std::string text =
      "rank 0\n win_lock target=1\n" + put + put + put + " win_unlock target=1\nrank 1\n";
  EXPECT_GT(ends_of_ranks(2, text, serial())[0], 30'000);
  EXPECT_LT(ends_of_ranks(2, text, {})[0], 12'000);
}

TEST(LinkOccupancy, ShortMessagesLeaveTheGraphAsItIs) {
  const std::string text =
      "rank 0\n send to=1 bytes=1024\n send to=1 bytes=1024\n"
      "rank 1\n recv from=0 bytes=1024\n recv from=0 bytes=1024\n";
  EXPECT_EQ(untimed_graph(2, text, serial()).vertex_count(), untimed_graph(2, text).vertex_count());
}

// Where ranks run on nodes, bytes are paid for between the two ranks that exchange them.
TEST(LinkOccupancy, ALinkIsUsedBetweenTheRanksOfItsMessage) {
  const ExecutionGraph graph =
      untimed_graph(4,
                    "rank 0\n send to=1 bytes=2001\n send to=2 bytes=3001\n send to=3 bytes=4001\n"
                    "rank 1\n recv from=0 bytes=2001\nrank 2\n recv from=0 bytes=3001\n"
                    "rank 3\n recv from=0 bytes=4001\n",
                    serial());
  int within = 0;
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      if (e.bytes == 0 || e.latencies > 0) return;
      const RankPair pair = graph.pair_of(e, graph.rank(e.from), graph.rank(v));
      EXPECT_EQ(pair.from, 0);
      EXPECT_EQ(pair.to, e.bytes == 2001 ? 1 : 2);
      ++within;
    });
  }
  EXPECT_EQ(within, 2);
}

}  // namespace
}  // namespace slackline
