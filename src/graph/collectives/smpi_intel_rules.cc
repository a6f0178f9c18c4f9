// Intel MPI's decision, as SimGrid has it (smpi_intel_tables.cc): a number of Intel's list of
// algorithms for the operation, and the nearest one that there is for each number. It always looks
// at the nodes first.

#include <algorithm>
#include <array>

#include "base/text_parsing.h"
#include "graph/collectives/algorithms.h"
#include "graph/collectives/decision_rules.h"
#include "graph/collectives/smp.h"

namespace slackline::collectives {
namespace {

using Names = std::array<std::string_view, 8>;

/// SimGrid's names of the numbers 1, 2, ..; "mvapich2" is that selector's choice.
constexpr Names names_of(Operation operation) {
  switch (operation) {
    case Operation::allreduce:
      return {"rdb",
              "rab1",
              "redbcast",
              "mvapich2_two_level",
              "smp_binomial",
              "mvapich2_two_level",
              "ompi_ring_segmented",
              "ompi_ring_segmented"};
    case Operation::alltoall:
      return {"bruck", "mvapich2_scatter_dest", "pair", "mvapich2"};
    case Operation::alltoallv:
      return {"ompi_basic_linear", "bruck"};
    case Operation::barrier:
      return {"ompi_basic_linear", "ompi_recursivedoubling",
              "ompi_basic_linear", "ompi_recursivedoubling",
              "default",           "default"};
    case Operation::bcast:
      return {"binomial_tree", "NTSL", "NTSL", "SMP_binomial", "NTSL", "SMP_linear", "mvapich2"};
    case Operation::reduce:
      return {"mvapich2", "binomial", "mvapich2", "mvapich2_two_level", "rab", "rab"};
    case Operation::reduce_scatter:
      return {"ompi_basic_recursivehalving", "mpich_pair", "mpich_rdb", "default", "default"};
    case Operation::allgather:
      return {"rdb", "bruck", "ring", "GB"};
    case Operation::allgatherv:
      return {"mpich_rdb", "ompi_bruck", "ring", "GB"};
    case Operation::gather:
    case Operation::scatter:
      return {"ompi_binomial", "ompi_binomial", "mvapich2"};
    default:
      return {};
  }
}

/// What the tables measure a call by.
std::uint64_t measured_bytes(const CollectiveCall& call) {
  switch (call.operation) {
    case Operation::barrier:
    case Operation::alltoallv:
      return 1;
    case Operation::allgatherv:
    case Operation::reduce_scatter:
      return total_blocks(call);
    default:
      return call.bytes;
  }
}

/// The number that "7<6 1<85 2" has for `bytes`.
std::size_t number_for(std::string_view text, std::uint64_t bytes) {
  return number_in<std::size_t>(algorithm_for_bytes(text, bytes)).value_or(0);
}

std::string_view algorithm_for(const CollectiveCall& call) {
  const std::span<const IntelRow> rows = intel_rows(call.operation);
  if (rows.empty()) return "default";
  std::int32_t ranks_a_node = uniform_ranks_a_node(call);
  const auto tuned_for = [&](const IntelRow& row) { return row.ranks_a_node == ranks_a_node; };
  if (std::ranges::none_of(rows, tuned_for)) ranks_a_node = 1;
  const auto row = std::ranges::find_if(
      rows, [&](const IntelRow& r) { return tuned_for(r) && call.size <= r.ranks; });
  return names_of(call.operation)[number_for(row->algorithms, measured_bytes(call)) - 1];
}

}  // namespace

SmpiDecision smpi_intel_rules(const CollectiveCall& call) {
  const std::string_view name = algorithm_for(call);
  CollectiveCall informed = call;
  informed.needs_setup = true;
  const bool halves_out_of_order = name == "ompi_basic_recursivehalving" && !call.commutative;
  SmpiDecision decision;
  if (name == "mvapich2" || halves_out_of_order) {
    decision = smpi_mvapich2_rules(informed);
  } else if (name == "default") {
    decision = smpi_default_rules(call);
  } else {
    decision = smpi_row(call, name);
  }
  decision.needs_setup = decision.needs_setup || !intel_rows(call.operation).empty();
  return decision;
}

}  // namespace slackline::collectives
