// Broadcasts for nodes of several ranks: few messages between nodes, the rest inside.
//
// With c ranks on every node, numbered node by node, rank 0's node first (another root sends all to
// rank 0):
// - smp_binomial: binomial among the leaders, then in each node.
// - smp_chain: 8 KiB segments down the line of leaders, each leader's line of its node beside it.
// - smp_binary: the same down heap-numbered binary trees, of leaders and in the nodes.
// MVAPICH2's, on any layout:
// - among_leaders: the root's leader, then all leaders; nodes go without: it is half a broadcast.
// - two_level: the leaders, then each node (knomial above 128 KiB); up to 64 ranks only between
//   16 and 512 KiB, else one level: binomial for short, scatter and ring for long vectors.
//
// Where nodes are not of one size, SimGrid falls back on MPICH's choice; so do these.

#include <algorithm>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/smp.h"

namespace slackline::collectives::bcast {
namespace {

constexpr std::uint64_t kSegment = 8192;

/// MPICH's choice for a communicator whose nodes do not count.
void flat_mpich(StepWriter& w) {
  CollectiveCall call = w.part(Operation::bcast, w.bytes(), w.root());
  call.smp_part = true;
  w.nested(call, *smpi_decision("mpich", call).algorithm);
}

std::vector<std::int32_t> line(std::int32_t first, std::int32_t stride, std::int32_t count) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t i = 0; i < count; ++i) ranks.push_back(first + i * stride);
  return ranks;
}

void bring_to_zero(StepWriter& w) {
  if (w.root() == 0) return;
  if (w.rank() == w.root()) w.send(0, w.bytes());
  if (w.rank() == 0) w.recv(w.root(), w.bytes());
}

/// Segments from `parent` (-1: there is none) to `children` in order; what fills no segment follows
/// by a broadcast of its own.
void pass_on(StepWriter& w, std::int32_t parent, const std::vector<std::int32_t>& children) {
  const Segments cut(w.bytes(), w.element_bytes(), kSegment);
  const std::uint64_t segment = cut.bytes(0);
  const std::uint64_t whole = cut.count() == 1 ? 1 : w.bytes() / segment;
  std::vector<StepWriter::Request> posted;
  for (std::uint64_t i = 0; w.single_waits() && parent >= 0 && i < whole; ++i) {
    posted.push_back(w.irecv(parent, segment));
  }
  for (std::uint64_t i = 0; i < whole; ++i) {
    if (!posted.empty()) w.wait(posted[i]);
    if (posted.empty() && parent >= 0) w.recv(parent, segment);
    for (const std::int32_t child : children) w.send(child, segment);
  }
  w.wait_all();
  const std::uint64_t rest = w.bytes() - whole * segment;
  if (rest > 0) w.nested_chosen(w.part(Operation::bcast, rest, w.root()), binomial);
}

}  // namespace

void smp_binomial(StepWriter& w) {
  const NodeLayout layout(w);
  if (!layout.uniform()) return flat_mpich(w);
  const std::int32_t cores = layout.cores();
  bring_to_zero(w);
  const CollectiveCall part = w.part(Operation::bcast, w.bytes());
  w.nested_among(line(0, cores, w.size() / cores), part, binomial);
  w.nested_among(line(w.rank() / cores * cores, 1, cores), part, binomial);
}

void smp_chain(StepWriter& w) {
  const NodeLayout layout(w);
  if (!layout.uniform()) return flat_mpich(w);
  const std::int32_t cores = layout.cores();
  if (w.size() <= cores) return binomial(w);
  bring_to_zero(w);
  const std::int32_t local = w.rank() % cores;
  std::vector<std::int32_t> children;
  if (local == 0 && w.rank() + cores < w.size()) children.push_back(w.rank() + cores);
  if (local + 1 < cores) children.push_back(w.rank() + 1);
  // With one rank a node SimGrid's leaders send to the next rank once more; nobody receives that,
  // unless a later broadcast takes it for its own.
  if (cores == 1 && w.call().choose != nullptr) children.push_back(w.shift(w.rank(), 1));
  const std::int32_t parent = w.rank() == 0 ? -1 : w.rank() - (local == 0 ? cores : 1);
  pass_on(w, parent, children);
}

void smp_binary(StepWriter& w) {
  const NodeLayout layout(w);
  if (!layout.uniform()) return flat_mpich(w);
  const std::int32_t cores = layout.cores();
  bring_to_zero(w);
  const std::int32_t node = w.rank() / cores;
  const std::int32_t local = w.rank() % cores;
  std::vector<std::int32_t> children;
  for (std::int32_t side = 1; local == 0 && side <= 2; ++side) {
    const std::int64_t child = (2LL * node + side) * cores;
    if (child < w.size()) children.push_back(static_cast<std::int32_t>(child));
  }
  for (std::int32_t side = 1; side <= 2; ++side) {
    if (2 * local + side < cores) children.push_back(node * cores + 2 * local + side);
  }
  std::int32_t parent = -1;
  if (local > 0) parent = node * cores + (local - 1) / 2;
  if (local == 0 && node > 0) parent = (node - 1) / 2 * cores;
  pass_on(w, parent, children);
}

namespace {

/// From the root to its leader, then among the leaders by what `among` decides.
void to_leaders(StepWriter& w, const NodeLayout& layout) {
  const std::int32_t leader = layout.leader_of(w.root());
  if (leader != w.root()) {
    if (w.rank() == leader) w.recv(w.root(), w.bytes());
    if (w.rank() == w.root()) w.send(leader, w.bytes());
  }
  const auto leaders = layout.leaders();
  const auto root = std::ranges::find(leaders, leader) - leaders.begin();
  perform_level(w, leaders, w.part(Operation::bcast, w.bytes(), static_cast<std::int32_t>(root)),
                w.call().among_leaders);
}

}  // namespace

void among_leaders(StepWriter& w) {
  const NodeLayout layout(w);
  to_leaders(w, layout);
  // On SimGrid's side whoever calls this broadcasts in the nodes; alone, it would leave them out.
  if (w.call().choose == nullptr) {
    w.nested_among(layout.node(), w.part(Operation::bcast, w.bytes()), binomial);
  }
}

void two_level(StepWriter& w) {
  constexpr std::int32_t kSmallSystem = 64;
  constexpr std::uint64_t kShort = 16384;
  constexpr std::uint64_t kLong = 512 * 1024;
  constexpr std::uint64_t kKnomial = 131072;
  if (w.bytes() == 0) return;
  const bool medium = w.bytes() > kShort && w.bytes() < kLong;
  const bool tuned = w.call().tuned;
  if (w.size() <= kSmallSystem && !medium && !tuned) {
    return w.bytes() <= kShort ? binomial(w) : scatter_ring_allgather(w);
  }
  const NodeLayout layout(w);
  to_leaders(w, layout);
  const CollectiveCall part = w.part(Operation::bcast, w.bytes());
  if (tuned || w.bytes() <= kKnomial) {
    perform_level(w, layout.node(), part, w.call().in_nodes);
  } else {
    w.nested_among(layout.node(), part,
                   *find_smpi_algorithm(Operation::bcast, "mvapich2_knomial_intra_node"));
  }
}

}  // namespace slackline::collectives::bcast
