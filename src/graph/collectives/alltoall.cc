// All-to-all: every rank has a block for every other one, P(P - 1) blocks in all.
//
// - linear: all at once: receives from the next ranks upwards, sends to the ranks downwards.
// - pairwise: P - 1 rounds, partners rank ^ i; P no power of two: ring.
// - ring: in round i to the one i ahead, from the one i behind.
// - bruck: ceil(log2 P) rounds; in round k all blocks whose distance to travel has bit k set
//   move 2^k ahead together: about P/2 blocks a round, so each byte moves log2(P)/2 times; for
//   short blocks.
// - recursive_doubling: an allgather of everybody's whole send buffer: log2 P rounds, P times the
//   volume; for latencies only.
// - one_sided: everybody puts its blocks between two fences.
// - scatter_dest: linear in batches of 4 partners (SimGrid, MVAPICH2), scatter_dest_32: of 32
//   (MPICH).
//
// Alltoallv and alltoallw know only each rank's own counts: what it sends and what it receives.
// Empty blocks are sent too. Without counts (traces that tell sums) all blocks are equal. Bruck
// needs the blocks that others pass on, so it does not exist for them; what SimGrid calls bruck
// there is scatter_dest.
//
// Alltoall(v) in rounds that are kept in step, so that a late rank cannot make two rounds' messages
// meet on a link (Faraj and Yuan): as ring (to rank + i, from rank - i) or pairwise (rank ^ i, P a
// power of two, else the ring).
//
// - *_light_barrier: after a round each rank tells the one that sends to it next that it is ready,
//   with a message of one byte.
// - *_barriers: a whole barrier before every round, the first one included, in which each rank
//   sends to itself.
// - *_one_barrier: one barrier at the start.

#include <algorithm>
#include <cstdint>
#include <span>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/recursive_exchanges.h"
#include "graph/collectives/step_writer.h"

namespace slackline::collectives {
namespace {

/// The blocks that a rank of alltoall, alltoallv or alltoallw exchanges, equal or counted alike.
/// For the latter without counts only CollectiveCall::bytes is known, what a rank sends in all: it
/// is spread evenly.
class ExchangedBlocks {
 public:
  explicit ExchangedBlocks(const StepWriter& w) : bytes_(w.bytes()) {
    if (w.call().operation == Operation::alltoall) return;
    const auto ranks = static_cast<std::size_t>(w.size());
    bytes_ /= ranks;
    if (w.own().size() >= 2 * ranks) counts_ = w.own().first(2 * ranks);
  }
  std::uint64_t to(std::int32_t rank) const { return at(static_cast<std::size_t>(rank)); }
  std::uint64_t from(std::int32_t rank) const {
    return at(counts_.size() / 2 + static_cast<std::size_t>(rank));
  }

 private:
  std::uint64_t at(std::size_t index) const {
    if (counts_.empty()) return bytes_;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(counts_[index], 0));
  }

  std::uint64_t bytes_;
  std::span<const std::int64_t> counts_{};
};

}  // namespace
}  // namespace slackline::collectives

