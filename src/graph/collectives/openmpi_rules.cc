// Open MPI's decision: which algorithm its "tuned" component takes for an operation, by the number
// of ranks and the size (fixed decisions of Open MPI 4.1).
//
// Rows are tried in order; the first whose two limits both lie above the call decides. A size is
// that of the vector; of one block for alltoall, allgather, gather and scatter; the mean block for
// allgatherv; all blocks together for reduce_scatter. Where SimGrid's transcription of the tables
// (src/smpi/colls/smpi_openmpi_selector.cpp) replaces an algorithm of Open MPI by another one, so
// do these rows: basic linear broadcast is chain, chain broadcast pipeline, linear_sync and
// two_proc alltoall linear, double ring barrier and Rabenseifner's reduce linear.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "base/error.h"
#include "graph/collectives/algorithms.h"

namespace slackline::collectives {

namespace {

constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();

struct Row {
  std::int32_t ranks_below;
  std::uint64_t bytes_below;
  std::string_view algorithm;
};

constexpr Row kAllreduce[] = {
    {4, 8, "ring"},
    {4, 4096, "recursive_doubling"},
    {4, 8192, "ring"},
    {4, 16384, "recursive_doubling"},
    {4, 65536, "ring"},
    {4, 262144, "ring_segmented"},
    {4, kAnySize, "rabenseifner"},
    {8, 16, "ring"},
    {8, 8192, "recursive_doubling"},
    {8, kAnySize, "rabenseifner"},
    {16, 8192, "recursive_doubling"},
    {16, kAnySize, "rabenseifner"},
    {32, 64, "ring_segmented"},
    {32, 4096, "recursive_doubling"},
    {32, kAnySize, "rabenseifner"},
    {64, 128, "ring_segmented"},
    {64, kAnySize, "rabenseifner"},
    {128, 262144, "recursive_doubling"},
    {128, kAnySize, "rabenseifner"},
    {256, 131072, "nonoverlapping"},
    {256, 262144, "recursive_doubling"},
    {256, kAnySize, "rabenseifner"},
    {512, 4096, "nonoverlapping"},
    {512, kAnySize, "rabenseifner"},
    {2048, 2048, "nonoverlapping"},
    {2048, 16384, "recursive_doubling"},
    {2048, kAnySize, "rabenseifner"},
    {4096, 2048, "nonoverlapping"},
    {4096, 4096, "ring_segmented"},
    {4096, 16384, "recursive_doubling"},
    {4096, kAnySize, "rabenseifner"},
    {kAny, 2048, "nonoverlapping"},
    {kAny, 16384, "ring_segmented"},
    {kAny, 32768, "recursive_doubling"},
    {kAny, kAnySize, "rabenseifner"},
};

constexpr Row kAlltoall[] = {
    {3, 2, "pairwise"},         {3, 4, "linear"},           {3, 16, "pairwise"},
    {3, 64, "linear"},          {3, 256, "pairwise"},       {3, 4096, "linear"},
    {3, 32768, "pairwise"},     {3, 1048576, "linear"},     {3, kAnySize, "pairwise"},
    {8, 524288, "linear"},      {8, 1048576, "pairwise"},   {8, kAnySize, "linear"},
    {16, kAnySize, "linear"},   {32, 4, "linear"},          {32, 512, "bruck"},
    {32, kAnySize, "linear"},   {64, 512, "bruck"},         {64, kAnySize, "linear"},
    {128, 1024, "bruck"},       {128, 262144, "linear"},    {128, kAnySize, "pairwise"},
    {256, 1024, "bruck"},       {256, 262144, "linear"},    {256, kAnySize, "pairwise"},
    {512, 1024, "bruck"},       {512, 32768, "linear"},     {512, kAnySize, "pairwise"},
    {1024, 512, "bruck"},       {1024, 262144, "linear"},   {1024, kAnySize, "pairwise"},
    {2048, 512, "bruck"},       {2048, kAnySize, "linear"}, {4096, 1024, "bruck"},
    {4096, kAnySize, "linear"}, {kAny, 2048, "bruck"},      {kAny, kAnySize, "linear"},
};

constexpr Row kAlltoallv[] = {
    {4, kAnySize, "pairwise"}, {64, kAnySize, "linear"},     {128, kAnySize, "pairwise"},
    {256, kAnySize, "linear"}, {1024, kAnySize, "pairwise"}, {kAny, kAnySize, "linear"},
};

constexpr Row kBarrier[] = {
    {4, kAnySize, "recursive_doubling"},
    {8, kAnySize, "linear"},
    {64, kAnySize, "recursive_doubling"},
    {256, kAnySize, "dissemination"},
    {512, kAnySize, "tree"},
    {1024, kAnySize, "dissemination"},
    {4096, kAnySize, "tree"},
    {kAny, kAnySize, "dissemination"},
};

constexpr Row kBcast[] = {
    {4, 32, "pipeline"},
    {4, 256, "binary"},
    {4, 512, "pipeline"},
    {4, 1024, "knomial"},
    {4, 32768, "chain"},
    {4, 131072, "binary"},
    {4, 262144, "pipeline"},
    {4, 524288, "chain"},
    {4, 1048576, "binomial"},
    {4, kAnySize, "binary"},
    {8, 64, "binary"},
    {8, 128, "binomial"},
    {8, 2048, "binary"},
    {8, 8192, "binomial"},
    {8, 1048576, "chain"},
    {8, kAnySize, "pipeline"},
    {16, 8, "knomial"},
    {16, 64, "binary"},
    {16, 4096, "knomial"},
    {16, 16384, "binary"},
    {16, 32768, "binomial"},
    {16, kAnySize, "chain"},
    {32, 4096, "knomial"},
    {32, 1048576, "binomial"},
    {32, kAnySize, "scatter_allgather"},
    {64, 2048, "binomial"},
    {64, kAnySize, "knomial"},
    {128, kAnySize, "knomial"},
    {256, 2, "binomial"},
    {256, 16384, "binary"},
    {256, 32768, "chain"},
    {256, 65536, "binary"},
    {256, kAnySize, "knomial"},
    {1024, 16384, "knomial"},
    {1024, 32768, "split_binary"},
    {1024, kAnySize, "knomial"},
    {2048, 524288, "knomial"},
    {2048, kAnySize, "scatter_allgather"},
    {4096, 262144, "knomial"},
    {4096, kAnySize, "scatter_allgather"},
    {kAny, 8192, "knomial"},
    {kAny, 16384, "binary"},
    {kAny, 262144, "knomial"},
    {kAny, kAnySize, "scatter_allgather"},
};

constexpr Row kReduce[] = {
    {4, 8, "linear"},
    {4, 16, "binary"},
    {4, 32, "pipeline"},
    {4, 262144, "linear"},
    {4, 524288, "pipeline"},
    {4, 1048576, "chain"},
    {4, kAnySize, "pipeline"},
    {8, 4096, "binary"},
    {8, 65536, "chain"},
    {8, 262144, "binomial_segmented"},
    {8, 524288, "linear"},
    {8, 1048576, "binomial_segmented"},
    {8, kAnySize, "linear"},
    {16, 8192, "binary"},
    {16, kAnySize, "binomial_segmented"},
    {32, 4096, "binary"},
    {32, kAnySize, "binomial_segmented"},
    {256, kAnySize, "binomial_segmented"},
    {512, 8192, "binomial_segmented"},
    {512, 16384, "in_order_binary"},
    {512, kAnySize, "binomial_segmented"},
    {2048, kAnySize, "binomial_segmented"},
    {4096, 512, "binomial_segmented"},
    {4096, 1024, "in_order_binary"},
    {4096, 8192, "binomial_segmented"},
    {4096, 16384, "in_order_binary"},
    {4096, kAnySize, "binomial_segmented"},
    {kAny, 16, "binomial_segmented"},
    {kAny, 32, "in_order_binary"},
    {kAny, 1024, "binomial_segmented"},
    {kAny, 2048, "in_order_binary"},
    {kAny, 8192, "binomial_segmented"},
    {kAny, 16384, "in_order_binary"},
    {kAny, kAnySize, "binomial_segmented"},
};

constexpr Row kReduceScatter[] = {
    {4, 65536, "ring"},
    {4, 131072, "butterfly"},
    {4, kAnySize, "ring"},
    {8, 8, "reduce_scatterv"},
    {8, 262144, "recursive_halving"},
    {8, kAnySize, "ring"},
    {32, 262144, "recursive_halving"},
    {32, kAnySize, "ring"},
    {64, 64, "reduce_scatterv"},
    {64, 2048, "recursive_halving"},
    {64, 524288, "butterfly"},
    {64, kAnySize, "ring"},
    {128, 256, "reduce_scatterv"},
    {128, 512, "recursive_halving"},
    {128, 2048, "butterfly"},
    {128, 4096, "recursive_halving"},
    {128, kAnySize, "butterfly"},
    {256, 256, "reduce_scatterv"},
    {256, 512, "recursive_halving"},
    {256, kAnySize, "butterfly"},
    {512, 256, "reduce_scatterv"},
    {512, 1024, "recursive_halving"},
    {512, kAnySize, "butterfly"},
    {1024, 512, "reduce_scatterv"},
    {1024, 2048, "recursive_halving"},
    {1024, 8192, "butterfly"},
    {1024, 16384, "recursive_halving"},
    {1024, kAnySize, "butterfly"},
    {2048, 512, "reduce_scatterv"},
    {2048, 4096, "recursive_halving"},
    {2048, 16384, "butterfly"},
    {2048, 32768, "recursive_halving"},
    {2048, kAnySize, "butterfly"},
    {4096, 512, "reduce_scatterv"},
    {4096, 4096, "recursive_halving"},
    {4096, kAnySize, "butterfly"},
    {kAny, 1024, "reduce_scatterv"},
    {kAny, 8192, "recursive_halving"},
    {kAny, kAnySize, "butterfly"},
};

constexpr Row kAllgather[] = {
    {3, kAnySize, "pairwise"},
    {32, kAnySize, "recursive_doubling"},
    {64, 1024, "recursive_doubling"},
    {64, 65536, "neighbor_exchange"},
    {64, kAnySize, "ring"},
    {128, 512, "recursive_doubling"},
    {128, 65536, "neighbor_exchange"},
    {128, kAnySize, "ring"},
    {256, 512, "recursive_doubling"},
    {256, 131072, "neighbor_exchange"},
    {256, 524288, "ring"},
    {256, 1048576, "neighbor_exchange"},
    {256, kAnySize, "ring"},
    {512, 32, "recursive_doubling"},
    {512, 128, "bruck"},
    {512, 1024, "recursive_doubling"},
    {512, 131072, "neighbor_exchange"},
    {512, 524288, "ring"},
    {512, 1048576, "neighbor_exchange"},
    {512, kAnySize, "ring"},
    {1024, 64, "recursive_doubling"},
    {1024, 256, "bruck"},
    {1024, 2048, "recursive_doubling"},
    {1024, kAnySize, "neighbor_exchange"},
    {2048, 4, "recursive_doubling"},
    {2048, 8, "bruck"},
    {2048, 16, "recursive_doubling"},
    {2048, 32, "bruck"},
    {2048, 256, "recursive_doubling"},
    {2048, 512, "bruck"},
    {2048, 4096, "recursive_doubling"},
    {2048, kAnySize, "neighbor_exchange"},
    {4096, 32, "bruck"},
    {4096, 128, "recursive_doubling"},
    {4096, 512, "bruck"},
    {4096, 4096, "recursive_doubling"},
    {4096, kAnySize, "neighbor_exchange"},
    {kAny, 2, "recursive_doubling"},
    {kAny, 8, "bruck"},
    {kAny, 16, "recursive_doubling"},
    {kAny, 512, "bruck"},
    {kAny, 4096, "recursive_doubling"},
    {kAny, kAnySize, "neighbor_exchange"},
};

constexpr Row kAllgatherv[] = {
    {3, 2048, "ring"},
    {3, 4096, "pairwise"},
    {3, 8192, "ring"},
    {3, kAnySize, "pairwise"},
    {8, 256, "gather_bcast"},
    {8, 4096, "neighbor_exchange"},
    {8, 8192, "ring"},
    {8, 16384, "neighbor_exchange"},
    {8, 262144, "bruck"},
    {8, kAnySize, "neighbor_exchange"},
    {16, 1024, "gather_bcast"},
    {16, kAnySize, "bruck"},
    {32, 128, "gather_bcast"},
    {32, 262144, "bruck"},
    {32, kAnySize, "ring"},
    {64, 256, "gather_bcast"},
    {64, 8192, "bruck"},
    {64, kAnySize, "ring"},
    {128, 256, "gather_bcast"},
    {128, 4096, "bruck"},
    {128, kAnySize, "ring"},
    {256, 1024, "bruck"},
    {256, 65536, "neighbor_exchange"},
    {256, kAnySize, "ring"},
    {512, 1024, "bruck"},
    {512, kAnySize, "ring"},
    {1024, 512, "bruck"},
    {1024, 1024, "gather_bcast"},
    {1024, 4096, "bruck"},
    {1024, 1048576, "neighbor_exchange"},
    {1024, kAnySize, "ring"},
    {kAny, 4096, "bruck"},
    {kAny, kAnySize, "neighbor_exchange"},
};

constexpr Row kGather[] = {
    {4, 2, "linear_sync"},        {4, 4, "linear"},
    {4, 32768, "binomial"},       {4, 65536, "linear"},
    {4, 131072, "binomial"},      {4, kAnySize, "linear_sync"},
    {8, 1024, "binomial"},        {8, 8192, "linear"},
    {8, 32768, "binomial"},       {8, 262144, "linear"},
    {8, kAnySize, "linear_sync"}, {256, kAnySize, "binomial"},
    {512, 2048, "binomial"},      {512, 8192, "linear"},
    {512, kAnySize, "binomial"},  {kAny, kAnySize, "binomial"},
};

constexpr Row kScatter[] = {
    {4, 2, "linear_nonblocking"},
    {4, 131072, "linear"},
    {4, 262144, "linear_nonblocking"},
    {4, kAnySize, "linear"},
    {8, 2048, "binomial"},
    {8, 4096, "linear"},
    {8, 8192, "binomial"},
    {8, 32768, "linear"},
    {8, 1048576, "linear_nonblocking"},
    {8, kAnySize, "linear"},
    {16, 16384, "binomial"},
    {16, 1048576, "linear_nonblocking"},
    {16, kAnySize, "linear"},
    {32, 16384, "binomial"},
    {32, 32768, "linear"},
    {32, kAnySize, "linear_nonblocking"},
    {64, 512, "binomial"},
    {64, 8192, "linear_nonblocking"},
    {64, 16384, "binomial"},
    {64, kAnySize, "linear_nonblocking"},
    {kAny, 512, "binomial"},
    {kAny, kAnySize, "linear_nonblocking"},
};

// For operations that do not commute.
constexpr Row kAllreduceInOrder[] = {
    {4, 131072, "recursive_doubling"},   {4, kAnySize, "nonoverlapping"},
    {8, kAnySize, "recursive_doubling"}, {16, 1048576, "recursive_doubling"},
    {16, kAnySize, "nonoverlapping"},    {128, kAnySize, "recursive_doubling"},
    {256, 131072, "nonoverlapping"},     {256, 524288, "recursive_doubling"},
    {256, kAnySize, "nonoverlapping"},   {512, 4096, "nonoverlapping"},
    {512, 524288, "recursive_doubling"}, {512, kAnySize, "nonoverlapping"},
    {kAny, 2048, "nonoverlapping"},      {kAny, kAnySize, "recursive_doubling"},
};

constexpr Row kReduceInOrder[] = {
    {4, 8, "in_order_binary"},
    {4, kAnySize, "linear"},
    {8, kAnySize, "linear"},
    {16, 1024, "in_order_binary"},
    {16, 8192, "linear"},
    {16, 16384, "in_order_binary"},
    {16, 262144, "linear"},
    {16, kAnySize, "in_order_binary"},
    {128, kAnySize, "in_order_binary"},
    {256, 512, "in_order_binary"},
    {256, 1024, "linear"},
    {256, kAnySize, "in_order_binary"},
    {kAny, kAnySize, "in_order_binary"},
};

constexpr Row kReduceScatterInOrder[] = {
    {kAny, kAnySize, "reduce_scatterv"},
};

// Operations without a table: one algorithm, whatever the size.
constexpr Row kLinear[] = {{kAny, kAnySize, "linear"}};

std::span<const Row> rows_of(Operation operation, bool commutative) {
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
  const std::uint64_t bytes = deciding_bytes(call);
  for (const Row& row : rows_of(call.operation, call.commutative)) {
    const bool size_fits = bytes < row.bytes_below || row.bytes_below == kAnySize;
    if (call.size >= row.ranks_below || !size_fits) continue;
    const CollectiveAlgorithm* found = find_algorithm(call.operation, row.algorithm);
    ensures(found != nullptr, "every row of Open MPI's tables names an algorithm");
    return *found;
  }
  return first_algorithm(call.operation);
}

}  // namespace slackline::collectives
