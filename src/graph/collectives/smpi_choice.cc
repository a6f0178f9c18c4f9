// SimGrid's choices among its algorithms. Its Open MPI selector follows the same tables as ours
// (openmpi_rules.cc), with other algorithms of its own under some names; its MPICH selector sends
// reductions and broadcasts through algorithms for SMP nodes first. Those, and a few others, need
// to know the nodes, which SimGrid finds out by messages the first time: needs_setup.

#include "graph/collectives/choice.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "graph/collectives/algorithms.h"
#include "graph/collectives/decision_rules.h"

namespace slackline {
namespace collectives {
namespace {

std::uint64_t elements(std::uint64_t bytes, const CollectiveCall& call) {
  return bytes / std::max<std::uint32_t>(call.element_bytes, 1);
}

/// SimGrid has one algorithm for the other operations, whatever the selector.
bool is_selectable(Operation operation) {
  switch (operation) {
    case Operation::scan:
    case Operation::exscan:
    case Operation::gatherv:
    case Operation::scatterv:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool nodes_uniform(const CollectiveCall& call) {
  if (call.nodes.empty()) return true;
  std::unordered_map<std::int32_t, std::size_t> ranks;
  for (const std::int32_t node : call.nodes) ++ranks[node];
  return std::ranges::all_of(
      ranks, [&](const auto& entry) { return entry.second == ranks.begin()->second; });
}

std::int32_t uniform_ranks_a_node(const CollectiveCall& call) {
  if (call.nodes.empty() || !nodes_uniform(call)) return 1;
  return static_cast<std::int32_t>(std::ranges::count(call.nodes, call.nodes[0]));
}

SmpiDecision smpi_row(const CollectiveCall& call, std::string_view smpi_name) {
  const CollectiveAlgorithm* found = find_smpi_algorithm(call.operation, smpi_name);
  if (found == nullptr) return {};
  return {found, found->uses_nodes};
}

SmpiDecision smpi_default_rules(const CollectiveCall& call) {
  switch (call.operation) {
    case Operation::alltoall:
      return smpi_openmpi_rules(call);
    case Operation::reduce:
      if (!call.commutative) return smpi_row(call, "ompi_basic_linear");
      break;
    case Operation::reduce_scatter: {
      const bool equal =
          call.counts.empty() ||
          std::ranges::adjacent_find(call.counts, std::ranges::not_equal_to{}) == call.counts.end();
      if (!equal) return smpi_mpich_rules(call);
      break;
    }
    default:
      break;
  }
  if (const SmpiDecision row = smpi_row(call, "default"); row.algorithm != nullptr) return row;
  return {&first_algorithm(call.operation), false};
}

SmpiDecision smpi_openmpi_rules(const CollectiveCall& call) {
  if (!is_selectable(call.operation)) return smpi_default_rules(call);
  const CollectiveAlgorithm& ours = openmpi_decision(call);
  const auto is = [&](Operation operation, std::string_view name) {
    return call.operation == operation && ours.name == name;
  };
  if (is(Operation::allreduce, "ring")) return smpi_row(call, "lr");
  if (is(Operation::allreduce, "ring_segmented")) return smpi_row(call, "ompi_ring_segmented");
  if (is(Operation::allgather, "ring")) return smpi_row(call, "ring");
  if (ours.smpi_name.empty()) return {&ours, false};
  return smpi_row(call, ours.smpi_name);
}

namespace {

SmpiDecision mpich_bcast(const CollectiveCall& call) {
  const bool setup = !call.smp_part;
  if (setup && nodes_uniform(call)) return smpi_row(call, "SMP_binomial");
  const bool tree = call.bytes < 12288 || call.size <= 8;
  const bool doubling = call.bytes < 524288 && call.size % 2 == 0;
  const std::string_view name =
      tree ? "binomial_tree" : (doubling ? "scatter_rdb_allgather" : "scatter_LR_allgather");
  return {smpi_row(call, name).algorithm, setup};
}

SmpiDecision mpich_reduction(const CollectiveCall& call) {
  const bool setup = !call.smp_part;
  const bool reduce = call.operation == Operation::reduce;
  if (setup && call.commutative) return smpi_row(call, "mvapich2_two_level");
  const auto participants = static_cast<std::uint64_t>(power_of_two_below(call.size));
  const bool many = elements(call.bytes, call) >= participants && call.commutative;
  const bool halving = many && (reduce ? call.bytes >= 2048 : call.bytes > 2048);
  const std::string_view name =
      reduce ? (halving ? "scatter_gather" : "binomial") : (halving ? "rab_rdb" : "rdb");
  return {smpi_row(call, name).algorithm, setup};
}

std::string_view mpich_alltoall(const CollectiveCall& call) {
  if (call.bytes < 256 && call.size >= 8) return "bruck";
  if (call.bytes < 32768) return "mvapich2_scatter_dest";
  return call.size % 2 != 0 ? "pair" : "ring";
}

std::string_view mpich_reduce_scatter(const CollectiveCall& call) {
  if (call.commutative) {
    return elements(total_blocks(call), call) > 524288 ? "mpich_pair" : "mpich_rdb";
  }
  return "mpich_noncomm";
}

/// Allgather by bytes, allgatherv by elements.
std::string_view mpich_allgather(const CollectiveCall& call) {
  const bool counted = call.operation == Operation::allgatherv;
  const std::uint64_t total = counted ? elements(total_blocks(call), call) : total_blocks(call);
  if (is_power_of_two(call.size) && total < 524288) return counted ? "mpich_rdb" : "rdb";
  if (total <= 81920) return counted ? "ompi_bruck" : "bruck";
  return counted ? "mpich_ring" : "ring";
}

}  // namespace

SmpiDecision smpi_mpich_rules(const CollectiveCall& call) {
  switch (call.operation) {
    case Operation::bcast:
      return mpich_bcast(call);
    case Operation::allreduce:
    case Operation::reduce:
      return mpich_reduction(call);
    case Operation::alltoall:
      return smpi_row(call, mpich_alltoall(call));
    case Operation::alltoallv:
      return smpi_row(call, "bruck");
    case Operation::barrier:
      return smpi_row(call, "ompi_bruck");
    case Operation::reduce_scatter:
      return smpi_row(call, mpich_reduce_scatter(call));
    case Operation::allgather:
    case Operation::allgatherv:
      return smpi_row(call, mpich_allgather(call));
    case Operation::gather:
    case Operation::scatter:
      return smpi_row(call, "ompi_binomial");
    default:
      return smpi_default_rules(call);
  }
}

}  // namespace collectives

SmpiDecision smpi_decision(std::string_view name, const CollectiveCall& call) {
  using namespace collectives;
  // SimGrid performs it so, with equal counts.
  if (call.operation == Operation::reduce_scatter_block) {
    CollectiveCall as = call;
    as.operation = Operation::reduce_scatter;
    return smpi_decision(name, as);
  }
  if (name == "default" || name == "automatic") return smpi_default_rules(call);
  if (name == "ompi") return smpi_openmpi_rules(call);
  if (name == "mpich") return smpi_mpich_rules(call);
  if (name == "impi") return smpi_intel_rules(call);
  if (name == "mvapich2") return smpi_mvapich2_rules(call);
  const SmpiDecision row = smpi_row(call, name);
  if (row.algorithm != nullptr) return row;
  const CollectiveAlgorithm* ours = find_algorithm(call.operation, name);
  return {ours, ours != nullptr && ours->uses_nodes};
}

}  // namespace slackline
