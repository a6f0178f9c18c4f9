// Exact volumes and round counts, from the formulas of the literature (Thakur, Rabenseifner and
// Gropp 2005; Bruck et al. 1997; Chan et al. 2007). A round: a message takes one unit of time and a
// rank sends one at a time.

#include <gtest/gtest.h>

#include <bit>

#include "graph/collectives/testing/expectations.h"

namespace slackline {
namespace {

using test::Performance;

Performance run(Operation operation, std::string_view name, std::int32_t size, std::uint64_t bytes,
                std::int32_t root = 0, std::uint32_t element_bytes = 1) {
  const CollectiveAlgorithm* algorithm = find_algorithm(operation, name);
  EXPECT_NE(algorithm, nullptr) << name;
  const CollectiveCall call{.operation = operation,
                            .size = size,
                            .root = root,
                            .bytes = bytes,
                            .element_bytes = element_bytes};
  return test::perform(test::programs(*algorithm, call), test::Sends::eager);
}

std::int64_t ceil_log2(std::int32_t n) {
  return std::bit_width(static_cast<std::uint32_t>(n - 1));
}

bool power_of_two(std::int32_t n) {
  return std::has_single_bit(static_cast<std::uint32_t>(n));
}

/// Sum over v = 1..P-1 of the number of one bits of v: how often binomial and Bruck carry a block.
std::uint64_t bits_below(std::int32_t size) {
  std::uint64_t bits = 0;
  for (std::int32_t v = 1; v < size; ++v) {
    bits += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint32_t>(v)));
  }
  return bits;
}

std::vector<std::uint64_t> each(std::int32_t size, std::uint64_t bytes) {
  return std::vector<std::uint64_t>(static_cast<std::size_t>(size), bytes);
}

class AnySize : public testing::TestWithParam<std::int32_t> {
 protected:
  std::int32_t P = GetParam();
  std::uint64_t others = static_cast<std::uint64_t>(P - 1);
};
INSTANTIATE_TEST_SUITE_P(Ranks, AnySize, testing::Values(2, 3, 5, 6, 8, 13, 16, 33, 64));

TEST_P(AnySize, DisseminationTakesLogRounds) {
  const Performance p = run(Operation::barrier, "dissemination", P, 0);
  EXPECT_EQ(p.rounds, ceil_log2(P));
  EXPECT_EQ(p.total_messages(), P * ceil_log2(P));
}

TEST_P(AnySize, BarrierTreesAndStarsSendTwoMessagesARank) {
  for (const char* name : {"tree", "linear"}) {
    EXPECT_EQ(run(Operation::barrier, name, P, 0).total_messages(), 2 * (P - 1)) << name;
  }
  EXPECT_EQ(run(Operation::barrier, "double_ring", P, 0).rounds, 2 * P);
}

TEST_P(AnySize, RecursiveDoublingBarrierPaysTwoRoundsForOtherSizes) {
  const std::int64_t expected = power_of_two(P) ? ceil_log2(P) : ceil_log2(P) - 1 + 2;
  EXPECT_EQ(run(Operation::barrier, "recursive_doubling", P, 0).rounds, expected);
}

TEST_P(AnySize, BinomialBcastSendsOneMessageARankInLogRounds) {
  for (const std::int32_t root : {0, P - 1, P / 2}) {
    const Performance p = run(Operation::bcast, "binomial", P, 1000, root);
    EXPECT_EQ(p.total_messages(), P - 1);
    EXPECT_EQ(p.rounds, ceil_log2(P));
  }
}

TEST_P(AnySize, TreesCarryTheVectorOnce) {
  for (const char* name : {"binomial", "linear", "knomial"}) {
    EXPECT_EQ(run(Operation::bcast, name, P, 1000).total_bytes(), others * 1000) << name;
  }
  for (const char* name : {"binomial", "binomial_segmented", "linear", "binary", "chain",
                           "pipeline", "in_order_binary"}) {
    const auto root = std::string_view(name) == "in_order_binary" ? P - 1 : P / 2;
    EXPECT_EQ(run(Operation::reduce, name, P, 300000, root).total_bytes(), others * 300000) << name;
  }
}

