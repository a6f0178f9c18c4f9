// Gather(v) and scatter(v): one block of every rank to the root, or one block from it to every
// rank.
//
// The root must receive (send) all blocks but its own; a tree trades messages at the root for bytes
// that are carried several times.
//
// - linear: the root takes the blocks rank by rank with blocking calls.
// - linear_nonblocking: all at once, then one wait; how the v-forms work everywhere. linear_isend
//   (gather): the ranks' sends do not block either (SimGrid's default).
// - linear_sync (gather): the root asks each rank in turn with an empty message; it answers in two
//   parts, the first of 1 KiB (32 KiB for blocks above 90 KiB), so that only one rank floods the
//   root at a time (Open MPI).
// - binomial: ceil(log2 P) rounds; a message carries all the blocks of a subtree. In gather the
// nearest
//   child comes first; scatter sends to the nearest child first as well, as Open MPI and SimGrid
//   do. The v-forms carry the subtree's own sizes (they would have to be told them: not counted).

#include <algorithm>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/trees.h"

namespace slackline::collectives {

namespace {

/// Bytes of the blocks below `child`, itself included.
std::uint64_t subtree_bytes(const StepWriter& w, std::int32_t child) {
  const std::int32_t ranks = binomial_subtree(w, w.from_root(child));
  const std::int32_t to_end = std::min(ranks, w.size() - child);
  return w.blocks(child, to_end) + w.blocks(0, ranks - to_end);
}

}  // namespace

namespace gather {

void linear(StepWriter& w) {
  if (w.rank() != w.root()) return w.send(w.root(), w.block(w.rank()));
  for (std::int32_t r = 0; r < w.size(); ++r) w.recv(r, w.block(r));
}

void linear_nonblocking(StepWriter& w) {
  if (w.rank() != w.root()) return w.send(w.root(), w.block(w.rank()));
  for (std::int32_t r = 0; r < w.size(); ++r) w.irecv(r, w.block(r));
  w.wait_all();
}

void linear_isend(StepWriter& w) {
  if (w.rank() != w.root()) {
    w.isend(w.root(), w.block(w.rank()));
    return w.wait_all();
  }
  linear_nonblocking(w);
}

void linear_sync(StepWriter& w) {
  const std::uint64_t first_part = w.bytes() > 92160 ? 32768 : 1024;
  const std::uint64_t first = Segments(w.bytes(), w.element_bytes(), first_part).bytes(0);
  if (w.rank() != w.root()) {
    w.recv(w.root(), 0);
    w.send(w.root(), first);
    w.send(w.root(), w.bytes() - first);
    return;
  }
  for (std::int32_t r = 0; r < w.size(); ++r) {
    const StepWriter::Request part = w.irecv(r, first);
    w.send(r, 0);
    if (!w.single_waits()) w.wait(part);
    w.irecv(r, w.bytes() - first);
    if (w.single_waits()) w.wait(part);
  }
  w.wait_all();
}

void binomial(StepWriter& w) {
  const Tree tree = binomial_tree(w);
  for (const std::int32_t child : tree.children) w.recv(child, subtree_bytes(w, child));
  if (tree.parent >= 0) w.send(tree.parent, subtree_bytes(w, w.rank()));
}

}  // namespace gather

namespace scatter {

void linear(StepWriter& w) {
  if (w.rank() != w.root()) return w.recv(w.root(), w.block(w.rank()));
  for (std::int32_t r = 0; r < w.size(); ++r) w.send(r, w.block(r));
}

void linear_nonblocking(StepWriter& w) {
  if (w.rank() != w.root()) return w.recv(w.root(), w.block(w.rank()));
  for (std::int32_t r = 0; r < w.size(); ++r) w.isend(r, w.block(r));
  w.wait_all();
}

void binomial(StepWriter& w) {
  const Tree tree = binomial_tree(w);
  if (tree.parent >= 0) w.recv(tree.parent, subtree_bytes(w, w.rank()));
  for (const std::int32_t child : tree.children) w.send(child, subtree_bytes(w, child));
}

}  // namespace scatter

}  // namespace slackline::collectives
