// Reductions: a vector of n bytes from every rank is combined element by element into one at the
// root.
//
// A reduction is a broadcast run backwards: the same trees, the messages upwards. What an inner
// rank sends, it sends after it has heard from all its children, so that a message carries the sum
// of a subtree and every rank's vector is counted once. The work of combining is not part of a
// schedule.
//
// - linear: the root takes everyone's vector one after the other, from the last rank to the first.
// - linear_nonblocking: the root posts all receives at once. linear_isend: and the others' sends do
//   not block either (SimGrid's default).
// - chain_nonblocking: 8 KiB segments down the ranks towards the root, all receives posted ahead;
//   what fills no segment follows linearly (SimGrid's NTSL). knomial: a tree of radix 4 (MVAPICH2).
// - binomial: ceil(log2 P) rounds, P - 1 messages (MPICH). An operation that does not commute runs
//   towards rank 0, which then sends the result to the root.
// - binomial_segmented, binary, chain, pipeline: Open MPI's common engine on four trees: per
// segment
//   an inner rank posts the receive from the next child before it waits for the last one. Segments:
//   binomial none, or 1 KiB for long vectors on many ranks; binary 32 KiB; chain (P/2 chains) 64
//   KiB; pipeline 1, 32 or 64 KiB by size and P.
// - in_order_binary: a binary tree that combines in rank order, for operations that do not commute;
//   its root is the last rank, which sends the result on.
// - rabenseifner: reduce-scatter by recursive halving, then binomial gather of the parts: 2 log P
//   messages, but only about 2n bytes a rank (Rabenseifner 2004). With P no power of two the first
//   2(P - 2^k) ranks merge pairwise first.

#include "graph/collectives/algorithms.h"
#include "graph/collectives/recursive_exchanges.h"
#include "graph/collectives/trees.h"