TEST_P(AnySize, SegmentsArePipelined) {
  // k segments down a line of P ranks: the last one leaves the root in round k, P - 2 hops follow.
  const Performance p = run(Operation::bcast, "chain", P, 10 * 8192);
  EXPECT_EQ(p.rounds, 10 + P - 2);
  EXPECT_EQ(p.total_messages(), 10 * (P - 1));
}

TEST_P(AnySize, ScatterAllgatherMovesTwiceTheVector) {
  // Ring: P - 1 parts to each. Scatter: a part travels as many hops as its distance has one bits.
  const std::uint64_t part = 4096;
  const auto n = part * static_cast<std::uint64_t>(P);
  EXPECT_EQ(run(Operation::bcast, "scatter_ring_allgather", P, n).total_bytes(),
            bits_below(P) * part + others * n);
}

TEST_P(AnySize, RingAllgatherSendsEachBlockRound) {
  const Performance p = run(Operation::allgather, "ring", P, 24);
  EXPECT_EQ(p.bytes_sent, each(P, others * 24));
  EXPECT_EQ(p.rounds, P - 1);
  for (const char* name :
       {"ring_nonblocking", "spread", "pairwise", "linear", "neighbor_exchange"}) {
    EXPECT_EQ(run(Operation::allgather, name, P, 24).bytes_sent, each(P, others * 24)) << name;
  }
}

TEST_P(AnySize, BruckAllgatherTakesLogRoundsForAnySize) {
  const Performance p = run(Operation::allgather, "bruck", P, 24);
  EXPECT_EQ(p.bytes_sent, each(P, others * 24));
  EXPECT_EQ(p.rounds, ceil_log2(P));
}

TEST_P(AnySize, BruckAlltoallCarriesABlockOncePerBitOfItsDistance) {
  const Performance p = run(Operation::alltoall, "bruck", P, 24);
  EXPECT_EQ(p.bytes_sent, each(P, bits_below(P) * 24));
  EXPECT_EQ(p.rounds, ceil_log2(P));
}

TEST_P(AnySize, DirectAlltoallsSendEachBlockOnce) {
  for (const char* name : {"linear", "pairwise", "ring", "scatter_dest", "scatter_dest_32"}) {
    const Performance p = run(Operation::alltoall, name, P, 24);
    EXPECT_EQ(p.bytes_sent, each(P, others * 24)) << name;
    EXPECT_EQ(p.total_messages(), P * (P - 1)) << name;
  }
}

TEST_P(AnySize, BinomialGatherAndScatterCarryWholeSubtrees) {
  for (const Operation operation : {Operation::gather, Operation::scatter}) {
    const Performance p = run(operation, "binomial", P, 24, P / 3);
    EXPECT_EQ(p.total_bytes(), bits_below(P) * 24);
    EXPECT_EQ(p.total_messages(), P - 1);
  }
}

TEST_P(AnySize, RingAllreduceMovesTheLeastPossible) {
  // One element short of a multiple of P, so that the blocks differ.
  const std::uint64_t n = 8 * (10 * static_cast<std::uint64_t>(P) - 1);
  const Performance p = run(Operation::allreduce, "ring", P, n, 0, 8);
  EXPECT_EQ(p.total_bytes(), 2 * others * n);
  EXPECT_EQ(p.rounds, 2 * (P - 1));
}

TEST_P(AnySize, ReduceScatterByRingAndPairsMovesTheLeastPossible) {
  for (const char* name : {"ring", "pairwise"}) {
    const Performance p = run(Operation::reduce_scatter_block, name, P, 24);
    EXPECT_EQ(p.bytes_sent, each(P, others * 24)) << name;
    EXPECT_EQ(p.rounds, P - 1) << name;
  }
}

TEST_P(AnySize, ScanIsALineOrLogRounds) {
  const Performance line = run(Operation::scan, "linear", P, 24);
  EXPECT_EQ(line.total_messages(), P - 1);
  EXPECT_EQ(line.rounds, P - 1);
  EXPECT_EQ(run(Operation::scan, "recursive_doubling", P, 24).rounds, ceil_log2(P));
  EXPECT_EQ(run(Operation::scan, "direct", P, 24).total_messages(), P * (P - 1) / 2);
}

class PowerOfTwo : public AnySize {
 protected:
  std::uint64_t log = static_cast<std::uint64_t>(ceil_log2(P));
  std::uint64_t n = 64 * static_cast<std::uint64_t>(P);
};
INSTANTIATE_TEST_SUITE_P(Ranks, PowerOfTwo, testing::Values(2, 4, 8, 16, 32, 64));

