// MVAPICH2's decision, as tuned on Stampede and as SimGrid has it: tables by the number of ranks
// and the bytes of a vector or block (of all blocks for reduce_scatter, the mean one for
// allgatherv). The first row whose two limits are no less than the call decides. Two-level rows
// name what is performed among the leaders and, where tuned, in the nodes; some tables are chosen
// by the ranks of a node (1, 2 or 16, others count as 1).

#include <algorithm>
#include <limits>
#include <span>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/smp.h"
#include "graph/collectives/smpi_rules.h"

namespace slackline::collectives {
namespace {

constexpr std::int32_t kAnyRanks = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kAnyBytes = std::numeric_limits<std::uint64_t>::max();

struct Row {
  std::int32_t ranks;
  std::uint64_t bytes;
  std::string_view algorithm;
  bool two_level;
  std::string_view in_nodes;
};

constexpr Row kAlltoall[] = {
    {2, kAnyBytes, "pair", false, ""},
    {4, 262144, "mvapich2_scatter_dest", false, ""},
    {4, kAnyBytes, "pair", false, ""},
    {8, 8, "rdb", false, ""},
    {8, kAnyBytes, "mvapich2_scatter_dest", false, ""},
    {16, 64, "rdb", false, ""},
    {16, 512, "bruck", false, ""},
    {16, kAnyBytes, "mvapich2_scatter_dest", false, ""},
    {32, 32, "rdb", false, ""},
    {32, 2048, "bruck", false, ""},
    {32, kAnyBytes, "mvapich2_scatter_dest", false, ""},
    {kAnyRanks, 8, "rdb", false, ""},
    {kAnyRanks, 1024, "bruck", false, ""},
    {kAnyRanks, kAnyBytes, "mvapich2_scatter_dest", false, ""},
};

constexpr Row kAllgather1[] = {
    {2, kAnyBytes, "ring", false, ""},         {4, 262144, "rdb", false, ""},
    {4, kAnyBytes, "ring", false, ""},         {8, 131072, "rdb", false, ""},
    {8, kAnyBytes, "ring", false, ""},         {16, 131072, "rdb", false, ""},
    {16, kAnyBytes, "ring", false, ""},        {32, 65536, "rdb", false, ""},
    {32, kAnyBytes, "ring", false, ""},        {kAnyRanks, 32768, "rdb", false, ""},
    {kAnyRanks, kAnyBytes, "ring", false, ""},
};

constexpr Row kAllgather2[] = {
    {4, 524288, "rdb", false, ""},
    {4, kAnyBytes, "ring", false, ""},
    {8, 32768, "rdb", false, ""},
    {8, 524288, "ring", true, ""},
    {8, kAnyBytes, "ring", false, ""},
    {16, 16384, "rdb", false, ""},
    {16, 524288, "ring", true, ""},
    {16, kAnyBytes, "ring", false, ""},
    {32, 65536, "rdb", true, ""},
    {32, 524288, "ring", true, ""},
    {32, kAnyBytes, "ring", false, ""},
    {64, 32768, "rdb", true, ""},
    {64, 524288, "ring", true, ""},
    {64, kAnyBytes, "ring", false, ""},
    {kAnyRanks, 65536, "rdb", true, ""},
    {kAnyRanks, 524288, "ring", true, ""},
    {kAnyRanks, kAnyBytes, "ring", false, ""},
};

// MVAPICH2 has a recursive doubling over a reordered communicator in the rows of "rdb"; SimGrid
// performs nothing at all there.
constexpr Row kAllgather16[] = {
    {16, 1024, "rdb", false, ""},        {16, kAnyBytes, "ring", false, ""},
    {32, 1024, "rdb", false, ""},        {32, kAnyBytes, "ring", false, ""},
    {64, 1024, "rdb", false, ""},        {64, kAnyBytes, "ring", false, ""},
    {128, 1024, "rdb", false, ""},       {128, kAnyBytes, "ring", false, ""},
    {256, 1024, "rdb", false, ""},       {256, kAnyBytes, "ring", false, ""},
    {kAnyRanks, 1024, "rdb", false, ""}, {kAnyRanks, kAnyBytes, "ring", false, ""},
};

constexpr Row kGather[] = {
    {16, 524288, "ompi_basic_linear", false, "ompi_basic_linear"},
    {16, kAnyBytes, "mpich", false, "ompi_basic_linear"},
    {32, 16384, "ompi_basic_linear", false, "mpich"},
    {32, 131072, "mpich", false, "mpich"},
    {32, kAnyBytes, "mvapich2_two_level", false, "mpich"},
    {64, 256, "mvapich2_two_level", false, "mpich"},
    {64, 16384, "ompi_basic_linear", false, "mpich"},
    {64, kAnyBytes, "mvapich2_two_level", false, "mpich"},
    {128, 512, "mvapich2_two_level", false, "mpich"},
    {128, 16384, "ompi_basic_linear", false, "mpich"},
    {128, kAnyBytes, "mvapich2_two_level", false, "mpich"},
    {256, 512, "mvapich2_two_level", false, "mpich"},
    {256, 16384, "ompi_basic_linear", false, "mpich"},
    {256, kAnyBytes, "mvapich2_two_level", false, "mpich"},
    {512, 512, "mvapich2_two_level", false, "mpich"},
    {512, 16384, "ompi_basic_linear", false, "mpich"},
    {512, kAnyBytes, "mvapich2_two_level", false, "mpich"},
    {kAnyRanks, 512, "mvapich2_two_level", false, "mpich"},
    {kAnyRanks, 16384, "ompi_basic_linear", false, "mpich"},
    {kAnyRanks, kAnyBytes, "mvapich2_two_level", false, "mpich"},
};

constexpr Row kAllgatherv[] = {
    {16, 512, "mpich_rdb", false, ""},        {16, kAnyBytes, "mpich_ring", false, ""},
    {32, 512, "mpich_rdb", false, ""},        {32, kAnyBytes, "mpich_ring", false, ""},
    {64, 256, "mpich_rdb", false, ""},        {64, kAnyBytes, "mpich_ring", false, ""},
    {128, 256, "mpich_rdb", false, ""},       {128, kAnyBytes, "mpich_ring", false, ""},
    {256, 256, "mpich_rdb", false, ""},       {256, kAnyBytes, "mpich_ring", false, ""},
    {kAnyRanks, 256, "mpich_rdb", false, ""}, {kAnyRanks, kAnyBytes, "mpich_ring", false, ""},
};

constexpr Row kAllreduce[] = {
    {16, 1024, "rdb", true, ""},
    {16, kAnyBytes, "mvapich2_rs", false, ""},
    {32, 16384, "rdb", true, ""},
    {32, kAnyBytes, "mvapich2_rs", false, ""},
    {64, 16384, "rdb", true, ""},
    {64, kAnyBytes, "mvapich2_rs", false, ""},
    {128, 16384, "rdb", true, ""},
    {128, kAnyBytes, "mvapich2_rs", false, ""},
    {256, 16384, "rdb", true, ""},
    {256, kAnyBytes, "mvapich2_rs", false, ""},
    {512, 16384, "rdb", true, ""},
    {512, kAnyBytes, "mvapich2_rs", false, ""},
    {1024, 8192, "rdb", true, ""},
    {1024, 65536, "mvapich2_rs", true, ""},
    {1024, kAnyBytes, "mvapich2_rs", false, ""},
    {kAnyRanks, 4096, "rdb", true, ""},
    {kAnyRanks, kAnyBytes, "mvapich2_rs", false, ""},
};

constexpr Row kBcast[] = {
    {16, 8192, "mpich", true, "mpich"},
    {16, 16384, "binomial_tree", true, "mpich"},
    {16, 65536, "mpich", true, "mpich"},
    {16, 262144, "scatter_LR_allgather", true, "mpich"},
    {16, 524288, "scatter_rdb_allgather", true, "mpich"},
    {16, kAnyBytes, "scatter_LR_allgather", true, "mpich"},
    {32, kAnyBytes, "mpich", true, "mpich"},
    {64, kAnyBytes, "mpich", true, "mpich"},
    {128, 524288, "mpich", true, "mpich"},
    {128, kAnyBytes, "scatter_LR_allgather", false, "None"},
    {256, 131072, "mpich", true, "mpich"},
    {256, 262144, "scatter_LR_allgather", true, "mpich"},
    {256, 524288, "mpich", true, "mpich"},
    {256, kAnyBytes, "scatter_LR_allgather", true, "mpich"},
    {512, 262144, "mpich", true, "mpich"},
    {512, kAnyBytes, "scatter_LR_allgather", true, "mpich"},
    {1024, 524288, "mpich", true, "mpich"},
    {1024, kAnyBytes, "scatter_LR_allgather", true, "mpich"},
    {kAnyRanks, 524288, "mpich", true, "mpich"},
    {kAnyRanks, kAnyBytes, "scatter_LR_allgather", true, "mpich"},
};

constexpr Row kReduce[] = {
    {16, 65536, "mvapich2_knomial", true, "ompi_basic_linear"},
    {16, 262144, "mvapich2_knomial", true, "binomial"},
    {16, 1048576, "binomial", false, "binomial"},
    {16, kAnyBytes, "scatter_gather", false, "binomial"},
    {32, 8192, "mvapich2_knomial", true, "ompi_basic_linear"},
    {32, 16384, "mvapich2_knomial", true, "mvapich2_knomial"},
    {32, 32768, "mvapich2_knomial", true, "ompi_basic_linear"},
    {32, 65536, "binomial", true, "ompi_basic_linear"},
    {32, 262144, "mvapich2_knomial", false, "ompi_basic_linear"},
    {32, 1048576, "binomial", false, "binomial"},
    {32, kAnyBytes, "scatter_gather", false, "binomial"},
    {64, 8192, "mvapich2_knomial", true, "ompi_basic_linear"},
    {64, 16384, "mvapich2_knomial", true, "mvapich2_knomial"},
    {64, 65536, "binomial", true, "ompi_basic_linear"},
    {64, 262144, "mvapich2_knomial", true, "mvapich2_knomial"},
    {64, kAnyBytes, "scatter_gather", false, "binomial"},
    {128, 8192, "mvapich2_knomial", true, "ompi_basic_linear"},
    {128, 16384, "mvapich2_knomial", false, "mvapich2_knomial"},
    {128, 65536, "binomial", true, "ompi_basic_linear"},
    {128, 262144, "mvapich2_knomial", false, "mvapich2_knomial"},
    {128, 1048576, "binomial", true, "binomial"},
    {128, kAnyBytes, "scatter_gather", false, "binomial"},
    {256, 8192, "mvapich2_knomial", true, "ompi_basic_linear"},
    {256, 16384, "mvapich2_knomial", true, "mvapich2_knomial"},
    {256, 32768, "binomial", true, "ompi_basic_linear"},
    {256, 65536, "binomial", false, "ompi_basic_linear"},
    {256, 262144, "binomial", true, "mvapich2_knomial"},
    {256, 1048576, "binomial", true, "binomial"},
    {256, kAnyBytes, "scatter_gather", false, "binomial"},
    {512, 8192, "mvapich2_knomial", true, "ompi_basic_linear"},
    {512, 16384, "mvapich2_knomial", false, "mvapich2_knomial"},
    {512, 65536, "binomial", true, "ompi_basic_linear"},
    {512, 262144, "binomial", true, "mvapich2_knomial"},
    {512, 1048576, "binomial", true, "binomial"},
    {512, kAnyBytes, "scatter_gather", false, "binomial"},
    {1024, 8192, "mvapich2_knomial", true, "ompi_basic_linear"},
    {1024, 16384, "mvapich2_knomial", false, "mvapich2_knomial"},
    {1024, 65536, "binomial", true, "ompi_basic_linear"},
    {1024, 262144, "binomial", true, "mvapich2_knomial"},
    {1024, kAnyBytes, "binomial", true, "binomial"},
    {kAnyRanks, 2048, "mvapich2_knomial", true, "ompi_basic_linear"},
    {kAnyRanks, 4096, "mvapich2_knomial", false, "ompi_basic_linear"},
    {kAnyRanks, 16384, "binomial", true, "ompi_basic_linear"},
    {kAnyRanks, 65536, "binomial", true, "mvapich2_knomial"},
    {kAnyRanks, 131072, "binomial", true, "binomial"},
    {kAnyRanks, kAnyBytes, "binomial", true, "ompi_basic_linear"},
};

constexpr Row kReduceScatter[] = {
    {16, 64, "default", false, ""},
    {16, 65536, "ompi_basic_recursivehalving", false, ""},
    {16, kAnyBytes, "mpich_pair", false, ""},
    {32, 64, "default", false, ""},
    {32, 131072, "ompi_basic_recursivehalving", false, ""},
    {32, kAnyBytes, "mpich_pair", false, ""},
    {64, 1024, "default", false, ""},
    {64, 262144, "ompi_basic_recursivehalving", false, ""},
    {64, kAnyBytes, "mpich_pair", false, ""},
    {128, 128, "default", false, ""},
    {128, kAnyBytes, "ompi_basic_recursivehalving", false, ""},
    {256, 128, "default", false, ""},
    {256, kAnyBytes, "ompi_basic_recursivehalving", false, ""},
    {kAnyRanks, 256, "default", false, ""},
    {kAnyRanks, kAnyBytes, "ompi_basic_recursivehalving", false, ""},
};

constexpr Row kScatter1[] = {
    {2, kAnyBytes, "ompi_binomial", false, "ompi_binomial"},
    {4, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {8, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {16, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {32, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {kAnyRanks, 32, "ompi_binomial", false, "ompi_binomial"},
    {kAnyRanks, kAnyBytes, "ompi_basic_linear", false, "ompi_binomial"},
};

constexpr Row kScatter2[] = {
    {4, 4096, "ompi_binomial", false, "ompi_basic_linear"},
    {4, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {8, 512, "mvapich2_two_level_direct", false, "ompi_binomial"},
    {8, kAnyBytes, "ompi_basic_linear", false, "ompi_binomial"},
    {16, 2048, "mvapich2_two_level_direct", false, "ompi_binomial"},
    {16, kAnyBytes, "ompi_basic_linear", false, "ompi_binomial"},
    {32, 2048, "mvapich2_two_level_direct", false, "ompi_binomial"},
    {32, kAnyBytes, "ompi_basic_linear", false, "ompi_binomial"},
    {64, 8192, "mvapich2_two_level_direct", false, "ompi_binomial"},
    {64, kAnyBytes, "ompi_basic_linear", false, "ompi_binomial"},
    {kAnyRanks, 16, "ompi_binomial", false, "ompi_basic_linear"},
    {kAnyRanks, 128, "mvapich2_two_level_binomial", false, "ompi_basic_linear"},
    {kAnyRanks, 16384, "mvapich2_two_level_direct", false, "ompi_binomial"},
    {kAnyRanks, kAnyBytes, "ompi_basic_linear", false, "ompi_binomial"},
};

constexpr Row kScatter16[] = {
    {16, 256, "ompi_binomial", false, "ompi_basic_linear"},
    {16, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {32, 512, "ompi_binomial", false, "ompi_basic_linear"},
    {32, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {64, 1024, "mvapich2_two_level_direct", false, "ompi_basic_linear"},
    {64, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {128, 2048, "mvapich2_two_level_direct", false, "ompi_basic_linear"},
    {128, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {256, 2048, "mvapich2_two_level_direct", false, "ompi_basic_linear"},
    {256, kAnyBytes, "ompi_basic_linear", false, "ompi_basic_linear"},
    {512, 4096, "mvapich2_two_level_direct", false, "ompi_binomial"},
    {512, kAnyBytes, "ompi_basic_linear", false, "ompi_binomial"},
    {1024, 32, "ompi_binomial", false, "ompi_binomial"},
    {1024, 4096, "mvapich2_two_level_direct", false, "ompi_binomial"},
    {1024, kAnyBytes, "ompi_basic_linear", false, "ompi_binomial"},
    {kAnyRanks, 128, "mvapich2_two_level_binomial", false, "ompi_binomial"},
    {kAnyRanks, 1024, "mvapich2_two_level_direct", false, "ompi_binomial"},
    {kAnyRanks, 16384, "mvapich2_two_level_direct", false, "ompi_basic_linear"},
    {kAnyRanks, 65536, "ompi_basic_linear", false, "ompi_basic_linear"},
    {kAnyRanks, kAnyBytes, "mvapich2_two_level_direct", false, "ompi_basic_linear"},
};

const Row& row_of(std::span<const Row> rows, const CollectiveCall& call, std::uint64_t bytes) {
  const auto found = std::ranges::find_if(
      rows, [&](const Row& row) { return call.size <= row.ranks && bytes <= row.bytes; });
  return found == rows.end() ? rows.back() : *found;
}

bool nodes_blocked(const CollectiveCall& call) {
  if (call.nodes.empty()) return true;
  for (std::size_t i = 1; i < call.nodes.size(); ++i) {
    const auto before = call.nodes.first(i);
    const bool seen = std::ranges::find(before, call.nodes[i]) != before.end();
    if (seen && call.nodes[i] != call.nodes[i - 1]) return false;
  }
  return true;
}

const CollectiveAlgorithm* in_nodes(const CollectiveCall& call, std::string_view name) {
  if (name.empty() || name == "mpich") return nullptr;
  return smpi_row(call, name).algorithm;
}

/// A two-level algorithm with what the row says to perform among the leaders and in the nodes.
SmpiDecision in_two_levels(const CollectiveCall& call, std::string_view name, const Row& row) {
  SmpiDecision decision = smpi_row(call, name);
  decision.needs_setup = true;
  decision.among_leaders =
      row.algorithm == "mpich" ? nullptr : smpi_row(call, row.algorithm).algorithm;
  decision.in_nodes = in_nodes(call, row.in_nodes);
  decision.tuned = true;
  return decision;
}

SmpiDecision with_setup(SmpiDecision decision) {
  decision.needs_setup = true;
  return decision;
}

SmpiDecision decide_bcast(const CollectiveCall& call) {
  const Row& row = row_of(kBcast, call, call.bytes);
  if (row.two_level) return in_two_levels(call, "mvapich2_intra_node", row);
  if (row.algorithm == "mpich") return with_setup(smpi_mpich_rules(call));
  return with_setup(smpi_row(call, row.algorithm));
}

SmpiDecision decide_reduce(const CollectiveCall& call) {
  const Row& row = row_of(kReduce, call, call.bytes);
  if (!call.commutative) return smpi_row(call, "binomial");
  if (row.two_level) return in_two_levels(call, "mvapich2_two_level", row);
  const std::uint64_t elements = call.bytes / std::max<std::uint32_t>(call.element_bytes, 1);
  const bool few = elements < static_cast<std::uint64_t>(power_of_two_below(call.size));
  return smpi_row(call, row.algorithm == "scatter_gather" && few ? "binomial" : row.algorithm);
}

SmpiDecision decide_allreduce(const CollectiveCall& call) {
  const Row& row = row_of(kAllreduce, call, call.bytes);
  if (!row.two_level) return smpi_row(call, row.algorithm);
  if (!call.commutative) return smpi_row(call, "rdb");
  return in_two_levels(call, "mvapich2_two_level", row);
}

SmpiDecision decide_allgather(const CollectiveCall& call) {
  const std::int32_t ranks = uniform_ranks_a_node(call);
  const std::span<const Row> rows = ranks == 2 ? std::span<const Row>(kAllgather2)
                                               : (ranks == 16 ? std::span<const Row>(kAllgather16)
                                                              : std::span<const Row>(kAllgather1));
  const Row& row = row_of(rows, call, call.bytes);
  if (!row.two_level) return with_setup(smpi_row(call, row.algorithm));
  if (ranks != 1 && ranks != 2 && ranks != 16) return with_setup(smpi_row(call, "rdb"));
  if (!nodes_blocked(call)) return with_setup(smpi_mpich_rules(call));
  return smpi_row(call, "mvapich2_smp");
}

SmpiDecision decide_allgatherv(const CollectiveCall& call) {
  const std::uint64_t mean =
      total_blocks(call) / static_cast<std::uint64_t>(std::max(call.size, 1));
  const Row& row = row_of(kAllgatherv, call, mean);
  const bool bruck = row.algorithm == "mpich_rdb" && !is_power_of_two(call.size);
  return smpi_row(call, bruck ? "ompi_bruck" : row.algorithm);
}

SmpiDecision decide_gather(const CollectiveCall& call) {
  const Row& row = row_of(kGather, call, call.bytes);
  const bool known = call.knowledge != nullptr && call.knowledge->has(call.part);
  const bool blocked = (known || call.needs_setup) && nodes_blocked(call);
  if (!blocked || row.algorithm == "mpich") return smpi_mpich_rules(call);
  if (row.algorithm != "mvapich2_two_level") return smpi_row(call, row.algorithm);
  return in_two_levels(call, "mvapich2_two_level", row);
}

SmpiDecision decide_scatter(const CollectiveCall& call) {
  const std::int32_t ranks = uniform_ranks_a_node(call);
  const std::span<const Row> rows = ranks == 2 ? std::span<const Row>(kScatter2)
                                               : (ranks == 16 ? std::span<const Row>(kScatter16)
                                                              : std::span<const Row>(kScatter1));
  const Row& row = row_of(rows, call, call.bytes);
  if (!row.algorithm.starts_with("mvapich2")) return with_setup(smpi_row(call, row.algorithm));
  if (!nodes_blocked(call)) return with_setup(smpi_row(call, "ompi_binomial"));
  return in_two_levels(call, row.algorithm, row);
}

SmpiDecision decide_reduce_scatter(const CollectiveCall& call) {
  if (!call.commutative) return smpi_mpich_rules(call);
  const Row& row = row_of(kReduceScatter, call, total_blocks(call));
  return row.algorithm == "default" ? smpi_default_rules(call) : smpi_row(call, row.algorithm);
}

}  // namespace

SmpiDecision smpi_mvapich2_rules(const CollectiveCall& call) {
  switch (call.operation) {
    case Operation::alltoall:
      return smpi_row(call, row_of(kAlltoall, call, call.bytes).algorithm);
    case Operation::alltoallv:
      return smpi_row(call, "ring");
    case Operation::barrier:
      return smpi_row(call, "mvapich2_pair");
    case Operation::bcast:
      return decide_bcast(call);
    case Operation::reduce:
      return decide_reduce(call);
    case Operation::allreduce:
      return decide_allreduce(call);
    case Operation::allgather:
      return decide_allgather(call);
    case Operation::allgatherv:
      return decide_allgatherv(call);
    case Operation::gather:
      return decide_gather(call);
    case Operation::scatter:
      return decide_scatter(call);
    case Operation::reduce_scatter:
      return decide_reduce_scatter(call);
    default:
      return smpi_default_rules(call);
  }
}

}  // namespace slackline::collectives
