// MVAPICH2's decision, as tuned on Stampede and as SimGrid has it: tables by the number of ranks
// and the bytes of a vector or block (of all blocks for reduce_scatter, the mean one for
// allgatherv). The first row for no fewer ranks than the call has decides, by size: "rdb<=8 pair"
// is rdb up to 8 bytes, else pair. "rdb/binomial" is performed in two levels, rdb among the leaders
// and binomial in the nodes ("rdb/": what MPICH takes there); some tables are chosen by the ranks
// of a node (1, 2 or 16, others count as 1).

#include <algorithm>
#include <span>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/decision_rules.h"
#include "graph/collectives/smp.h"

namespace slackline::collectives {
namespace {

/// What a table says for one call.
struct Row {
  std::string_view algorithm;
  bool two_level;
  std::string_view in_nodes;
};

constexpr RankRow kAlltoall[] = {
    {2, "pair"},
    {4, "mvapich2_scatter_dest<=262144 pair"},
    {8, "rdb<=8 mvapich2_scatter_dest"},
    {16, "rdb<=64 bruck<=512 mvapich2_scatter_dest"},
    {32, "rdb<=32 bruck<=2048 mvapich2_scatter_dest"},
    {kAnyRanks, "rdb<=8 bruck<=1024 mvapich2_scatter_dest"},
};

constexpr RankRow kAllgather1[] = {
    {2, "ring"},
    {4, "rdb<=262144 ring"},
    {16, "rdb<=131072 ring"},
    {32, "rdb<=65536 ring"},
    {kAnyRanks, "rdb<=32768 ring"},
};

constexpr RankRow kAllgather2[] = {
    {4, "rdb<=524288 ring"},
    {8, "rdb<=32768 ring/<=524288 ring"},
    {16, "rdb<=16384 ring/<=524288 ring"},
    {32, "rdb/<=65536 ring/<=524288 ring"},
    {64, "rdb/<=32768 ring/<=524288 ring"},
    {kAnyRanks, "rdb/<=65536 ring/<=524288 ring"},
};

// MVAPICH2 has a recursive doubling over a reordered communicator in the rows of "rdb"; SimGrid
// performs nothing at all there.
constexpr RankRow kAllgather16[] = {
    {kAnyRanks, "rdb<=1024 ring"},
};

constexpr RankRow kGather[] = {
    {16, "ompi_basic_linear<=524288 mpich"},
    {32, "ompi_basic_linear<=16384 mpich<=131072 mvapich2_two_level/"},
    {64, "mvapich2_two_level/<=256 ompi_basic_linear<=16384 mvapich2_two_level/"},
    {kAnyRanks, "mvapich2_two_level/<=512 ompi_basic_linear<=16384 mvapich2_two_level/"},
};

constexpr RankRow kAllgatherv[] = {
    {32, "mpich_rdb<=512 mpich_ring"},
    {kAnyRanks, "mpich_rdb<=256 mpich_ring"},
};

constexpr RankRow kAllreduce[] = {
    {16, "rdb/<=1024 mvapich2_rs"},
    {512, "rdb/<=16384 mvapich2_rs"},
    {1024, "rdb/<=8192 mvapich2_rs/<=65536 mvapich2_rs"},
    {kAnyRanks, "rdb/<=4096 mvapich2_rs"},
};

constexpr RankRow kBcast[] = {
    {16,
     "mpich/<=8192 binomial_tree/<=16384 mpich/<=65536 scatter_LR_allgather/<=262144 "
     "scatter_rdb_allgather/<=524288 scatter_LR_allgather/"},
    {64, "mpich/"},
    {128, "mpich/<=524288 scatter_LR_allgather"},
    {256, "mpich/<=131072 scatter_LR_allgather/<=262144 mpich/<=524288 scatter_LR_allgather/"},
    {512, "mpich/<=262144 scatter_LR_allgather/"},
    {kAnyRanks, "mpich/<=524288 scatter_LR_allgather/"},
};

constexpr RankRow kReduce[] = {
    {16,
     "mvapich2_knomial/ompi_basic_linear<=65536 mvapich2_knomial/binomial<=262144 "
     "binomial<=1048576 scatter_gather"},
    {32,
     "mvapich2_knomial/ompi_basic_linear<=8192 mvapich2_knomial/mvapich2_knomial<=16384 "
     "mvapich2_knomial/ompi_basic_linear<=32768 binomial/ompi_basic_linear<=65536 "
     "mvapich2_knomial<=262144 binomial<=1048576 scatter_gather"},
    {64,
     "mvapich2_knomial/ompi_basic_linear<=8192 mvapich2_knomial/mvapich2_knomial<=16384 "
     "binomial/ompi_basic_linear<=65536 mvapich2_knomial/mvapich2_knomial<=262144 scatter_gather"},
    {128,
     "mvapich2_knomial/ompi_basic_linear<=8192 mvapich2_knomial<=16384 "
     "binomial/ompi_basic_linear<=65536 mvapich2_knomial<=262144 binomial/binomial<=1048576 "
     "scatter_gather"},
    {256,
     "mvapich2_knomial/ompi_basic_linear<=8192 mvapich2_knomial/mvapich2_knomial<=16384 "
     "binomial/ompi_basic_linear<=32768 binomial<=65536 binomial/mvapich2_knomial<=262144 "
     "binomial/binomial<=1048576 scatter_gather"},
    {512,
     "mvapich2_knomial/ompi_basic_linear<=8192 mvapich2_knomial<=16384 "
     "binomial/ompi_basic_linear<=65536 binomial/mvapich2_knomial<=262144 "
     "binomial/binomial<=1048576 scatter_gather"},
    {1024,
     "mvapich2_knomial/ompi_basic_linear<=8192 mvapich2_knomial<=16384 "
     "binomial/ompi_basic_linear<=65536 binomial/mvapich2_knomial<=262144 binomial/binomial"},
    {kAnyRanks,
     "mvapich2_knomial/ompi_basic_linear<=2048 mvapich2_knomial<=4096 "
     "binomial/ompi_basic_linear<=16384 binomial/mvapich2_knomial<=65536 "
     "binomial/binomial<=131072 binomial/ompi_basic_linear"},
};

constexpr RankRow kReduceScatter[] = {
    {16, "default<=64 ompi_basic_recursivehalving<=65536 mpich_pair"},
    {32, "default<=64 ompi_basic_recursivehalving<=131072 mpich_pair"},
    {64, "default<=1024 ompi_basic_recursivehalving<=262144 mpich_pair"},
    {256, "default<=128 ompi_basic_recursivehalving"},
    {kAnyRanks, "default<=256 ompi_basic_recursivehalving"},
};

constexpr RankRow kScatter1[] = {
    {2, "ompi_binomial"},
    {32, "ompi_basic_linear"},
    {kAnyRanks, "ompi_binomial<=32 ompi_basic_linear"},
};

constexpr RankRow kScatter2[] = {
    {4, "ompi_binomial<=4096 ompi_basic_linear"},
    {8, "mvapich2_two_level_direct/ompi_binomial<=512 ompi_basic_linear"},
    {32, "mvapich2_two_level_direct/ompi_binomial<=2048 ompi_basic_linear"},
    {64, "mvapich2_two_level_direct/ompi_binomial<=8192 ompi_basic_linear"},
    {kAnyRanks,
     "ompi_binomial<=16 mvapich2_two_level_binomial/ompi_basic_linear<=128 "
     "mvapich2_two_level_direct/ompi_binomial<=16384 ompi_basic_linear"},
};

constexpr RankRow kScatter16[] = {
    {16, "ompi_binomial<=256 ompi_basic_linear"},
    {32, "ompi_binomial<=512 ompi_basic_linear"},
    {64, "mvapich2_two_level_direct/ompi_basic_linear<=1024 ompi_basic_linear"},
    {256, "mvapich2_two_level_direct/ompi_basic_linear<=2048 ompi_basic_linear"},
    {512, "mvapich2_two_level_direct/ompi_binomial<=4096 ompi_basic_linear"},
    {1024, "ompi_binomial<=32 mvapich2_two_level_direct/ompi_binomial<=4096 ompi_basic_linear"},
    {kAnyRanks,
     "mvapich2_two_level_binomial/ompi_binomial<=128 "
     "mvapich2_two_level_direct/ompi_binomial<=1024 "
     "mvapich2_two_level_direct/ompi_basic_linear<=16384 ompi_basic_linear<=65536 "
     "mvapich2_two_level_direct/ompi_basic_linear"},
};

Row row_of(std::span<const RankRow> rows, const CollectiveCall& call, std::uint64_t bytes) {
  const auto row =
      std::ranges::find_if(rows, [&](const RankRow& r) { return call.size <= r.ranks; });
  const std::string_view word = algorithm_for_bytes(row->algorithms, bytes);
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return {word, false, {}};
  return {word.substr(0, slash), true, word.substr(slash + 1)};
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
  if (name.empty()) return nullptr;
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
  const Row row = row_of(kBcast, call, call.bytes);
  if (row.two_level) return in_two_levels(call, "mvapich2_intra_node", row);
  if (row.algorithm == "mpich") return with_setup(smpi_mpich_rules(call));
  return with_setup(smpi_row(call, row.algorithm));
}

SmpiDecision decide_reduce(const CollectiveCall& call) {
  const Row row = row_of(kReduce, call, call.bytes);
  if (!call.commutative) return smpi_row(call, "binomial");
  if (row.two_level) return in_two_levels(call, "mvapich2_two_level", row);
  const std::uint64_t elements = call.bytes / std::max<std::uint32_t>(call.element_bytes, 1);
  const bool few = elements < static_cast<std::uint64_t>(power_of_two_below(call.size));
  return smpi_row(call, row.algorithm == "scatter_gather" && few ? "binomial" : row.algorithm);
}

SmpiDecision decide_allreduce(const CollectiveCall& call) {
  const Row row = row_of(kAllreduce, call, call.bytes);
  if (!row.two_level) return smpi_row(call, row.algorithm);
  if (!call.commutative) return smpi_row(call, "rdb");
  return in_two_levels(call, "mvapich2_two_level", row);
}

SmpiDecision decide_allgather(const CollectiveCall& call) {
  const std::int32_t ranks = uniform_ranks_a_node(call);
  const std::span<const RankRow> rows = ranks == 2
                                            ? std::span<const RankRow>(kAllgather2)
                                            : (ranks == 16 ? std::span<const RankRow>(kAllgather16)
                                                           : std::span<const RankRow>(kAllgather1));
  const Row row = row_of(rows, call, call.bytes);
  if (!row.two_level) return with_setup(smpi_row(call, row.algorithm));
  if (ranks != 1 && ranks != 2 && ranks != 16) return with_setup(smpi_row(call, "rdb"));
  if (!nodes_blocked(call)) return with_setup(smpi_mpich_rules(call));
  return smpi_row(call, "mvapich2_smp");
}

SmpiDecision decide_allgatherv(const CollectiveCall& call) {
  const std::uint64_t mean =
      total_blocks(call) / static_cast<std::uint64_t>(std::max(call.size, 1));
  const Row row = row_of(kAllgatherv, call, mean);
  const bool bruck = row.algorithm == "mpich_rdb" && !is_power_of_two(call.size);
  return smpi_row(call, bruck ? "ompi_bruck" : row.algorithm);
}

SmpiDecision decide_gather(const CollectiveCall& call) {
  const Row row = row_of(kGather, call, call.bytes);
  const bool known = call.knowledge != nullptr && call.knowledge->has(call.part);
  const bool blocked = (known || call.needs_setup) && nodes_blocked(call);
  if (!blocked || row.algorithm == "mpich") return smpi_mpich_rules(call);
  if (row.algorithm != "mvapich2_two_level") return smpi_row(call, row.algorithm);
  return in_two_levels(call, "mvapich2_two_level", row);
}

SmpiDecision decide_scatter(const CollectiveCall& call) {
  const std::int32_t ranks = uniform_ranks_a_node(call);
  const std::span<const RankRow> rows = ranks == 2
                                            ? std::span<const RankRow>(kScatter2)
                                            : (ranks == 16 ? std::span<const RankRow>(kScatter16)
                                                           : std::span<const RankRow>(kScatter1));
  const Row row = row_of(rows, call, call.bytes);
  if (!row.algorithm.starts_with("mvapich2")) return with_setup(smpi_row(call, row.algorithm));
  if (!nodes_blocked(call)) return with_setup(smpi_row(call, "ompi_binomial"));
  return in_two_levels(call, row.algorithm, row);
}

SmpiDecision decide_reduce_scatter(const CollectiveCall& call) {
  if (!call.commutative) return smpi_mpich_rules(call);
  const Row row = row_of(kReduceScatter, call, total_blocks(call));
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
