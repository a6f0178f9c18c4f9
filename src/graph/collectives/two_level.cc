// MVAPICH2's two-level reduce, gather, scatter and barrier: inside the nodes, and among their
// leaders; a root that leads no node talks to its leader.
//
// - reduce: in each node to the leader, then among the leaders, by MPICH's choice for those numbers
//   of ranks; one node alone: knomial, or linear for vectors below 8 KiB.
// - gather: in each node binomially, then the leaders' nodes linearly.
// - scatter: among the leaders linearly (direct) or binomially, then in each node binomially.
// - barrier: dissemination in each node and among the leaders, then one byte broadcast in each
// node.

#include <algorithm>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/smp.h"

namespace slackline::collectives {
namespace {

constexpr std::uint64_t kSharedMemoryReduce = 8192;
constexpr std::uint64_t kLongestSharedReduce = std::uint64_t{1} << 11;

std::int32_t place_of(std::span<const std::int32_t> ranks, std::int32_t rank) {
  return static_cast<std::int32_t>(std::ranges::find(ranks, rank) - ranks.begin());
}

}  // namespace

void reduce::two_level(StepWriter& w) {
  const NodeLayout layout(w);
  const std::int32_t leader = layout.leader_of(w.root());
  const bool one_node = layout.leaders().size() == 1;
  if (one_node && w.bytes() > kLongestSharedReduce) return knomial(w);
  const CollectiveCall in_node = w.part(Operation::reduce, w.bytes());
  if (one_node) {
    w.nested(in_node, w.bytes() < kSharedMemoryReduce ? linear : knomial);
  } else {
    perform_level(w, layout.node(), in_node, w.call().in_nodes);
    perform_level(w, layout.leaders(),
                  w.part(Operation::reduce, w.bytes(), place_of(layout.leaders(), leader)),
                  w.call().among_leaders);
  }
  if (leader == w.root()) return;
  if (w.rank() == leader) w.send(w.root(), w.bytes());
  if (w.rank() == w.root()) w.recv(leader, w.bytes());
}

void gather::two_level(StepWriter& w) {
  if (w.bytes() == 0) return;
  const NodeLayout layout(w);
  const std::int32_t leader = layout.leader_of(w.root());
  perform_level(w, layout.node(), w.part(Operation::gather, w.bytes()), w.call().in_nodes);
  std::vector<std::int64_t> counts;
  for (const std::int32_t ranks : layout.node_sizes()) {
    counts.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(ranks) * w.bytes()));
  }
  CollectiveCall among = w.part(Operation::gatherv, w.bytes(), place_of(layout.leaders(), leader));
  among.counts = counts;
  w.nested_among(layout.leaders(), among, layout.uniform() ? linear : linear_isend);
  if (leader == w.root()) return;
  if (w.rank() == leader) w.send(w.root(), w.blocks(0, w.size()));
  if (w.rank() == w.root()) w.recv(leader, w.blocks(0, w.size()));
}

namespace {

void scatter_in_levels(StepWriter& w, Algorithm* among_leaders) {
  if (w.bytes() == 0) return;
  const NodeLayout layout(w);
  if (layout.leaders().size() == 1) return scatter::linear(w);
  const std::int32_t leader = layout.leader_of(w.root());
  if (leader != w.root()) {
    if (w.rank() == leader) w.recv(w.root(), w.blocks(0, w.size()));
    if (w.rank() == w.root()) w.send(leader, w.blocks(0, w.size()));
  }
  std::vector<std::int64_t> counts;
  for (const std::int32_t ranks : layout.node_sizes()) {
    counts.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(ranks) * w.bytes()));
  }
  CollectiveCall among = w.part(Operation::scatterv, w.bytes(), place_of(layout.leaders(), leader));
  among.counts = counts;
  w.nested_among(layout.leaders(), among,
                 layout.uniform() ? among_leaders : scatter::linear_nonblocking);
  perform_level(w, layout.node(), w.part(Operation::scatter, w.bytes()), w.call().in_nodes);
}

}  // namespace

void scatter::two_level_direct(StepWriter& w) {
  scatter_in_levels(w, linear);
}

void scatter::two_level_binomial(StepWriter& w) {
  scatter_in_levels(w, binomial);
}

void barrier::two_level(StepWriter& w) {
  const NodeLayout layout(w);
  w.nested_among(layout.node(), w.part(Operation::barrier, 0), dissemination);
  w.nested_among(layout.leaders(), w.part(Operation::barrier, 0), dissemination);
  w.nested_among(layout.node(), w.part(Operation::bcast, 1), bcast::binomial);
}

}  // namespace slackline::collectives
