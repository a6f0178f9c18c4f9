// The visible list of collective algorithms: operation, name, SimGrid's name, what it is.
// doc/collectives.md shows the same list with costs; a test compares the two.

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.h"
#include "graph/collectives/algorithms.h"
#include "graph/collectives/smp.h"

namespace slackline {

namespace {

using namespace collectives;

template <Algorithm* algorithm>
void expand(const CollectiveCall& call, std::int32_t rank, OwnCounts own,
            std::vector<CollectiveStep>& steps) {
  if (call.size <= 1) return;
  StepWriter writer(call, rank, own, steps);
  const bool looks = call.needs_setup && call.knowledge != nullptr;
  if (looks && call.knowledge->find_out(call.part)) set_up_nodes(writer);
  algorithm(writer);
}

// Within an operation the first row is the fallback.
constexpr auto kAlgorithms = std::to_array<CollectiveAlgorithm>({
    {Operation::barrier, "dissemination", "ompi_bruck", "ceil(log2 P) rounds, distances doubling",
     expand<barrier::dissemination>},
    {Operation::barrier, "recursive_doubling", "ompi_recursivedoubling",
     "pairs at doubling distances; extra ranks before and after",
     expand<barrier::recursive_doubling>},
    {Operation::barrier, "tree", "ompi_tree", "binomial gather to rank 0 and release",
     expand<barrier::tree>},
    {Operation::barrier, "linear", "ompi_basic_linear", "all to rank 0 and back",
     expand<barrier::linear>},
    {Operation::barrier, "two_procs", "ompi_two_procs",
     "one exchange; recursive_doubling unless P = 2", expand<barrier::two_procs>},
    {Operation::barrier, "double_ring", "ompi_doublering", "a token goes round twice",
     expand<barrier::double_ring>},
    {Operation::barrier, "two_level", "mpich_smp",
     "dissemination in nodes, among leaders, a byte back", expand<barrier::two_level>, true},

    {Operation::bcast, "binomial", "binomial_tree", "binomial tree, whole vector",
     expand<bcast::binomial>},
    {Operation::bcast, "linear", "flattree", "root sends to each", expand<bcast::linear>},
    {Operation::bcast, "knomial", "mvapich2_knomial_intra_node", "tree of radix 4",
     expand<bcast::knomial>, true},
    {Operation::bcast, "binary", "NTSB", "binary tree from rank 0, 8 KiB segments",
     expand<bcast::binary>},
    {Operation::bcast, "chain", "NTSL", "line from rank 0, 8 KiB segments", expand<bcast::chain>},
    {Operation::bcast, "pipeline", "ompi_pipeline", "line from the root, 16..128 KiB segments",
     expand<bcast::pipeline>},
    {Operation::bcast, "split_binary", "ompi_split_bintree",
     "halves down two subtrees, then swapped", expand<bcast::split_binary>},
    {Operation::bcast, "scatter_allgather", "scatter_rdb_allgather",
     "binomial scatter, recursive-doubling allgather", expand<bcast::scatter_allgather>},
    {Operation::bcast, "scatter_ring_allgather", "scatter_LR_allgather",
     "binomial scatter, ring allgather", expand<bcast::scatter_ring_allgather>},
    {Operation::bcast, "linear_segmented", "flattree_pipeline", "root sends 8 KiB segments to each",
     expand<bcast::linear_segmented>},
    {Operation::bcast, "smp_binomial", "SMP_binomial", "binomial among leaders, then in nodes",
     expand<bcast::smp_binomial>, true},
    {Operation::bcast, "smp_chain", "SMP_linear", "8 KiB segments along leaders and nodes",
     expand<bcast::smp_chain>, true},
    {Operation::bcast, "smp_binary", "SMP_binary",
     "8 KiB segments down binary trees of leaders and nodes", expand<bcast::smp_binary>, true},
    {Operation::bcast, "among_leaders", "mvapich2_inter_node",
     "the root's leader, then all leaders", expand<bcast::among_leaders>, true},
    {Operation::bcast, "two_level", "mvapich2_intra_node", "leaders, then nodes, by size",
     expand<bcast::two_level>, true},
    {Operation::bcast, "arrival", "arrival_pattern_aware", "a chain of who has come",
     expand<bcast::arrival>},
    {Operation::bcast, "arrival_wait", "arrival_pattern_aware_wait", "the same, all sends at once",
     expand<bcast::arrival_wait>},
    {Operation::bcast, "arrival_scatter", "arrival_scatter",
     "scatter over who has come, ring allgather", expand<bcast::arrival_scatter>},

    {Operation::reduce, "binomial", "binomial", "binomial tree, whole vector",
     expand<reduce::binomial>},
    {Operation::reduce, "binomial_segmented", "ompi_binomial",
     "binomial tree, 1 KiB segments on many ranks", expand<reduce::binomial_segmented>},
    {Operation::reduce, "linear", "ompi_basic_linear", "root receives one after the other",
     expand<reduce::linear>},
    {Operation::reduce, "linear_nonblocking", "", "root receives all at once",
     expand<reduce::linear_nonblocking>},
    {Operation::reduce, "binary", "ompi_binary", "binary tree, 32 KiB segments",
     expand<reduce::binary>},
    {Operation::reduce, "chain", "ompi_chain", "P/2 lines (at most 32), 64 KiB segments",
     expand<reduce::chain>},
    {Operation::reduce, "pipeline", "ompi_pipeline", "one line, 1..64 KiB segments",
     expand<reduce::pipeline>},
    {Operation::reduce, "in_order_binary", "ompi_in_order_binary",
     "binary tree in rank order to rank P-1, then to the root", expand<reduce::in_order_binary>},
    {Operation::reduce, "rabenseifner", "scatter_gather", "recursive halving, binomial gather",
     expand<reduce::rabenseifner>},
    {Operation::reduce, "linear_isend", "default", "root receives all at once, sends do not block",
     expand<reduce::linear_isend>},
    {Operation::reduce, "chain_nonblocking", "NTSL",
     "line to the root, 8 KiB segments, receives ahead", expand<reduce::chain_nonblocking>},
    {Operation::reduce, "knomial", "mvapich2_knomial", "tree of radix 4", expand<reduce::knomial>},
    {Operation::reduce, "halves", "rab", "halves among pairs, then gathered",
     expand<reduce::halves>},
    {Operation::reduce, "two_level", "mvapich2_two_level", "in nodes, then among leaders",
     expand<reduce::two_level>, true},
    {Operation::reduce, "arrival", "arrival_pattern_aware", "a chain of who has come",
     expand<reduce::arrival>},

    {Operation::allreduce, "recursive_doubling", "rdb", "pairs swap whole vectors",
     expand<allreduce::recursive_doubling>},
    {Operation::allreduce, "rabenseifner", "rab_rdb",
     "recursive halving, recursive-doubling allgather", expand<allreduce::rabenseifner>},
    {Operation::allreduce, "ring", "", "ring reduce-scatter and allgather",
     expand<allreduce::ring>},
    {Operation::allreduce, "ring_empty_blocks", "", "ring, also of fewer elements than ranks",
     expand<allreduce::ring_empty_blocks>},
    {Operation::allreduce, "ring_segmented", "", "ring with 1 MiB phases",
     expand<allreduce::ring_segmented>},
    {Operation::allreduce, "lr", "lr", "SimGrid's ring: the rest reduced and broadcast",
     expand<allreduce::lr>},
    {Operation::allreduce, "lr_segmented", "ompi_ring_segmented", "SimGrid's segmented ring",
     expand<allreduce::lr_segmented>},
    {Operation::allreduce, "reduce_bcast", "", "binomial reduce and broadcast",
     expand<allreduce::reduce_bcast>},
    {Operation::allreduce, "nonoverlapping", "redbcast",
     "reduce and broadcast as Open MPI decides each", expand<allreduce::nonoverlapping>},
    {Operation::allreduce, "linear", "", "linear reduce, binomial broadcast",
     expand<allreduce::linear>},
    {Operation::allreduce, "linear_nonblocking", "default",
     "linear reduce with nonblocking sends, binomial broadcast",
     expand<allreduce::linear_nonblocking>},
    {Operation::allreduce, "halves", "rab", "halves among pairs, then back",
     expand<allreduce::halves>},
    {Operation::allreduce, "equal_halves", "rab1", "recursive halving, then an allgather",
     expand<allreduce::equal_halves>},
    {Operation::allreduce, "alltoall_allgather", "rab2", "alltoall, then an allgather",
     expand<allreduce::alltoall_allgather>},
    {Operation::allreduce, "smp_binomial", "smp_binomial", "binomial in nodes and among leaders",
     expand<allreduce::smp_binomial>, true},
    {Operation::allreduce, "smp_binomial_segmented", "smp_binomial_pipeline",
     "the same in segments of 4096 elements", expand<allreduce::smp_binomial_segmented>, true},
    {Operation::allreduce, "smp_recursive_doubling", "smp_rdb", "recursive doubling among leaders",
     expand<allreduce::smp_recursive_doubling>, true},
    {Operation::allreduce, "smp_ring", "smp_rsag", "ring of equal blocks among leaders",
     expand<allreduce::smp_ring>, true},
    {Operation::allreduce, "smp_chain", "smp_rsag_lr", "ring among leaders, the last block longer",
     expand<allreduce::smp_chain>, true},
    {Operation::allreduce, "smp_rabenseifner", "smp_rsag_rab", "rabenseifner among leaders",
     expand<allreduce::smp_rabenseifner>, true},
    {Operation::allreduce, "two_level", "mvapich2_two_level",
     "in nodes, recursive doubling among leaders, broadcast", expand<allreduce::two_level>, true},

    {Operation::allgather, "ring", "NTSLR", "blocks passed on to the right neighbour",
     expand<allgather::ring>},
    {Operation::allgather, "ring_nonblocking", "NTSLR_NB", "ring, all receives posted first",
     expand<allgather::ring_nonblocking>},
    {Operation::allgather, "recursive_doubling", "rdb", "groups swap all they have",
     expand<allgather::recursive_doubling>},
    {Operation::allgather, "bruck", "bruck", "ceil(log2 P) rounds for any P",
     expand<allgather::bruck>},
    {Operation::allgather, "neighbor_exchange", "ompi_neighborexchange",
     "two blocks a round with neighbours; spread if P is odd",
     expand<allgather::neighbor_exchange>},
    {Operation::allgather, "pairwise", "pair", "partners rank ^ i; spread unless P = 2^k",
     expand<allgather::pairwise>},
    {Operation::allgather, "spread", "ring", "own block to rank + i in round i",
     expand<allgather::spread>},
    {Operation::allgather, "linear", "default", "everything at once", expand<allgather::linear>},
    {Operation::allgather, "gather_bcast", "GB", "linear gather, binomial broadcast",
     expand<allgather::gather_bcast>},
    {Operation::allgather, "mesh_2d", "2dmesh", "rows, then columns of a mesh",
     expand<allgather::mesh_2d>},
    {Operation::allgather, "mesh_3d", "3dmesh", "rows, columns, then planes",
     expand<allgather::mesh_3d>},
    {Operation::allgather, "recursive_halving", "rhv",
     "bits reversed, then halving distances; P = 2^k", expand<allgather::recursive_halving>},
    {Operation::allgather, "spread_at_once", "spreading_simple", "own block to all, all at once",
     expand<allgather::spread_at_once>},
    {Operation::allgather, "smp_ring", "SMP_NTS", "in nodes, ring among leaders, down each node",
     expand<allgather::smp_ring>, true},
    {Operation::allgather, "smp_linear", "smp_simple",
     "in nodes, leaders all at once, to each of the node", expand<allgather::smp_linear>, true},
    {Operation::allgather, "smp_loose_ring", "loosely_lr",
     "each rank's ring of nodes, shared in the node", expand<allgather::smp_loose_ring>, true},
    {Operation::allgather, "two_level", "mvapich2_smp",
     "gather, allgather among leaders, broadcast", expand<allgather::two_level>, true},

    {Operation::allgatherv, "ring", "mpich_ring", "blocks passed on in pieces of 256 KiB or more",
     expand<allgather::ring_in_pieces>},
    {Operation::allgatherv, "recursive_doubling", "mpich_rdb", "groups swap all they have",
     expand<allgather::recursive_doubling>},
    {Operation::allgatherv, "bruck", "ompi_bruck", "ceil(log2 P) rounds for any P",
     expand<allgather::bruck>},
    {Operation::allgatherv, "neighbor_exchange", "ompi_neighborexchange",
     "two blocks a round with neighbours; spread if P is odd",
     expand<allgather::neighbor_exchange>},
    {Operation::allgatherv, "pairwise", "pair", "partners rank ^ i; spread unless P = 2^k",
     expand<allgather::pairwise>},
    {Operation::allgatherv, "spread", "ring", "own block to rank + i in round i",
     expand<allgather::spread>},
    {Operation::allgatherv, "linear", "default", "everything at once", expand<allgather::linear>},
    {Operation::allgatherv, "gather_bcast", "GB", "linear gatherv, binomial broadcast",
     expand<allgather::gather_bcast>},

    {Operation::alltoall, "linear", "basic_linear", "everything at once", expand<alltoall::linear>},
    {Operation::alltoall, "pairwise", "pair", "partners rank ^ i; ring unless P = 2^k",
     expand<alltoall::pairwise>},
    {Operation::alltoall, "ring", "ring", "to rank + i, from rank - i in round i",
     expand<alltoall::ring>},
    {Operation::alltoall, "bruck", "bruck", "ceil(log2 P) rounds of about P/2 blocks",
     expand<alltoall::bruck>},
    {Operation::alltoall, "scatter_dest", "mvapich2_scatter_dest", "linear, 4 partners at a time",
     expand<alltoall::scatter_dest>},
    {Operation::alltoall, "scatter_dest_32", "", "linear, 32 partners at a time (MPICH)",
     expand<alltoall::scatter_dest_32>},
    {Operation::alltoall, "mesh_2d", "2dmesh", "whole buffers along rows, then columns",
     expand<alltoall::mesh_2d>},
    {Operation::alltoall, "mesh_3d", "3dmesh", "whole buffers along rows and columns, then planes",
     expand<alltoall::mesh_3d>},
    {Operation::alltoall, "recursive_doubling", "rdb", "allgather of whole buffers",
     expand<alltoall::recursive_doubling>},
    {Operation::alltoall, "one_sided", "pair_rma", "puts between two fences",
     expand<alltoall::one_sided>},
    {Operation::alltoall, "ring_light_barrier", "ring_light_barrier",
     "ring, a byte says when to go on", expand<alltoall::ring_light_barrier>},
    {Operation::alltoall, "ring_barriers", "ring_mpi_barrier", "ring, a barrier before each round",
     expand<alltoall::ring_barriers>},
    {Operation::alltoall, "ring_one_barrier", "ring_one_barrier", "ring after a barrier",
     expand<alltoall::ring_one_barrier>},
    {Operation::alltoall, "pairwise_light_barrier", "pair_light_barrier",
     "pairwise, a byte says when to go on", expand<alltoall::pairwise_light_barrier>},
    {Operation::alltoall, "pairwise_barriers", "pair_mpi_barrier",
     "pairwise, a barrier before each round", expand<alltoall::pairwise_barriers>},
    {Operation::alltoall, "pairwise_one_barrier", "pair_one_barrier", "pairwise after a barrier",
     expand<alltoall::pairwise_one_barrier>},

    {Operation::alltoallv, "linear", "ompi_basic_linear", "everything at once",
     expand<alltoall::linear_in_order>},
    {Operation::alltoallv, "pairwise", "pair", "partners rank ^ i; ring unless P = 2^k",
     expand<alltoall::pairwise>},
    {Operation::alltoallv, "ring", "", "to rank + i, from rank - i in round i",
     expand<alltoall::ring>},
    {Operation::alltoallv, "scatter_dest", "bruck", "linear, 4 partners at a time",
     expand<alltoall::scatter_dest>},
    {Operation::alltoallv, "scatter_dest_32", "", "linear, 32 partners at a time (MPICH)",
     expand<alltoall::scatter_dest_32>},
    {Operation::alltoallv, "ring_light_barrier", "ring_light_barrier",
     "ring, a byte says when to go on", expand<alltoall::ring_light_barrier>},
    {Operation::alltoallv, "ring_barriers", "ring_mpi_barrier", "ring, a barrier before each round",
     expand<alltoall::ring_barriers>},
    {Operation::alltoallv, "ring_one_barrier", "ring_one_barrier", "ring after a barrier",
     expand<alltoall::ring_one_barrier>},
    {Operation::alltoallv, "pairwise_light_barrier", "pair_light_barrier",
     "pairwise, a byte says when to go on", expand<alltoall::pairwise_light_barrier>},
    {Operation::alltoallv, "pairwise_barriers", "pair_mpi_barrier",
     "pairwise, a barrier before each round", expand<alltoall::pairwise_barriers>},
    {Operation::alltoallv, "pairwise_one_barrier", "pair_one_barrier", "pairwise after a barrier",
     expand<alltoall::pairwise_one_barrier>},

    {Operation::alltoallw, "linear", "default", "everything at once",
     expand<alltoall::linear_in_order>},
    {Operation::alltoallw, "pairwise", "", "partners rank ^ i; ring unless P = 2^k",
     expand<alltoall::pairwise>},
    {Operation::alltoallw, "ring", "", "to rank + i, from rank - i in round i",
     expand<alltoall::ring>},
    {Operation::alltoallw, "scatter_dest_32", "", "linear, 32 partners at a time (MPICH)",
     expand<alltoall::scatter_dest_32>},

    {Operation::gather, "binomial", "ompi_binomial", "subtrees' blocks up a binomial tree",
     expand<gather::binomial>},
    {Operation::gather, "linear", "ompi_basic_linear", "root receives one after the other",
     expand<gather::linear>},
    {Operation::gather, "linear_nonblocking", "", "root receives all at once",
     expand<gather::linear_nonblocking>},
    {Operation::gather, "linear_sync", "ompi_linear_sync", "root asks one rank at a time",
     expand<gather::linear_sync>},
    {Operation::gather, "linear_isend", "default", "root receives all at once, sends do not block",
     expand<gather::linear_isend>},
    {Operation::gather, "two_level", "mvapich2_two_level", "in nodes, then leaders",
     expand<gather::two_level>, true},
    {Operation::gatherv, "linear", "", "root receives all at once",
     expand<gather::linear_nonblocking>},
    {Operation::gatherv, "binomial", "", "subtrees' blocks up a binomial tree",
     expand<gather::binomial>},
    {Operation::gatherv, "linear_isend", "default", "root receives all at once, sends do not block",
     expand<gather::linear_isend>},

    {Operation::scatter, "binomial", "ompi_binomial", "subtrees' blocks down a binomial tree",
     expand<scatter::binomial>},
    {Operation::scatter, "linear", "ompi_basic_linear", "root sends one after the other",
     expand<scatter::linear>},
    {Operation::scatter, "linear_nonblocking", "ompi_linear_nb", "root sends all at once",
     expand<scatter::linear_nonblocking>},
    {Operation::scatter, "two_level_binomial", "mvapich2_two_level_binomial",
     "binomial among leaders, then in nodes", expand<scatter::two_level_binomial>, true},
    {Operation::scatter, "two_level_direct", "mvapich2_two_level_direct",
     "linear among leaders, then in nodes", expand<scatter::two_level_direct>, true},
    {Operation::scatterv, "linear", "default", "root sends all at once",
     expand<scatter::linear_nonblocking>},
    {Operation::scatterv, "binomial", "", "subtrees' blocks down a binomial tree",
     expand<scatter::binomial>},

    {Operation::reduce_scatter, "recursive_halving", "ompi_basic_recursivehalving",
     "halves to partners at halving distances", expand<reduce_scatter::recursive_halving>},
    {Operation::reduce_scatter, "butterfly", "ompi_butterfly",
     "halves to partners at doubling distances, then home", expand<reduce_scatter::butterfly>},
    {Operation::reduce_scatter, "ring", "ompi_ring", "blocks go round to their owners",
     expand<reduce_scatter::ring>},
    {Operation::reduce_scatter, "pairwise", "mpich_pair", "blocks straight to their owners",
     expand<reduce_scatter::pairwise>},
    {Operation::reduce_scatter, "recursive_doubling", "mpich_rdb",
     "groups swap all but their own blocks", expand<reduce_scatter::recursive_doubling>},
    {Operation::reduce_scatter, "noncommutative", "mpich_noncomm",
     "in-order halving; recursive_doubling unless P = 2^k and blocks are equal",
     expand<reduce_scatter::noncommutative>},
    {Operation::reduce_scatter, "reduce_scatterv", "default", "linear reduce and scatterv",
     expand<reduce_scatter::reduce_scatterv>},

    {Operation::reduce_scatter_block, "recursive_halving", "",
     "halves to partners at halving distances", expand<reduce_scatter::recursive_halving>},
    {Operation::reduce_scatter_block, "butterfly", "",
     "halves to partners at doubling distances, then home", expand<reduce_scatter::butterfly>},
    {Operation::reduce_scatter_block, "ring", "", "blocks go round to their owners",
     expand<reduce_scatter::ring>},
    {Operation::reduce_scatter_block, "pairwise", "", "blocks straight to their owners",
     expand<reduce_scatter::pairwise>},
    {Operation::reduce_scatter_block, "recursive_doubling", "",
     "groups swap all but their own blocks", expand<reduce_scatter::recursive_doubling>},
    {Operation::reduce_scatter_block, "noncommutative", "",
     "in-order halving; recursive_doubling unless P = 2^k", expand<reduce_scatter::noncommutative>},
    {Operation::reduce_scatter_block, "reduce_scatterv", "", "linear reduce and scatterv",
     expand<reduce_scatter::reduce_scatterv>},

    {Operation::scan, "linear", "", "along a line of ranks", expand<scan::linear>},
    {Operation::scan, "recursive_doubling", "", "groups swap what they have",
     expand<scan::recursive_doubling>},
    {Operation::scan, "direct", "default", "own vector to all higher ranks", expand<scan::direct>},
    {Operation::exscan, "linear", "", "along a line of ranks", expand<scan::linear>},
    {Operation::exscan, "recursive_doubling", "", "groups swap what they have",
     expand<scan::recursive_doubling>},
    {Operation::exscan, "direct", "default", "own vector to all higher ranks",
     expand<scan::direct>},

    {Operation::neighbor_allgather, "linear", "", "all neighbours at once",
     expand<neighbor::linear>},
    {Operation::neighbor_allgatherv, "linear", "", "all neighbours at once",
     expand<neighbor::linear>},
    {Operation::neighbor_alltoall, "linear", "", "all neighbours at once",
     expand<neighbor::linear>},
    {Operation::neighbor_alltoallv, "linear", "", "all neighbours at once",
     expand<neighbor::linear>},
    {Operation::neighbor_alltoallw, "linear", "", "all neighbours at once",
     expand<neighbor::linear>},
});

/// SimGrid has more than one name for some schedules.
struct SmpiAlias {
  Operation operation;
  std::string_view smpi_name;
  std::string_view name;
};

constexpr auto kSmpiAliases = std::to_array<SmpiAlias>({
    {Operation::barrier, "default", "linear"},
    {Operation::barrier, "mvapich2_pair", "recursive_doubling"},
    {Operation::bcast, "default", "binomial"},
    {Operation::bcast, "NTSL_Isend", "chain"},
    {Operation::allreduce, "mvapich2_rs", "rabenseifner"},
    {Operation::reduce, "flat_tree", "linear"},
    {Operation::alltoallv, "ring", "pairwise"},
    {Operation::alltoallv, "default", "linear"},
    {Operation::scatter, "default", "linear_nonblocking"},
});

bool same_word(std::string_view a, std::string_view b) {
  const auto folded = [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  return std::ranges::equal(a, b, {}, folded, folded);
}

template <class Matches>
const CollectiveAlgorithm* first_where(Operation operation, Matches matches) {
  const auto found = std::ranges::find_if(kAlgorithms, [&](const CollectiveAlgorithm& a) {
    return a.operation == operation && matches(a);
  });
  return found == kAlgorithms.end() ? nullptr : &*found;
}

const CollectiveAlgorithm* named(Operation operation, std::string_view name) {
  return first_where(operation,
                     [&](const CollectiveAlgorithm& a) { return same_word(a.name, name); });
}

}  // namespace

const CollectiveAlgorithm& collectives::first_algorithm(Operation operation) {
  const CollectiveAlgorithm* found =
      first_where(operation, [](const CollectiveAlgorithm&) { return true; });
  expects(found != nullptr, "a collective is asked for by its blocking form");
  return *found;
}

void apply(const SmpiDecision& decision, CollectiveCall& call) {
  call.among_leaders = decision.among_leaders;
  call.in_nodes = decision.in_nodes;
  call.tuned = decision.tuned;
  call.needs_setup = decision.needs_setup;
}

std::span<const CollectiveAlgorithm> collective_algorithms() {
  return kAlgorithms;
}

const CollectiveAlgorithm* find_smpi_algorithm(Operation operation, std::string_view smpi_name) {
  if (smpi_name.empty()) return nullptr;
  const CollectiveAlgorithm* found = first_where(
      operation, [&](const CollectiveAlgorithm& a) { return same_word(a.smpi_name, smpi_name); });
  if (found != nullptr) return found;
  for (const SmpiAlias& alias : kSmpiAliases) {
    if (alias.operation == operation && same_word(alias.smpi_name, smpi_name)) {
      return named(operation, alias.name);
    }
  }
  return nullptr;
}

const CollectiveAlgorithm* find_algorithm(Operation operation, std::string_view name) {
  const CollectiveAlgorithm* found = named(operation, name);
  return found != nullptr ? found : find_smpi_algorithm(operation, name);
}

}  // namespace slackline
