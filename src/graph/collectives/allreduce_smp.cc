// Allreduce for nodes of several ranks: a binomial reduce in each node, an allreduce among the
// leaders, a binomial broadcast in each node. They differ in the middle:
//
// - smp_binomial: binomial reduce and broadcast; smp_binomial_segmented does all four parts in
//   segments of 4096 elements, of which four are under way at a time.
// - smp_recursive_doubling, smp_rabenseifner: as allreduce's.
// - smp_ring: ring reduce-scatter and allgather of equal blocks, smp_chain: the last one longer by
//   what does not divide. (SimGrid's smp_rsag forgets that rest; where its messages are wanted
//   exactly it is left out here too.)
// - two_level (MVAPICH2): MPICH's allreduce in each node, recursive doubling among the leaders, and
//   a broadcast in each node.
//
// The first five count ranks node by node, and nodes of different sizes as nodes of one rank.

#include <algorithm>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/smp.h"

namespace slackline::collectives::allreduce {
namespace {

struct Levels {
  explicit Levels(const StepWriter& w) {
    const std::int32_t cores = NodeLayout(w).cores();
    for (std::int32_t i = 0; i < cores; ++i) node.push_back(w.rank() / cores * cores + i);
    for (std::int32_t r = 0; r < w.size(); r += cores) leaders.push_back(r);
  }
  std::vector<std::int32_t> node;
  std::vector<std::int32_t> leaders;
};

void in_levels(StepWriter& w, Algorithm* among_leaders) {
  const Levels levels(w);
  w.nested_among(levels.node, w.part(Operation::reduce, w.bytes()), reduce::binomial);
  w.nested_among(levels.leaders, w.part(Operation::allreduce, w.bytes()), among_leaders);
  w.nested_among(levels.node, w.part(Operation::bcast, w.bytes()), bcast::binomial);
}

void binomial_pair(StepWriter& w) {
  w.nested(w.part(Operation::reduce, w.bytes()), reduce::binomial);
  w.nested(w.part(Operation::bcast, w.bytes()), bcast::binomial);
}

/// The ring in equal blocks; `keep_rest`: the last one takes what does not divide.
void ring_of_blocks(StepWriter& w, bool keep_rest) {
  const auto P = static_cast<std::uint64_t>(w.size());
  const std::uint64_t block = w.elements() / P * w.element_bytes();
  const std::uint64_t last = keep_rest ? w.bytes() - block * (P - 1) : block;
  // SimGrid tells the last block by where it begins, and empty ones all begin at 0.
  const bool all_last = block == 0 && w.call().choose != nullptr;
  const auto bytes = [&](std::int32_t back) {
    return all_last || w.shift(w.rank(), -back) + 1 == w.size() ? last : block;
  };
  const std::int32_t right = w.shift(w.rank(), 1);
  const std::int32_t left = w.shift(w.rank(), -1);
  for (std::int32_t i = 0; i + 1 < w.size(); ++i) {
    w.exchange(right, bytes((i + 1) % w.size()), left, bytes((i + 2) % w.size()));
  }
  for (std::int32_t i = 0; i + 1 < w.size(); ++i) {
    w.exchange(right, bytes(i), left, bytes(i + 1));
  }
}

void exact_ring(StepWriter& w) {
  ring_of_blocks(w, w.call().choose == nullptr);
}

void whole_ring(StepWriter& w) {
  ring_of_blocks(w, true);
}

/// Rabenseifner's; SimGrid, which wants a power of two of ranks, forgets what a half leaves over.
void halves_of_halves(StepWriter& w) {
  if (w.call().choose == nullptr || !is_power_of_two(w.size())) return rabenseifner(w);
  std::uint64_t half = w.elements();
  for (std::int32_t mask = 1; mask < w.size(); mask *= 2) {
    half /= 2;
    w.exchange(w.rank() ^ mask, half * w.element_bytes(), half * w.element_bytes());
  }
  half = half / 2 * 2;
  for (std::int32_t mask = w.size() / 2; mask > 0; mask /= 2, half *= 2) {
    w.exchange(w.rank() ^ mask, half * w.element_bytes(), half * w.element_bytes());
  }
}

}  // namespace

void smp_binomial(StepWriter& w) {
  in_levels(w, binomial_pair);
}

void smp_binomial_segmented(StepWriter& w) {
  constexpr std::uint64_t kElements = 4096;
  const Levels levels(w);
  const std::uint64_t all = w.elements();
  const std::uint64_t most = std::max(kElements, all / Segments::kMost);
  const std::uint64_t segment = std::min(all, most) * w.element_bytes();
  const std::uint64_t count = segment == 0 ? 0 : w.bytes() / segment;
  // SimGrid leaves out what fills no segment.
  const std::uint64_t rest = w.call().choose == nullptr ? w.bytes() - count * segment : 0;
  const auto bytes = [&](std::uint64_t i) { return segment + (i + 1 == count ? rest : 0); };
  for (std::uint64_t phase = 0; phase < count + 3; ++phase) {
    const auto part = [&](Operation operation, std::uint64_t behind) {
      return w.part(operation, bytes(phase - behind));
    };
    const auto active = [&](std::uint64_t behind) {
      return phase >= behind && phase < count + behind;
    };
    if (active(0)) w.nested_among(levels.node, part(Operation::reduce, 0), reduce::binomial);
    if (active(1)) w.nested_among(levels.leaders, part(Operation::reduce, 1), reduce::binomial);
    if (active(2)) w.nested_among(levels.leaders, part(Operation::bcast, 2), bcast::binomial);
    if (active(3)) w.nested_among(levels.node, part(Operation::bcast, 3), bcast::binomial);
  }
}

void smp_recursive_doubling(StepWriter& w) {
  in_levels(w, recursive_doubling);
}

void smp_ring(StepWriter& w) {
  in_levels(w, exact_ring);
}

void smp_chain(StepWriter& w) {
  in_levels(w, whole_ring);
}

void smp_rabenseifner(StepWriter& w) {
  in_levels(w, halves_of_halves);
}

void two_level(StepWriter& w) {
  if (w.bytes() == 0) return;
  const NodeLayout layout(w);
  if (w.call().tuned) {
    w.nested_among_chosen(layout.node(), w.part(Operation::reduce, w.bytes()), reduce::binomial);
  } else {
    perform_level(w, layout.node(), w.part(Operation::allreduce, w.bytes()), nullptr);
  }
  const CollectiveAlgorithm* leaders = w.call().among_leaders;
  const CollectiveCall part = w.part(Operation::allreduce, w.bytes());
  if (leaders != nullptr) {
    w.nested_among(layout.leaders(), part, *leaders);
  } else {
    w.nested_among(layout.leaders(), part, recursive_doubling);
  }
  w.nested_among_chosen(layout.node(), w.part(Operation::bcast, w.bytes()), bcast::binomial);
}

}  // namespace slackline::collectives::allreduce