TEST_P(PowerOfTwo, RecursiveDoublingSendsTheVectorOnceARound) {
  const Performance p = run(Operation::allreduce, "recursive_doubling", P, n);
  EXPECT_EQ(p.bytes_sent, each(P, log * n));
  EXPECT_EQ(p.rounds, static_cast<std::int64_t>(log));
}

TEST_P(PowerOfTwo, RabenseifnerSendsTwiceTheVectorLessItsOwnPart) {
  const Performance p = run(Operation::allreduce, "rabenseifner", P, n);
  EXPECT_EQ(p.bytes_sent, each(P, 2 * (n - 64)));
  EXPECT_EQ(p.rounds, static_cast<std::int64_t>(2 * log));
  // Reduce: the same reduce-scatter, then each part but the root's travels up a binomial tree.
  const Performance reduce = run(Operation::reduce, "rabenseifner", P, n, P / 2);
  EXPECT_EQ(reduce.total_bytes(), others * n + bits_below(P) * 64);
}

TEST_P(PowerOfTwo, AllgatherByRecursiveDoublingTakesLogRounds) {
  const Performance p = run(Operation::allgather, "recursive_doubling", P, 24);
  EXPECT_EQ(p.bytes_sent, each(P, others * 24));
  EXPECT_EQ(p.rounds, static_cast<std::int64_t>(log));
}

TEST_P(PowerOfTwo, ReduceScatterByHalvingMovesTheLeastPossible) {
  for (const char* name : {"recursive_halving", "noncommutative"}) {
    const Performance p = run(Operation::reduce_scatter_block, name, P, 64);
    EXPECT_EQ(p.bytes_sent, each(P, n - 64)) << name;
    EXPECT_EQ(p.rounds, static_cast<std::int64_t>(log)) << name;
  }
}

TEST(NeighborExchange, TakesHalfAsManyRoundsAsTheRing) {
  for (const std::int32_t P : {2, 4, 6, 10, 16, 32}) {
    EXPECT_EQ(run(Operation::allgather, "neighbor_exchange", P, 24).rounds, P / 2);
  }
}

TEST(Alltoallv, MovesExactlyTheCounts) {
  for (const char* name : {"linear", "pairwise", "ring", "scatter_dest"}) {
    const test::Case c = test::make_case(Operation::alltoallv, 13, 500, 0);
    const auto p =
        test::perform(test::programs(*find_algorithm(Operation::alltoallv, name), c.call, c.own),
                      test::Sends::eager);
    for (std::size_t r = 0; r < 13; ++r) {
      std::uint64_t expected = 0;
      for (std::size_t to = 0; to < 13; ++to) {
        if (to != r) expected += static_cast<std::uint64_t>(c.own[r][to]);
      }
      EXPECT_EQ(p.bytes_sent[r], expected) << name;
    }
  }
}

TEST(Allgatherv, RingCutsLargeBlocksIntoPieces) {
  // The smallest block is empty, so pieces have 256 KiB: 600000 bytes make three, empty ones none.
  const std::vector<std::int64_t> counts{600000, 0, 8};
  CollectiveCall call{.operation = Operation::allgatherv, .size = 3, .bytes = 600000};
  call.counts = counts;
  const auto p = test::perform(test::programs(*find_algorithm(Operation::allgatherv, "ring"), call),
                               test::Sends::eager);
  EXPECT_EQ(p.messages_sent, (std::vector<std::int64_t>{3 + 1, 3, 1}));
}

TEST(GatherLinearSync, AnswersInTwoParts) {
  const Performance small = run(Operation::gather, "linear_sync", 3, 4096);
  EXPECT_EQ(small.total_messages(), 3 * 2);
  EXPECT_EQ(small.total_bytes(), 2U * 4096);
  const CollectiveCall call{.operation = Operation::gather, .size = 2, .bytes = 100000};
  const auto programs = test::programs(*find_algorithm(Operation::gather, "linear_sync"), call);
  EXPECT_EQ(programs[1][1],
            (CollectiveStep{.kind = CollectiveStep::Kind::send, .peer = 0, .bytes = 32768}));
}

}  // namespace
}  // namespace slackline
