// Open MPI's decision: which algorithm its "tuned" component takes for an operation, by the number
// of ranks and the size (fixed decisions of Open MPI 4.1).
//
// The first row for more ranks than the call has decides, by size: "ring<8 rabenseifner" is ring
// below 8 bytes, else rabenseifner. A size is that of the vector; of one block for alltoall,
// allgather, gather and scatter; the mean block for allgatherv; all blocks together for
// reduce_scatter. Where SimGrid's transcription of the tables
// (src/smpi/colls/smpi_openmpi_selector.cpp) replaces an algorithm of Open MPI by another one, so
// do these rows: basic linear broadcast is chain, chain broadcast pipeline, linear_sync and
// two_proc alltoall linear, double ring barrier and Rabenseifner's reduce linear.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"
#include "graph/collectives/algorithms.h"
#include "graph/collectives/decision_rules.h"

namespace slackline::collectives {

namespace {

constexpr RankRow kAllreduce[] = {
    {4,
     "ring<8 recursive_doubling<4096 ring<8192 recursive_doubling<16384 ring<65536 "
     "ring_segmented<262144 rabenseifner"},
    {8, "ring<16 recursive_doubling<8192 rabenseifner"},
    {16, "recursive_doubling<8192 rabenseifner"},
    {32, "ring_segmented<64 recursive_doubling<4096 rabenseifner"},
    {64, "ring_segmented<128 rabenseifner"},
    {128, "recursive_doubling<262144 rabenseifner"},
    {256, "nonoverlapping<131072 recursive_doubling<262144 rabenseifner"},
    {512, "nonoverlapping<4096 rabenseifner"},
    {2048, "nonoverlapping<2048 recursive_doubling<16384 rabenseifner"},
    {4096, "nonoverlapping<2048 ring_segmented<4096 recursive_doubling<16384 rabenseifner"},
    {kAnyRanks, "nonoverlapping<2048 ring_segmented<16384 recursive_doubling<32768 rabenseifner"},
};

constexpr RankRow kAlltoall[] = {
    {3,
     "pairwise<2 linear<4 pairwise<16 linear<64 pairwise<256 linear<4096 pairwise<32768 "
     "linear<1048576 pairwise"},
    {8, "linear<524288 pairwise<1048576 linear"},
    {16, "linear"},
    {32, "linear<4 bruck<512 linear"},
    {64, "bruck<512 linear"},
    {256, "bruck<1024 linear<262144 pairwise"},
    {512, "bruck<1024 linear<32768 pairwise"},
    {1024, "bruck<512 linear<262144 pairwise"},
    {2048, "bruck<512 linear"},
    {4096, "bruck<1024 linear"},
    {kAnyRanks, "bruck<2048 linear"},
};

constexpr RankRow kAlltoallv[] = {
    {4, "pairwise"}, {64, "linear"},     {128, "pairwise"},
    {256, "linear"}, {1024, "pairwise"}, {kAnyRanks, "linear"},
};

constexpr RankRow kBarrier[] = {
    {4, "recursive_doubling"},
    {8, "linear"},
    {64, "recursive_doubling"},
    {256, "dissemination"},
    {512, "tree"},
    {1024, "dissemination"},
    {4096, "tree"},
    {kAnyRanks, "dissemination"},
};

constexpr RankRow kBcast[] = {
    {4,
     "pipeline<32 binary<256 pipeline<512 knomial<1024 chain<32768 binary<131072 pipeline<262144 "
     "chain<524288 binomial<1048576 binary"},
    {8, "binary<64 binomial<128 binary<2048 binomial<8192 chain<1048576 pipeline"},
    {16, "knomial<8 binary<64 knomial<4096 binary<16384 binomial<32768 chain"},
    {32, "knomial<4096 binomial<1048576 scatter_allgather"},
    {64, "binomial<2048 knomial"},
    {128, "knomial"},
    {256, "binomial<2 binary<16384 chain<32768 binary<65536 knomial"},
    {1024, "knomial<16384 split_binary<32768 knomial"},
    {2048, "knomial<524288 scatter_allgather"},
    {4096, "knomial<262144 scatter_allgather"},
    {kAnyRanks, "knomial<8192 binary<16384 knomial<262144 scatter_allgather"},
};

constexpr RankRow kReduce[] = {
    {4, "linear<8 binary<16 pipeline<32 linear<262144 pipeline<524288 chain<1048576 pipeline"},
    {8,
     "binary<4096 chain<65536 binomial_segmented<262144 linear<524288 binomial_segmented<1048576 "
     "linear"},
    {16, "binary<8192 binomial_segmented"},
    {32, "binary<4096 binomial_segmented"},
    {256, "binomial_segmented"},
    {512, "binomial_segmented<8192 in_order_binary<16384 binomial_segmented"},
    {2048, "binomial_segmented"},
    {4096,
     "binomial_segmented<512 in_order_binary<1024 binomial_segmented<8192 in_order_binary<16384 "
     "binomial_segmented"},
    {kAnyRanks,
     "binomial_segmented<16 in_order_binary<32 binomial_segmented<1024 in_order_binary<2048 "
     "binomial_segmented<8192 in_order_binary<16384 binomial_segmented"},
};

constexpr RankRow kReduceScatter[] = {
    {4, "ring<65536 butterfly<131072 ring"},
    {8, "reduce_scatterv<8 recursive_halving<262144 ring"},
    {32, "recursive_halving<262144 ring"},
    {64, "reduce_scatterv<64 recursive_halving<2048 butterfly<524288 ring"},
    {128,
     "reduce_scatterv<256 recursive_halving<512 butterfly<2048 recursive_halving<4096 butterfly"},
    {256, "reduce_scatterv<256 recursive_halving<512 butterfly"},
    {512, "reduce_scatterv<256 recursive_halving<1024 butterfly"},
    {1024,
     "reduce_scatterv<512 recursive_halving<2048 butterfly<8192 recursive_halving<16384 butterfly"},
    {2048,
     "reduce_scatterv<512 recursive_halving<4096 butterfly<16384 recursive_halving<32768 "
     "butterfly"},
    {4096, "reduce_scatterv<512 recursive_halving<4096 butterfly"},
    {kAnyRanks, "reduce_scatterv<1024 recursive_halving<8192 butterfly"},
};

constexpr RankRow kAllgather[] = {
    {3, "pairwise"},
    {32, "recursive_doubling"},
    {64, "recursive_doubling<1024 neighbor_exchange<65536 ring"},
    {128, "recursive_doubling<512 neighbor_exchange<65536 ring"},
    {256,
     "recursive_doubling<512 neighbor_exchange<131072 ring<524288 neighbor_exchange<1048576 ring"},
    {512,
     "recursive_doubling<32 bruck<128 recursive_doubling<1024 neighbor_exchange<131072 "
     "ring<524288 neighbor_exchange<1048576 ring"},
    {1024, "recursive_doubling<64 bruck<256 recursive_doubling<2048 neighbor_exchange"},
    {2048,
     "recursive_doubling<4 bruck<8 recursive_doubling<16 bruck<32 recursive_doubling<256 "
     "bruck<512 recursive_doubling<4096 neighbor_exchange"},
    {4096, "bruck<32 recursive_doubling<128 bruck<512 recursive_doubling<4096 neighbor_exchange"},
    {kAnyRanks,
     "recursive_doubling<2 bruck<8 recursive_doubling<16 bruck<512 recursive_doubling<4096 "
     "neighbor_exchange"},
};

constexpr RankRow kAllgatherv[] = {
    {3, "ring<2048 pairwise<4096 ring<8192 pairwise"},
    {8,
     "gather_bcast<256 neighbor_exchange<4096 ring<8192 neighbor_exchange<16384 bruck<262144 "
     "neighbor_exchange"},
    {16, "gather_bcast<1024 bruck"},
    {32, "gather_bcast<128 bruck<262144 ring"},
    {64, "gather_bcast<256 bruck<8192 ring"},
    {128, "gather_bcast<256 bruck<4096 ring"},
    {256, "bruck<1024 neighbor_exchange<65536 ring"},
    {512, "bruck<1024 ring"},
    {1024, "bruck<512 gather_bcast<1024 bruck<4096 neighbor_exchange<1048576 ring"},
    {kAnyRanks, "bruck<4096 neighbor_exchange"},
};

constexpr RankRow kGather[] = {
    {4, "linear_sync<2 linear<4 binomial<32768 linear<65536 binomial<131072 linear_sync"},
    {8, "binomial<1024 linear<8192 binomial<32768 linear<262144 linear_sync"},
    {256, "binomial"},
    {512, "binomial<2048 linear<8192 binomial"},
    {kAnyRanks, "binomial"},
};

constexpr RankRow kScatter[] = {
    {4, "linear_nonblocking<2 linear<131072 linear_nonblocking<262144 linear"},
    {8, "binomial<2048 linear<4096 binomial<8192 linear<32768 linear_nonblocking<1048576 linear"},
    {16, "binomial<16384 linear_nonblocking<1048576 linear"},
    {32, "binomial<16384 linear<32768 linear_nonblocking"},
    {64, "binomial<512 linear_nonblocking<8192 binomial<16384 linear_nonblocking"},
    {kAnyRanks, "binomial<512 linear_nonblocking"},
};

// For operations that do not commute.
constexpr RankRow kAllreduceInOrder[] = {
    {4, "recursive_doubling<131072 nonoverlapping"},
    {8, "recursive_doubling"},
    {16, "recursive_doubling<1048576 nonoverlapping"},
    {128, "recursive_doubling"},
    {256, "nonoverlapping<131072 recursive_doubling<524288 nonoverlapping"},
    {512, "nonoverlapping<4096 recursive_doubling<524288 nonoverlapping"},
    {kAnyRanks, "nonoverlapping<2048 recursive_doubling"},
};

constexpr RankRow kReduceInOrder[] = {
    {4, "in_order_binary<8 linear"},
    {8, "linear"},
    {16, "in_order_binary<1024 linear<8192 in_order_binary<16384 linear<262144 in_order_binary"},
    {128, "in_order_binary"},
    {256, "in_order_binary<512 linear<1024 in_order_binary"},
    {kAnyRanks, "in_order_binary"},
};

constexpr RankRow kReduceScatterInOrder[] = {
    {kAnyRanks, "reduce_scatterv"},
};

// Operations without a table: one algorithm, whatever the size.
constexpr RankRow kLinear[] = {{kAnyRanks, "linear"}};

std::span<const RankRow> rows_of(Operation operation, bool commutative) {
  switch (operation) {
    case Operation::allreduce:
      if (!commutative) return kAllreduceInOrder;
      return kAllreduce;
    case Operation::alltoall:
      return kAlltoall;
    case Operation::alltoallv:
      return kAlltoallv;
    case Operation::barrier:
      return kBarrier;
    case Operation::bcast:
      return kBcast;
    case Operation::reduce:
      if (!commutative) return kReduceInOrder;
      return kReduce;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      if (!commutative) return kReduceScatterInOrder;
      return kReduceScatter;
    case Operation::allgather:
      return kAllgather;
    case Operation::allgatherv:
      return kAllgatherv;
    case Operation::gather:
      return kGather;
    case Operation::scatter:
      return kScatter;
    default:
      return kLinear;
  }
}

std::uint64_t deciding_bytes(const CollectiveCall& call) {
  if (call.operation == Operation::allgatherv) {
    return total_blocks(call) / static_cast<std::uint64_t>(std::max(call.size, 1));
  }
  const bool all_blocks = call.operation == Operation::reduce_scatter ||
                          call.operation == Operation::reduce_scatter_block;
  return all_blocks ? total_blocks(call) : call.bytes;
}

}  // namespace

const CollectiveAlgorithm& openmpi_decision(const CollectiveCall& call) {
  const std::span<const RankRow> rows = rows_of(call.operation, call.commutative);
  const auto row =
      std::ranges::find_if(rows, [&](const RankRow& r) { return call.size < r.ranks; });
  if (row == rows.end()) return first_algorithm(call.operation);
  const CollectiveAlgorithm* found =
      find_algorithm(call.operation, algorithm_for_bytes(row->algorithms, deciding_bytes(call)));
  ensures(found != nullptr, "every row of Open MPI's tables names an algorithm");
  return *found;
}

}  // namespace slackline::collectives
