// Broadcasts: the root's n bytes reach everybody.
//
// The trade is latency against bandwidth. A tree passes the whole vector on: few rounds, but the
// vector crosses the wire once per level. Cutting it into segments lets the levels overlap
// (pipelines), cutting it into P parts that are scattered and then gathered by all (van de Geijn)
// brings the volume down to 2n(P-1)/P at the price of more messages.
//
// - linear: the root sends to each, all at once.
// - binomial: ceil(log2 P) rounds, the furthest child first; P - 1 messages.
// - knomial: the same with radix 4: three children a round, log4 P rounds.
// - binary, chain: rank 0 hands 8 KiB segments down a heap-numbered binary tree (0 -> 1, 2), or the
//   line 0 -> 1 -> 2 ..; another root first sends all to rank 0. The rest that fills no segment
//   follows by the binomial tree. Segments go out as they come in. (Faraj and Yuan, STAR-MPI.)
// - pipeline: the line starts at the root. Segments of 16, 64 or 128 KiB by size and P, as Open MPI
//   decides; the next receive is posted before the last segment is passed on.
// - split_binary: the halves of the vector go down the two sides of a binary tree in segments of
//   1 KiB (8 KiB from 370728 bytes on), and pairs across the sides swap halves at the end. A vector
//   whose halves do not fill a segment takes the chain.
// - linear_segmented: the root sends 8 KiB segments, rank by rank (SimGrid's flattree_pipeline).
// - scatter_allgather, scatter_ring_allgather: binomial scatter of P equal parts (the last ones may
//   be empty), then recursive doubling (log P rounds) or a ring (P - 1 rounds).

#include <algorithm>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/recursive_exchanges.h"
#include "graph/collectives/trees.h"

namespace slackline::collectives::bcast {

namespace {

constexpr std::uint64_t kLineSegment = 8192;
constexpr std::int32_t kRadix = 4;

void binomial_of(StepWriter& w, std::uint64_t bytes) {
  const Tree tree = binomial_tree(w);
  if (tree.parent >= 0) w.recv(tree.parent, bytes);
  for (std::size_t i = tree.children.size(); i-- > 0;) w.send(tree.children[i], bytes);
}

/// Segments from the parent as they come, each at once to all children.
void forward_whole_segments(StepWriter& w, const Tree& tree, std::uint64_t segment,
                            std::uint64_t count) {
  std::vector<StepWriter::Request> posted;
  if (tree.parent >= 0 && w.single_waits()) {
    for (std::uint64_t i = 0; i < count; ++i) posted.push_back(w.irecv(tree.parent, segment));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!posted.empty() && !tree.children.empty()) w.wait(posted[i]);
    if (tree.parent >= 0 && posted.empty()) w.recv(tree.parent, segment);
    for (const std::int32_t child : tree.children) w.isend(child, segment);
  }
  w.wait_all();
}

/// The schedule of binary and chain, on a tree rooted at rank 0.
void segmented_from_zero(StepWriter& w, const Tree& tree) {
  if (w.rank() == w.root()) w.send(0, w.bytes());
  if (w.rank() == 0) w.recv(w.root(), w.bytes());
  const Segments cut(w.bytes(), w.element_bytes(), kLineSegment);
  const std::uint64_t segment = cut.bytes(0);
  if (cut.count() == 1) {
    if (tree.parent >= 0) w.recv(tree.parent, w.bytes());
    for (const std::int32_t child : tree.children) w.send(child, w.bytes());
    return;
  }
  const std::uint64_t whole = w.bytes() / segment;
  forward_whole_segments(w, tree, segment, whole);
  const std::uint64_t rest = w.bytes() - whole * segment;
  if (rest > 0) w.nested_chosen(w.part(Operation::bcast, rest, w.root()), binomial);
}

/// Open MPI's segment size for a pipeline, fitted by its authors on 16, 64 and 128 ranks.
std::uint64_t pipeline_segment(const StepWriter& w) {
  const double n = static_cast<double>(w.bytes());
  const double ranks = w.size();
  if (ranks < 1.6134e-6 * n + 2.1102) return 128 * 1024;
  if (ranks < 2.3679e-6 * n + 1.1787) return 64 * 1024;
  if (ranks < 3.2118e-6 * n + 8.7936) return 16 * 1024;
  return 128 * 1024;
}

}  // namespace

void linear(StepWriter& w) {
  if (w.rank() != w.root()) return w.recv(w.root(), w.bytes());
  for (std::int32_t r = 0; r < w.size(); ++r) w.isend(r, w.bytes());
  w.wait_all();
}

