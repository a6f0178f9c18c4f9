// All-to-all: every rank has a block for every other one, P(P - 1) blocks in all.
//
// - linear: all at once: receives from the next ranks upwards, sends to the ranks downwards.
// - pairwise: P - 1 rounds, partners rank ^ i; P no power of two: ring.
// - ring: in round i to the one i ahead, from the one i behind.
// - bruck: ceil(log2 P) rounds; in round k all blocks whose distance to travel has bit k set move
// 2^k
//   ahead together: about P/2 blocks a round, so each byte moves log2(P)/2 times; for short blocks.
// - scatter_dest: linear in batches of 4 partners (SimGrid, MVAPICH2), scatter_dest_32: of 32
// (MPICH).
//
// Alltoallv and alltoallw know only each rank's own counts: what it sends and what it receives.
// Empty blocks are sent too. A rank without counts (a damaged trace) takes no step. Bruck needs the
// blocks that others pass on, so it does not exist for them; what SimGrid calls bruck there is
// scatter_dest.

#include <algorithm>

#include "graph/collectives/algorithms.h"

namespace slackline::collectives::alltoall {

namespace {

/// The blocks a rank exchanges, for the equal and the counted operations alike.
class Blocks {
 public:
  explicit Blocks(const StepWriter& w)
      : equal_(w.call().operation == Operation::alltoall), bytes_(w.bytes()) {
    const auto ranks = static_cast<std::size_t>(w.size());
    if (equal_ || w.own().size() < 2 * ranks) return;
    counts_ = w.own().first(2 * ranks);
  }
  bool known() const { return equal_ || !counts_.empty(); }
  std::uint64_t to(std::int32_t rank) const { return at(static_cast<std::size_t>(rank)); }
  std::uint64_t from(std::int32_t rank) const {
    return at(counts_.size() / 2 + static_cast<std::size_t>(rank));
  }

 private:
  std::uint64_t at(std::size_t index) const {
    if (equal_) return bytes_;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(counts_[index], 0));
  }

  bool equal_;
  std::uint64_t bytes_;
  std::span<const std::int64_t> counts_{};
};

/// Rounds of a complete exchange: partners(i) gives whom to send to and whom to receive from.
template <class Partners>
void in_rounds(StepWriter& w, Partners partners) {
  const Blocks blocks(w);
  if (!blocks.known()) return;
  for (std::int32_t i = 1; i < w.size(); ++i) {
    const auto [to, from] = partners(i);
    w.exchange(to, blocks.to(to), from, blocks.from(from));
  }
}

void in_batches(StepWriter& w, std::int32_t batch) {
  const Blocks blocks(w);
  if (!blocks.known()) return;
  for (std::int32_t begin = 0; begin < w.size(); begin += batch) {
    const std::int32_t end = std::min(begin + batch, w.size());
    for (std::int32_t i = begin; i < end; ++i) {
      const std::int32_t peer = w.shift(w.rank(), i);
      w.irecv(peer, blocks.from(peer));
    }
    for (std::int32_t i = begin; i < end; ++i) {
      const std::int32_t peer = w.shift(w.rank(), -i);
      w.isend(peer, blocks.to(peer));
    }
    w.wait_all();
  }
}

}  // namespace

void linear(StepWriter& w) {
  const Blocks blocks(w);
  if (!blocks.known()) return;
  for (std::int32_t i = 1; i < w.size(); ++i) {
    const std::int32_t peer = w.shift(w.rank(), i);
    w.irecv(peer, blocks.from(peer));
  }
  for (std::int32_t i = 1; i < w.size(); ++i) {
    const std::int32_t peer = w.shift(w.rank(), -i);
    w.isend(peer, blocks.to(peer));
  }
  w.wait_all();
}

void linear_in_order(StepWriter& w) {
  const Blocks blocks(w);
  if (!blocks.known()) return;
  for (std::int32_t r = 0; r < w.size(); ++r) w.irecv(r, blocks.from(r));
  for (std::int32_t r = 0; r < w.size(); ++r) w.isend(r, blocks.to(r));
  w.wait_all();
}

void ring(StepWriter& w) {
  in_rounds(w, [&](std::int32_t i) {
    return std::pair{w.shift(w.rank(), i), w.shift(w.rank(), -i)};
  });
}

void pairwise(StepWriter& w) {
  if (!is_power_of_two(w.size())) return ring(w);
  in_rounds(w, [&](std::int32_t i) { return std::pair{w.rank() ^ i, w.rank() ^ i}; });
}

void bruck(StepWriter& w) {
  for (std::int32_t step = 1; step < w.size(); step *= 2) {
    std::uint64_t moving = 0;
    for (std::int32_t distance = 1; distance < w.size(); ++distance) {
      if ((distance & step) != 0) ++moving;
    }
    const std::uint64_t bytes = moving * w.bytes();
    w.exchange(w.shift(w.rank(), step), bytes, w.shift(w.rank(), -step), bytes);
  }
}

void scatter_dest(StepWriter& w) {
  in_batches(w, 4);
}

void scatter_dest_32(StepWriter& w) {
  in_batches(w, 32);
}

}  // namespace slackline::collectives::alltoall