namespace slackline::collectives::alltoall {
namespace {

/// Rounds of a complete exchange: partners(i) gives whom to send to and whom to receive from.
template <class Partners>
void in_rounds(StepWriter& w, Partners partners) {
  const ExchangedBlocks blocks(w);
  for (std::int32_t i = 1; i < w.size(); ++i) {
    const auto [to, from] = partners(i);
    w.exchange(to, blocks.to(to), from, blocks.from(from));
  }
}

void in_batches(StepWriter& w, std::int32_t batch) {
  // MVAPICH2's alltoall sends itself its own block; alltoallv does not.
  const bool with_self = w.call().operation == Operation::alltoall;
  const ExchangedBlocks blocks(w);
  for (std::int32_t begin = 0; begin < w.size(); begin += batch) {
    const std::int32_t end = std::min(begin + batch, w.size());
    for (std::int32_t i = begin; i < end; ++i) {
      const std::int32_t peer = w.shift(w.rank(), i);
      with_self ? w.irecv_any(peer, blocks.from(peer)) : w.irecv(peer, blocks.from(peer));
    }
    for (std::int32_t i = begin; i < end; ++i) {
      const std::int32_t peer = w.shift(w.rank(), -i);
      with_self ? w.isend_any(peer, blocks.to(peer)) : w.isend(peer, blocks.to(peer));
    }
    w.wait_all();
  }
}

}  // namespace

void linear(StepWriter& w) {
  const ExchangedBlocks blocks(w);
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
  const ExchangedBlocks blocks(w);
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
  if (!is_power_of_two(w.size())) return w.instead("ring", ring);
  in_rounds(w, [&](std::int32_t i) { return std::pair{w.rank() ^ i, w.rank() ^ i}; });
}

void recursive_doubling(StepWriter& w) {
  const std::uint64_t buffer = static_cast<std::uint64_t>(w.size()) * w.bytes();
  recursive_doubling_exchange(w, 0, [&](std::int32_t first, std::int32_t count) {
    const std::int32_t members = std::min(first + count, w.size()) - first;
    return members > 0 ? static_cast<std::uint64_t>(members) * buffer : 0;
  });
}

void one_sided(StepWriter& w) {
  const auto fence = [&] { w.nested_chosen(w.part(Operation::barrier, 0), barrier::linear); };
  fence();
  for (std::int32_t i = 0; i < w.size(); ++i) {
    const std::int32_t peer = is_power_of_two(w.size()) ? w.rank() ^ i : i;
    w.irecv(peer, w.bytes());
    w.isend(peer, w.bytes());
  }
  w.wait_all();
  fence();
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

namespace {

enum class Sync : std::uint8_t { light, one, every };

template <class Partners>
void rounds(StepWriter& w, Sync sync, Partners partners) {
  const ExchangedBlocks blocks(w);
  const auto barrier = [&] { w.nested_chosen(w.part(Operation::barrier, 0), barrier::linear); };
  if (sync != Sync::light) barrier();
  for (std::int32_t i = 1; i < w.size(); ++i) {
    if (sync == Sync::every) barrier();
    const auto [to, from] = partners(i);
    w.exchange(to, blocks.to(to), from, blocks.from(from));
    if (sync == Sync::light && i + 1 < w.size()) {
      const auto [next_to, next_from] = partners(i + 1);
      w.exchange(next_from, 1, next_to, 1);
    }
  }
}

void ring_rounds(StepWriter& w, Sync sync) {
  rounds(w, sync, [&](std::int32_t i) {
    return std::pair{w.shift(w.rank(), i), w.shift(w.rank(), -i)};
  });
}

void pair_rounds(StepWriter& w, Sync sync, std::string_view otherwise, void (*ring)(StepWriter&)) {
  if (!is_power_of_two(w.size())) return w.instead(otherwise, ring);
  rounds(w, sync, [&](std::int32_t i) { return std::pair{w.rank() ^ i, w.rank() ^ i}; });
}

}  // namespace

void ring_light_barrier(StepWriter& w) {
  ring_rounds(w, Sync::light);
}
void ring_one_barrier(StepWriter& w) {
  ring_rounds(w, Sync::one);
}
void ring_barriers(StepWriter& w) {
  ring_rounds(w, Sync::every);
}
void pairwise_light_barrier(StepWriter& w) {
  pair_rounds(w, Sync::light, "ring_light_barrier", ring_light_barrier);
}
void pairwise_one_barrier(StepWriter& w) {
  pair_rounds(w, Sync::one, "ring_one_barrier", ring_one_barrier);
}
void pairwise_barriers(StepWriter& w) {
  pair_rounds(w, Sync::every, "ring_barriers", ring_barriers);
}

}  // namespace slackline::collectives::alltoall
