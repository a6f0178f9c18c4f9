#pragma once

// All algorithms by family. Each writes the steps of the rank that the StepWriter stands for, in a
// communicator of at least two ranks; what they do is told at the top of the file of that name.

#include "graph/collectives/step_writer.h"

namespace slackline::collectives {

using Algorithm = void(StepWriter&);

namespace barrier {
Algorithm dissemination, recursive_doubling, tree, linear, two_procs, double_ring;
}
namespace bcast {
Algorithm linear, binomial, knomial, binary, chain, pipeline, split_binary, scatter_allgather,
    scatter_ring_allgather;
}
namespace reduce {
Algorithm linear, linear_nonblocking, binomial, binomial_segmented, binary, chain, pipeline,
    in_order_binary, rabenseifner;
}
namespace allreduce {
Algorithm recursive_doubling, rabenseifner, ring, ring_segmented, lr, lr_segmented, reduce_bcast,
    nonoverlapping, linear;
}
namespace allgather {
Algorithm ring, ring_nonblocking, ring_in_pieces, spread, pairwise, recursive_doubling, bruck,
    neighbor_exchange, linear, gather_bcast;
}
namespace alltoall {
Algorithm linear, linear_in_order, pairwise, ring, bruck, scatter_dest, scatter_dest_32;
}
namespace gather {
Algorithm linear, linear_nonblocking, linear_sync, binomial;
}
namespace scatter {
Algorithm linear, linear_nonblocking, binomial;
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