void binomial(StepWriter& w) {
  binomial_of(w, w.bytes());
}

void linear_segmented(StepWriter& w) {
  const std::uint64_t segment =
      std::max<std::uint64_t>(kLineSegment / w.element_bytes(), 1) * w.element_bytes();
  const std::uint64_t whole = std::min(w.bytes() / segment, Segments::kMost);
  if (whole == 0) return w.instead("linear", linear);
  // SimGrid leaves out what fills no segment; here it goes with the last one.
  const bool exact = w.call().choose != nullptr;
  const std::uint64_t last = exact ? segment : w.bytes() - (whole - 1) * segment;
  const auto bytes = [&](std::uint64_t i) { return i + 1 < whole ? segment : last; };
  if (w.rank() != w.root()) {
    for (std::uint64_t i = 0; i < whole; ++i) w.irecv(w.root(), bytes(i));
    return w.wait_all();
  }
  for (std::int32_t r = 0; r < w.size(); ++r) {
    for (std::uint64_t i = 0; i < whole; ++i) w.send(r, bytes(i));
  }
}

void knomial(StepWriter& w) {
  const std::int64_t me = w.from_root();
  std::int64_t mask = 1;
  for (; mask < w.size(); mask *= kRadix) {
    const std::int64_t group = kRadix * mask;
    if (me % group == 0) continue;
    w.recv(w.rank_from_root(static_cast<std::int32_t>(me / group * group)), w.bytes());
    break;
  }
  for (mask /= kRadix; mask > 0; mask /= kRadix) {
    for (std::int64_t k = 1; k < kRadix && me + k * mask < w.size(); ++k) {
      w.isend(w.rank_from_root(static_cast<std::int32_t>(me + k * mask)), w.bytes());
    }
    w.wait_all();
  }
}

void binary(StepWriter& w) {
  Tree tree;
  if (w.rank() > 0) tree.parent = (w.rank() - 1) / 2;
  for (std::int64_t child = 2LL * w.rank() + 1; child <= 2LL * w.rank() + 2; ++child) {
    if (child < w.size()) tree.children.push_back(static_cast<std::int32_t>(child));
  }
  segmented_from_zero(w, tree);
}

void chain(StepWriter& w) {
  Tree tree;
  if (w.rank() > 0) tree.parent = w.rank() - 1;
  if (w.rank() + 1 < w.size()) tree.children.push_back(w.rank() + 1);
  segmented_from_zero(w, tree);
}

void pipeline(StepWriter& w) {
  const Segments cut(w.bytes(), w.element_bytes(), pipeline_segment(w));
  const Tree line = chain_tree(w, 1);
  StepWriter::Request arriving = StepWriter::kNone;
  if (line.parent >= 0) arriving = w.irecv(line.parent, cut.bytes(0));
  for (std::uint64_t i = 0; i < cut.count(); ++i) {
    if (line.parent >= 0 && i + 1 < cut.count()) {
      arriving = w.irecv_ahead(line.parent, cut.bytes(i + 1), arriving);
    } else {
      w.wait(arriving);
    }
    StepWriter::Request leaving = StepWriter::kNone;
    for (const std::int32_t child : line.children) leaving = w.isend(child, cut.bytes(i));
    // Without single waits the next wait_all covers this send together with the next receive.
    if (w.single_waits() || line.parent < 0) w.wait(leaving);
  }
  w.wait_all();
}