namespace slackline::collectives::reduce {

namespace {

/// Open MPI's engine: segments from the children, combined, to the parent.
void up_the_tree(StepWriter& w, const Tree& tree, std::uint64_t segment_bytes) {
  const Segments cut(w.bytes(), w.element_bytes(), segment_bytes);
  if (tree.children.empty()) {
    for (std::uint64_t i = 0; i < cut.count(); ++i) w.send(tree.parent, cut.bytes(i));
    return;
  }
  StepWriter::Request arriving = StepWriter::kNone;
  for (std::uint64_t i = 0; i < cut.count(); ++i) {
    for (std::size_t c = 0; c < tree.children.size(); ++c) {
      arriving = w.irecv_ahead(tree.children[c], cut.bytes(i), arriving);
      // The last child's part of the previous segment is in: that segment is complete.
      if (c == 0 && i > 0 && tree.parent >= 0) w.send(tree.parent, cut.bytes(i - 1));
    }
  }
  w.wait(arriving);
  if (tree.parent >= 0) w.send(tree.parent, cut.bytes(cut.count() - 1));
}

std::uint64_t binomial_segment(const StepWriter& w) {
  const double n = static_cast<double>(w.bytes());
  const bool short_vector = (w.size() < 8 && w.bytes() < 20480) || w.bytes() < 2048;
  if (short_vector || w.elements() <= 1) return 0;
  return w.size() > 0.6016 / 1024.0 * n + 1.3496 ? 1024 : 0;
}

std::uint64_t pipeline_segment(const StepWriter& w) {
  const double n = static_cast<double>(w.bytes());
  if (w.size() > 0.0410 / 1024.0 * n + 9.7128) return 1024;
  return w.size() > 0.0033 / 1024.0 * n + 1.6761 ? 32 * 1024 : 64 * 1024;
}

}  // namespace

void linear(StepWriter& w) {
  if (w.rank() != w.root()) return w.send(w.root(), w.bytes());
  for (std::int32_t r = w.size() - 1; r >= 0; --r) w.recv(r, w.bytes());
}

void linear_nonblocking(StepWriter& w) {
  if (w.rank() != w.root()) return w.send(w.root(), w.bytes());
  for (std::int32_t r = 0; r < w.size(); ++r) w.irecv(r, w.bytes());
  w.wait_all();
}

void linear_isend(StepWriter& w) {
  if (w.rank() != w.root()) {
    w.isend(w.root(), w.bytes());
    return w.wait_all();
  }
  linear_nonblocking(w);
}

void chain_nonblocking(StepWriter& w) {
  constexpr std::uint64_t kSegment = 8192;
  const std::int32_t to = w.shift(w.rank(), -1);
  const std::int32_t from = w.shift(w.rank(), 1);
  const bool last = from == w.root();
  const Segments cut(w.bytes(), w.element_bytes(), kSegment);
  if (cut.count() == 1) {
    if (!last) w.recv(from, w.bytes());
    if (w.rank() != w.root()) w.send(to, w.bytes());
    return;
  }
  const std::uint64_t segment = cut.bytes(0);
  const std::uint64_t whole = w.bytes() / segment;
  std::vector<StepWriter::Request> posted;
  for (std::uint64_t i = 0; !last && w.single_waits() && i < whole; ++i) {
    posted.push_back(w.irecv(from, segment));
  }
  for (std::uint64_t i = 0; i < whole; ++i) {
    if (!posted.empty()) w.wait(posted[i]);
    if (!last && posted.empty()) w.recv(from, segment);
    if (w.rank() != w.root()) w.isend(to, segment);
  }
  w.wait_all();
  const std::uint64_t rest = w.bytes() - whole * segment;
  if (rest > 0) w.nested(w.part(Operation::reduce, rest, w.root()), linear_isend);
}

void knomial(StepWriter& w) {
  constexpr std::int64_t kRadix = 4;
  if (w.bytes() == 0) return;
  const std::int64_t me = w.from_root();
  std::int64_t mask = 1;
  while (mask < w.size() && me % (kRadix * mask) == 0) mask *= kRadix;
  const std::int64_t parent = me / (kRadix * mask) * (kRadix * mask);
  for (std::int64_t below = 1; below < mask; below *= kRadix) {
    for (std::int64_t k = kRadix - 1; k >= 1; --k) {
      if (me + k * below >= w.size()) continue;
      w.irecv(w.rank_from_root(static_cast<std::int32_t>(me + k * below)), w.bytes());
    }
  }
  w.wait_all();
  if (me == 0) return;
  w.isend(w.rank_from_root(static_cast<std::int32_t>(parent)), w.bytes());
  w.wait_all();
}

void binomial(StepWriter& w) {
  if (w.bytes() == 0) return;
  const std::int32_t top = w.call().commutative ? w.root() : 0;
  const std::int32_t me = (w.rank() - top + w.size()) % w.size();
  std::int32_t mask = 1;
  for (; mask < w.size() && (me & mask) == 0; mask *= 2) {
    if (me + mask < w.size()) w.recv(w.shift(top, me + mask), w.bytes());
  }
  if (me != 0) w.send(w.shift(top, me - mask), w.bytes());
  if (w.rank() == top) w.send(w.root(), w.bytes());
  if (w.rank() == w.root()) w.recv(top, w.bytes());
}

void binomial_segmented(StepWriter& w) {
  up_the_tree(w, binomial_tree(w), binomial_segment(w));
}

void binary(StepWriter& w) {
  up_the_tree(w, binary_tree(w), 32 * 1024);
}

void chain(StepWriter& w) {
  up_the_tree(w, chain_tree(w, w.size() / 2), 64 * 1024);
}

void pipeline(StepWriter& w) {
  up_the_tree(w, chain_tree(w, 1), pipeline_segment(w));
}

void in_order_binary(StepWriter& w) {
  up_the_tree(w, in_order_binary_tree(w), 0);
  const std::int32_t top = w.size() - 1;
  if (w.rank() == top) w.send(w.root(), w.bytes());
  if (w.rank() == w.root()) w.recv(top, w.bytes());
}

void rabenseifner(StepWriter& w) {
  if (w.bytes() == 0) return;
  const MergedPairs pairs(w.size(), MergedPairs::Stays::even);
  std::int32_t me = merge_pairs(w, pairs, w.bytes());
  const HalvedVector vector(w, pairs.participants());
  if (me >= 0) {
    for (const HalvingStep& s : vector.steps(me)) {
      w.exchange(pairs.rank_of(s.partner), s.give_bytes, s.keep_bytes);
    }
  }
  // A root that was merged away takes the place of participant 0.
  const bool root_is_out = pairs.participant_of(w.root()) < 0;
  const std::int32_t receiver = root_is_out ? 0 : pairs.participant_of(w.root());
  if (root_is_out && me == 0) {
    w.send(w.root(), vector.block(0));
    return;
  }
  if (root_is_out && w.rank() == w.root()) {
    w.recv(pairs.rank_of(0), vector.block(0));
    me = 0;
  }
  if (me < 0) return;
  const std::vector<HalvingStep> steps = vector.steps(me);
  for (std::size_t i = steps.size(); i-- > 0;) {
    const HalvingStep& s = steps[i];
    const std::int32_t partner =
        s.partner == 0 && root_is_out ? w.root() : pairs.rank_of(s.partner);
    // The one of the two on the receiver's side of this and all higher bits goes on.
    if (s.partner >> i == receiver >> i) return w.send(partner, s.keep_bytes);
    w.recv(partner, s.give_bytes);
  }
}

}  // namespace slackline::collectives::reduce
