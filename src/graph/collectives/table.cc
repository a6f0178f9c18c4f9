// The visible list of collective algorithms: operation, name, SimGrid's name, what it is.
// doc/collectives.md shows the same list with costs; a test compares the two.

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.h"
#include "graph/collectives/algorithms.h"

namespace slackline {

namespace {

using namespace collectives;

template <Algorithm* algorithm>
void expand(const CollectiveCall& call, std::int32_t rank, OwnCounts own,
            std::vector<CollectiveStep>& steps) {
  if (call.size <= 1) return;
  StepWriter writer(call, rank, own, steps);
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

    {Operation::bcast, "binomial", "binomial_tree", "binomial tree, whole vector",
     expand<bcast::binomial>},
    {Operation::bcast, "linear", "flattree", "root sends to each", expand<bcast::linear>},
    {Operation::bcast, "knomial", "mvapich2_knomial_intra_node", "tree of radix 4",
     expand<bcast::knomial>},
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

    {Operation::reduce, "binomial", "binomial", "binomial tree, whole vector",
     expand<reduce::binomial>},
    {Operation::reduce, "binomial_segmented", "ompi_binomial",
     "binomial tree, 1 KiB segments on many ranks", expand<reduce::binomial_segmented>},
    {Operation::reduce, "linear", "ompi_basic_linear", "root receives one after the other",
     expand<reduce::linear>},
    {Operation::reduce, "linear_nonblocking", "default", "root receives all at once",
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

    {Operation::allreduce, "recursive_doubling", "rdb", "pairs swap whole vectors",
     expand<allreduce::recursive_doubling>},
    {Operation::allreduce, "rabenseifner", "rab_rdb",
     "recursive halving, recursive-doubling allgather", expand<allreduce::rabenseifner>},
    {Operation::allreduce, "ring", "", "ring reduce-scatter and allgather",
     expand<allreduce::ring>},
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
    {Operation::allreduce, "linear", "default", "linear reduce, binomial broadcast",
     expand<allreduce::linear>},

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
    {Operation::gather, "linear_nonblocking", "default", "root receives all at once",
     expand<gather::linear_nonblocking>},
    {Operation::gather, "linear_sync", "ompi_linear_sync", "root asks one rank at a time",
     expand<gather::linear_sync>},
    {Operation::gatherv, "linear", "default", "root receives all at once",
     expand<gather::linear_nonblocking>},
    {Operation::gatherv, "binomial", "", "subtrees' blocks up a binomial tree",
     expand<gather::binomial>},

    {Operation::scatter, "binomial", "ompi_binomial", "subtrees' blocks down a binomial tree",
     expand<scatter::binomial>},
    {Operation::scatter, "linear", "ompi_basic_linear", "root sends one after the other",
     expand<scatter::linear>},
    {Operation::scatter, "linear_nonblocking", "ompi_linear_nb", "root sends all at once",
     expand<scatter::linear_nonblocking>},
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
    {Operation::barrier, "mpich", "dissemination"},
    {Operation::bcast, "default", "binomial"},
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
