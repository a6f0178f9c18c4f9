#pragma once

// All algorithms by family. Each writes the steps of the rank that the StepWriter stands for, in a
// communicator of at least two ranks; what they do is described at the top of the file of that
// name.

#include "graph/collectives/choice.h"
#include "graph/collectives/step_writer.h"

namespace slackline::collectives {

using Algorithm = void(StepWriter&);

namespace barrier {
Algorithm dissemination, recursive_doubling, tree, linear, two_procs, double_ring, two_level;
}
namespace bcast {
Algorithm linear, binomial, knomial, binary, chain, pipeline, split_binary, scatter_allgather,
    scatter_ring_allgather, linear_segmented;
/// In two levels, inside nodes and among them (bcast_smp.cc).
Algorithm smp_binomial, smp_chain, smp_binary, among_leaders, two_level, two_level_knomial;
/// Chains in the order of arrival (arrival.cc), as if all had arrived.
Algorithm arrival, arrival_wait, arrival_scatter;
}  // namespace bcast
namespace reduce {
Algorithm linear, linear_nonblocking, binomial, binomial_segmented, binary, chain, pipeline,
    in_order_binary, rabenseifner, linear_isend, chain_nonblocking, knomial, halves, two_level,
    arrival;
}
namespace allreduce {
Algorithm recursive_doubling, rabenseifner, ring, ring_empty_blocks, ring_segmented, lr,
    lr_segmented, reduce_bcast, nonoverlapping, linear, linear_nonblocking, halves, equal_halves,
    alltoall_allgather;
/// In two levels (allreduce_smp.cc).
Algorithm smp_binomial, smp_binomial_segmented, smp_recursive_doubling, smp_ring, smp_chain,
    smp_rabenseifner, two_level;
}  // namespace allreduce
namespace allgather {
Algorithm ring, ring_nonblocking, ring_in_pieces, spread, pairwise, recursive_doubling, bruck,
    neighbor_exchange, linear, gather_bcast, mesh_2d, mesh_3d, recursive_halving, spread_at_once;
/// On nodes (allgather_smp.cc).
Algorithm smp_ring, smp_linear, smp_loose_ring, two_level;
}  // namespace allgather
namespace alltoall {
Algorithm linear, linear_in_order, pairwise, ring, bruck, scatter_dest, scatter_dest_32, mesh_2d,
    mesh_3d, recursive_doubling, one_sided;
/// Rounds kept in step by one-byte messages or barriers (alltoall.cc).
Algorithm ring_light_barrier, ring_one_barrier, ring_barriers, pairwise_light_barrier,
    pairwise_one_barrier, pairwise_barriers;
}  // namespace alltoall
namespace gather {
Algorithm linear, linear_nonblocking, linear_sync, binomial, linear_isend, two_level;
}
namespace scatter {
Algorithm linear, linear_nonblocking, binomial, two_level_binomial, two_level_direct;
}
namespace reduce_scatter {
Algorithm recursive_halving, butterfly, ring, pairwise, recursive_doubling, noncommutative,
    reduce_scatterv;
}
namespace scan {
Algorithm linear, recursive_doubling, direct;
}
namespace neighbor {
Algorithm linear;
}

/// What Open MPI and MPICH decide for a call (openmpi_rules.cc, mpich_rules.cc).
const CollectiveAlgorithm& openmpi_decision(const CollectiveCall& call);
const CollectiveAlgorithm& mpich_decision(const CollectiveCall& call);

/// The operation's first row in the table. Contract: the operation is a blocking collective.
const CollectiveAlgorithm& first_algorithm(Operation operation);
/// Bytes of all ranks' blocks: the counts' sum, or size * bytes without counts.
std::uint64_t total_blocks(const CollectiveCall& call);

}  // namespace slackline::collectives