namespace {

/// The two halves of a vector, each in segments; half 0 is for the left side of the tree.
struct Halves {
  Halves(const StepWriter& w, std::uint64_t segment)
      : bytes{(w.elements() + 1) / 2 * w.element_bytes(), w.elements() / 2 * w.element_bytes()},
        cut{Segments(bytes[0], w.element_bytes(), segment),
            Segments(bytes[1], w.element_bytes(), segment)} {}
  std::uint64_t bytes[2];
  Segments cut[2];
};

/// The root's part of split_binary: segments of both halves in turn, each to its side.
void send_halves(StepWriter& w, const Tree& tree, const Halves& halves) {
  for (std::uint64_t i = 0; i < halves.cut[0].count(); ++i) {
    for (std::size_t side = 0; side < tree.children.size(); ++side) {
      if (i < halves.cut[side].count()) w.send(tree.children[side], halves.cut[side].bytes(i));
    }
  }
}

/// Everyone else's: the segments of one half from the parent, on to the children.
void pass_half_down(StepWriter& w, const Tree& tree, const Segments& cut) {
  if (tree.children.empty()) {
    for (std::uint64_t i = 0; i < cut.count(); ++i) w.recv(tree.parent, cut.bytes(i));
    return;
  }
  StepWriter::Request arriving = w.irecv(tree.parent, cut.bytes(0));
  for (std::uint64_t i = 0; i < cut.count(); ++i) {
    if (i + 1 < cut.count()) {
      arriving = w.irecv_ahead(tree.parent, cut.bytes(i + 1), arriving);
    } else {
      w.wait(arriving);
    }
    for (const std::int32_t child : tree.children) w.send(child, cut.bytes(i));
  }
}

/// Pairs across the two sides swap halves; with an even P the last rank has the root for a partner.
void swap_halves(StepWriter& w, const Halves& halves, std::size_t side) {
  const bool even = w.size() % 2 == 0;
  const std::int32_t last = w.rank_from_root(w.size() - 1);
  if (w.rank() == w.root()) {
    if (even) w.send(last, halves.bytes[1]);
  } else if (even && w.rank() == last) {
    w.recv(w.root(), halves.bytes[1]);
  } else {
    w.exchange(w.shift(w.rank(), side == 0 ? 1 : -1), halves.bytes[side], halves.bytes[1 - side]);
  }
}

/// SimGrid takes another line than Open MPI's.
void too_small_to_split(StepWriter& w) {
  if (w.call().choose == nullptr) return w.instead("chain", chain);
  const CollectiveCall part = w.part(Operation::bcast, w.bytes(), w.root());
  w.nested(part, *find_smpi_algorithm(Operation::bcast, "SMP_linear"));
}

}  // namespace

void split_binary(StepWriter& w) {
  const std::uint64_t segment =
      std::max<std::uint64_t>(w.bytes() < 370728 ? 1024 : 8192, w.element_bytes());
  // Open MPI rounds a segment down to whole elements here.
  const Halves halves(w, segment / w.element_bytes() * w.element_bytes());
  if (halves.bytes[1] < segment) return too_small_to_split(w);
  const Tree tree = binary_tree(w);
  const std::size_t side = w.from_root() % 2 == 1 ? 0 : 1;
  if (w.rank() == w.root()) {
    send_halves(w, tree, halves);
  } else {
    pass_half_down(w, tree, halves.cut[side]);
  }
  swap_halves(w, halves, side);
}

namespace {

/// The vector as P equal parts by distance from the root; the last ones may be short or empty.
struct Parts {
  explicit Parts(const StepWriter& w)
      : total(w.bytes()),
        part((w.bytes() + static_cast<std::uint64_t>(w.size()) - 1) /
             static_cast<std::uint64_t>(w.size())) {}
  std::uint64_t bytes(std::int32_t first, std::int32_t count) const {
    const std::uint64_t begin = std::min(total, part * static_cast<std::uint64_t>(first));
    return std::min(total - begin, part * static_cast<std::uint64_t>(count));
  }
  std::uint64_t total;
  std::uint64_t part;
};

/// Binomial scatter of the parts, the largest subtree first; empty parts are not sent.
void scatter_parts(StepWriter& w, const Parts& parts) {
  const Tree tree = binomial_tree(w);
  const auto subtree = [&](std::int32_t distance) {
    return parts.bytes(distance, binomial_subtree(w, distance));
  };
  if (tree.parent >= 0 && subtree(w.from_root()) > 0) w.recv(tree.parent, subtree(w.from_root()));
  for (std::size_t i = tree.children.size(); i-- > 0;) {
    const std::uint64_t bytes = subtree(w.from_root(tree.children[i]));
    if (bytes > 0) w.send(tree.children[i], bytes);
  }
}

}  // namespace

void scatter_allgather(StepWriter& w) {
  if (w.bytes() == 0) return;
  const Parts parts(w);
  scatter_parts(w, parts);
  recursive_doubling_exchange(w, w.root(), [&](std::int32_t first, std::int32_t count) {
    return parts.bytes(first, count);
  });
}

void scatter_ring_allgather(StepWriter& w) {
  const Parts parts(w);
  scatter_parts(w, parts);
  const std::int32_t me = w.from_root();
  for (std::int32_t i = 0; i + 1 < w.size(); ++i) {
    const std::uint64_t sent = parts.bytes((me - i + w.size()) % w.size(), 1);
    const std::uint64_t received = parts.bytes((me - i - 1 + 2 * w.size()) % w.size(), 1);
    w.exchange(w.shift(w.rank(), 1), sent, w.shift(w.rank(), -1), received);
  }
}

}  // namespace slackline::collectives::bcast
