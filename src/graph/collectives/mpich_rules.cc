// MPICH's decision: which algorithm it takes, by the number of ranks and the size.
//
// As SimGrid's selector (src/smpi/colls/smpi_mpich_selector.cpp) states them, without the levels
// for ranks that share a node: the models here know no nodes, so the rules for one level hold for
// the whole communicator. Scan and exscan, which the selector lacks, are recursive doubling in
// MPICH.

#include <algorithm>

#include "base/error.h"
#include "graph/collectives/algorithms.h"

namespace slackline::collectives {

namespace {

std::uint64_t elements(const CollectiveCall& call, std::uint64_t bytes) {
  return bytes / std::max<std::uint32_t>(call.element_bytes, 1);
}

/// Are there enough elements to give each of the largest power of two of ranks one?
bool can_be_halved(const CollectiveCall& call) {
  return elements(call, call.bytes) >=
         static_cast<std::uint64_t>(power_of_two_below(std::max(call.size, 1)));
}

std::string_view allreduce_rule(const CollectiveCall& call) {
  const bool halve = call.commutative && call.bytes > 2048 && can_be_halved(call);
  return halve ? "rabenseifner" : "recursive_doubling";
}

std::string_view alltoall_rule(const CollectiveCall& call) {
  if (call.bytes < 256 && call.size >= 8) return "bruck";
  if (call.bytes < 32768) return "scatter_dest";
  return call.size % 2 == 1 ? "pairwise" : "ring";
}

std::string_view bcast_rule(const CollectiveCall& call) {
  if (call.bytes < 12288 || call.size <= 8) return "binomial";
  return call.bytes < 524288 && call.size % 2 == 0 ? "scatter_allgather" : "scatter_ring_allgather";
}

std::string_view reduce_rule(const CollectiveCall& call) {
  const bool halve = call.commutative && call.bytes >= 2048 && can_be_halved(call);
  return halve ? "rabenseifner" : "binomial";
}

std::string_view reduce_scatter_rule(const CollectiveCall& call) {
  if (!call.commutative) return "noncommutative";
  return elements(call, total_blocks(call)) > 524288 ? "pairwise" : "recursive_doubling";
}

std::string_view allgather_rule(const CollectiveCall& call) {
  // Allgatherv counts elements, allgather bytes.
  const std::uint64_t total = call.operation == Operation::allgatherv
                                  ? elements(call, total_blocks(call))
                                  : total_blocks(call);
  if (is_power_of_two(call.size) && total < 524288) return "recursive_doubling";
  return total <= 81920 ? "bruck" : "ring";
}

std::string_view rule(const CollectiveCall& call) {
  switch (call.operation) {
    case Operation::barrier:
      return "dissemination";
    case Operation::bcast:
      return bcast_rule(call);
    case Operation::reduce:
      return reduce_rule(call);
    case Operation::allreduce:
      return allreduce_rule(call);
    case Operation::alltoall:
      return alltoall_rule(call);
    case Operation::alltoallv:
      return "scatter_dest";
    case Operation::allgather:
    case Operation::allgatherv:
      return allgather_rule(call);
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return reduce_scatter_rule(call);
    case Operation::gather:
    case Operation::scatter:
      return "binomial";
    case Operation::scan:
    case Operation::exscan:
      return "recursive_doubling";
    default:
      return "linear";
  }
}

}  // namespace

const CollectiveAlgorithm& mpich_decision(const CollectiveCall& call) {
  const CollectiveAlgorithm* found = find_algorithm(call.operation, rule(call));
  return found != nullptr ? *found : first_algorithm(call.operation);
}

}  // namespace slackline::collectives
