#include "replay/collective_blocks.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "calls/neighbourhood.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

/// One size for each of `n` blocks.
CollectiveBlocks listed_blocks(const Call& call, std::uint64_t n) {
  if (call.args.size() != n) {
    return {.problem = "does not tell how much it exchanges with each rank"};
  }
  CollectiveBlocks blocks{.sizes = {call.args.begin(), call.args.end()}};
  for (const std::int64_t bytes : blocks.sizes) blocks.room += static_cast<std::uint64_t>(bytes);
  return blocks;
}

/// Appends the sizes of what goes to, or comes from, the neighbours; returns their sum. Blocks
/// between the same two ranks are ordered by their size on both sides: a Cartesian communicator
/// matches them by direction, a graph by order.
std::uint64_t append_neighbours(const Neighbourhood::List& neighbours,
                                std::vector<std::int64_t>& sizes) {
  std::vector<Neighbourhood::Neighbour> blocks;
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    if (neighbours[k].rank >= 0) blocks.push_back(neighbours[k]);
  }
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    for (std::size_t b = a + 1; b < blocks.size(); ++b) {
      if (blocks[b].rank == blocks[a].rank && blocks[b].bytes > blocks[a].bytes) {
        std::swap(blocks[a].bytes, blocks[b].bytes);
      }
    }
  }
  std::uint64_t sum = 0;
  sizes.push_back(static_cast<std::int64_t>(blocks.size()));
  for (const auto& [peer, bytes] : blocks) {
    sizes.push_back(bytes);
    sum += static_cast<std::uint64_t>(bytes);
  }
  return sum;
}

CollectiveBlocks neighbour_blocks(const Call& call) {
  const Neighbourhood neighbours(call.args);
  if (!neighbours.whole()) return {.problem = "names no neighbours"};
  CollectiveBlocks blocks;
  const std::uint64_t sent = append_neighbours(neighbours.out(), blocks.sizes);
  const std::uint64_t received = append_neighbours(neighbours.in(), blocks.sizes);
  blocks.room = std::max(sent, received);
  return blocks;
}

}  // namespace

CollectiveBlocks collective_blocks(const Call& call, std::uint64_t own, std::uint64_t peers) {
  using enum Operation;
  switch (blocking_form(call.operation)) {
    case gather:
    case scatter:
    case allgather:
    case alltoall:
    case reduce_scatter_block:
      return {.room = call.bytes * peers};
    case alltoallv:
    case alltoallw:
      return listed_blocks(call, 2 * peers);
    case allgatherv:
      return listed_blocks(call, peers);
    case reduce_scatter:
      return listed_blocks(call, own);
    case gatherv:
    case scatterv:
      return call.args.empty() ? CollectiveBlocks{.room = call.bytes} : listed_blocks(call, peers);
    case neighbor_allgather:
    case neighbor_allgatherv:
    case neighbor_alltoall:
    case neighbor_alltoallv:
    case neighbor_alltoallw:
      return neighbour_blocks(call);
    default:
      return {.room = call.bytes};
  }
}

}  // namespace slackline
