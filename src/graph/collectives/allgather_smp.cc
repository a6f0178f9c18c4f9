// Allgather for nodes of several ranks (SimGrid's, after Faraj and Yuan; MVAPICH2).
//
// With c ranks on every node, ranks numbered node by node: what is local is exchanged inside the
// node, and only one rank a node, or each for its own share, talks to the other nodes.
//
// - smp_linear: in a node everybody to everybody in rounds; then leaders exchange nodes' blocks all
//   at once; then each leader gives all of it to its node's ranks one by one.
// - smp_ring: the same, but leaders pass nodes' blocks round a ring, and each arriving block goes
// at
//   once down the line of the node's ranks.
// - smp_loose_ring: every rank passes its own column round its own ring of nodes, and hands what
//   comes to the others of the node as it goes; nothing is waited for but the ring.
// - two_level: gather to the leaders, allgather among them (MPICH's), broadcast in each node.
//
// Nodes of different sizes count as nodes of one rank; two_level does not exist on them, nor where
// a node's ranks are not consecutive: the ring then. What SimGrid's refuse is thus performed.

#include "graph/collectives/algorithms.h"
#include "graph/collectives/smp.h"

namespace slackline::collectives::allgather {
namespace {

struct Place {
  explicit Place(const StepWriter& w) : Place(w, NodeLayout(w).cores()) {}
  Place(const StepWriter& w, std::int32_t cores_a_node)
      : cores(cores_a_node),
        nodes(w.size() / cores_a_node),
        node(w.rank() / cores_a_node),
        local(w.rank() % cores_a_node),
        node_bytes(static_cast<std::uint64_t>(cores_a_node) * w.bytes()) {}

  std::int32_t leader(std::int32_t of) const { return (of + nodes) % nodes * cores; }

  std::int32_t cores, nodes, node, local;
  std::uint64_t node_bytes;
};

void exchange_in_node(StepWriter& w, const Place& at) {
  const std::int32_t first = at.leader(at.node);
  for (std::int32_t i = 1; i < at.cores; ++i) {
    w.exchange(first + (at.local + i) % at.cores, w.bytes(),
               first + (at.local - i + at.cores) % at.cores, w.bytes());
  }
}

}  // namespace

void smp_linear(StepWriter& w) {
  const Place at(w);
  exchange_in_node(w, at);
  if (at.local == 0) {
    for (std::int32_t i = 1; i < at.nodes; ++i) w.irecv(at.leader(at.node - i), at.node_bytes);
    for (std::int32_t i = 1; i < at.nodes; ++i) w.isend(at.leader(at.node + i), at.node_bytes);
    w.wait_all();
    for (std::int32_t i = 1; i < at.cores; ++i) w.send(w.rank() + i, w.blocks(0, w.size()));
  } else {
    w.recv(at.leader(at.node), w.blocks(0, w.size()));
  }
}

void smp_ring(StepWriter& w) {
  const Place at(w);
  if (at.nodes <= 1) return linear(w);
  exchange_in_node(w, at);
  if (at.local > 0) {
    for (std::int32_t i = 0; i + 1 < at.nodes; ++i) {
      w.recv(w.rank() - 1, at.node_bytes);
      if (at.local + 1 < at.cores) w.send(w.rank() + 1, at.node_bytes);
    }
    return;
  }
  std::vector<StepWriter::Request> posted;
  for (std::int32_t i = 0; w.single_waits() && i + 1 < at.nodes; ++i) {
    posted.push_back(w.irecv(at.leader(at.node - 1), at.node_bytes));
  }
  w.isend(at.leader(at.node + 1), at.node_bytes);
  for (std::int32_t i = 0; i + 1 < at.nodes; ++i) {
    if (posted.empty()) {
      w.recv(at.leader(at.node - 1), at.node_bytes);
    } else {
      w.wait(posted[static_cast<std::size_t>(i)]);
    }
    if (i + 2 < at.nodes) w.isend(at.leader(at.node + 1), at.node_bytes);
    if (at.cores > 1) w.send(w.rank() + 1, at.node_bytes);
  }
  w.wait_all();
}

void smp_loose_ring(StepWriter& w) {
  const Place at(w);
  const std::int32_t next = w.shift(w.rank(), at.cores);
  const std::int32_t previous = w.shift(w.rank(), -at.cores);
  for (std::int32_t i = 0; i < at.nodes; ++i) {
    StepWriter::Request arriving = StepWriter::kNone;
    for (std::int32_t j = 0; j < at.cores; ++j) {
      if (at.local == j && i + 1 < at.nodes) {
        arriving = w.irecv(previous, w.bytes());
        w.isend(next, w.bytes());
      }
      const std::int32_t other = at.leader(at.node) + j;
      w.irecv(other, w.bytes());
      w.isend(other, w.bytes());
    }
    w.wait(arriving);
  }
  w.wait_all();
}

void two_level(StepWriter& w) {
  const NodeLayout layout(w);
  if (!layout.uniform() || !layout.blocked()) return ring(w);
  if (w.bytes() == 0) return;
  const std::uint64_t node_bytes = static_cast<std::uint64_t>(layout.cores()) * w.bytes();
  w.nested_among_chosen(layout.node(), w.part(Operation::gather, w.bytes()), gather::linear_isend);
  CollectiveCall among = w.part(Operation::allgather, node_bytes);
  among.size = static_cast<std::int32_t>(layout.leaders().size());
  among.smp_part = true;
  w.nested_among(layout.leaders(), among, *smpi_decision("mpich", among).algorithm);
  w.nested_among_chosen(layout.node(), w.part(Operation::bcast, w.blocks(0, w.size())),
                        bcast::binomial);
}

}  // namespace slackline::collectives::allgather
