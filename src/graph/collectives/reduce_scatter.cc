// Reduce_scatter: the vectors of all ranks are combined, and rank i keeps block i of the result.
//
// Every rank has to take in at least what the others know about its block, and the combined vector
// of n bytes has to be formed: n(P-1)/P bytes a rank is the least for equal blocks.
//
// - recursive_halving: log2 P rounds; in each one half of what is left goes to the partner. With P
//   no power of two pairs merge first and part at the end (Open MPI).
// - butterfly: the same with the distances growing instead of shrinking, and one more message at
// the
//   end that brings the blocks home: distance and volume fit networks with near neighbours better.
// - ring: P - 1 rounds, one block at a time, each combined on its way round to its owner.
// - pairwise: in round i each rank sends the block of the one i ahead straight to it (MPICH).
// - recursive_doubling: swap everything but the own group's blocks; for any P and any operation.
// - noncommutative: butterfly halving in bit-reversed block order, only for equal blocks on a power
// of
//   two of ranks (MPICH); otherwise recursive_doubling.
// - reduce_scatterv: nonblocking linear reduce to rank 0, then linear scatterv.

#include "graph/collectives/algorithms.h"
#include "graph/collectives/recursive_exchanges.h"

namespace slackline::collectives::reduce_scatter {

namespace {

/// Bytes of the blocks of `count` participants from `first` on: both blocks for a merged pair.
std::uint64_t participants_blocks(const StepWriter& w, const MergedPairs& pairs, std::int32_t first,
                                  std::int32_t count) {
  const auto first_rank = [&](std::int32_t p) {
    return p < pairs.pairs() ? 2 * p : p + pairs.pairs();
  };
  const std::int32_t begin = first_rank(first);
  return w.blocks(begin, first_rank(first + count) - begin);
}

std::uint64_t total(const StepWriter& w) {
  return w.blocks(0, w.size());
}

/// `x` with its lowest log2(n) bits in reverse order.
std::int32_t mirrored(std::int32_t x, std::int32_t n) {
  std::int32_t result = 0;
  for (std::int32_t bit = 1; bit < n; bit *= 2) result = 2 * result + ((x & bit) != 0 ? 1 : 0);
  return result;
}

bool equal_blocks(const StepWriter& w) {
  for (std::int32_t r = 1; r < w.size(); ++r) {
    if (w.block(r) != w.block(0)) return false;
  }
  return true;
}

/// The butterfly's last message: participant `me` holds the block(s) of participant mirror(me).
void bring_home(StepWriter& w, const MergedPairs& pairs, std::int32_t me) {
  const std::int32_t owner = mirrored(me, pairs.participants());
  const std::int32_t owner_rank = pairs.rank_of(owner);
  if (owner < pairs.pairs()) w.send(owner_rank - 1, w.block(owner_rank - 1));
  if (owner != me) w.exchange(owner_rank, w.block(owner_rank), w.block(w.rank()));
}

}  // namespace

void recursive_halving(StepWriter& w) {
  if (total(w) == 0) return;
  const MergedPairs pairs(w.size(), MergedPairs::Stays::odd);
  const std::int32_t me = merge_pairs(w, pairs, total(w));
  std::int32_t first = 0;
  for (std::int32_t half = pairs.participants() / 2; me >= 0 && half > 0; half /= 2) {
    const bool lower = (me & half) == 0;
    const std::int32_t partner = pairs.rank_of(me ^ half);
    const std::uint64_t low = participants_blocks(w, pairs, first, half);
    const std::uint64_t high = participants_blocks(w, pairs, first + half, half);
    const std::uint64_t keep = lower ? low : high;
    const std::uint64_t give = lower ? high : low;
    // Under SimGrid a rank that would get nothing does not give anything either.
    const bool both = w.call().choose == nullptr || (keep > 0 && give > 0);
    if (keep > 0 && both) w.irecv(partner, keep);
    if (give > 0 && both) w.send(partner, give);
    w.wait_all();
    if (!lower) first += half;
  }
  if (!pairs.paired(w.rank())) return;
  const std::int32_t even = w.rank() & ~1;
  if (w.block(even) == 0) return;
  if (w.rank() == even) {
    w.recv(even + 1, w.block(even));
  } else {
    w.send(even, w.block(even));
  }
}

void butterfly(StepWriter& w) {
  const MergedPairs pairs(w.size(), MergedPairs::Stays::odd);
  const std::int32_t me = merge_pairs(w, pairs, total(w));
  if (me < 0) {
    const std::int32_t holder = mirrored(w.rank() / 2, pairs.participants());
    return w.recv(pairs.rank_of(holder), w.block(w.rank()));
  }
  std::int32_t first = 0;
  std::int32_t half = pairs.participants() / 2;
  for (std::int32_t mask = 1; mask < pairs.participants(); mask *= 2, half /= 2) {
    const bool lower = (me & mask) == 0;
    const std::uint64_t low = participants_blocks(w, pairs, first, half);
    const std::uint64_t high = participants_blocks(w, pairs, first + half, half);
    w.exchange(pairs.rank_of(me ^ mask), lower ? high : low, lower ? low : high);
    if (!lower) first += half;
  }
  bring_home(w, pairs, me);
}

void ring(StepWriter& w) {
  const std::int32_t left = w.shift(w.rank(), -1);
  const std::int32_t right = w.shift(w.rank(), 1);
  // A block starts right of its owner and arrives there last.
  const auto block = [&](std::int32_t back) { return w.block(w.shift(w.rank(), -back)); };
  StepWriter::Request arriving = w.irecv(left, block(2 % w.size()));
  w.send(right, block(1));
  for (std::int32_t k = 2; k < w.size(); ++k) {
    arriving = w.irecv_ahead(left, block((k + 1) % w.size()), arriving);
    w.send(right, block(k));
  }
  w.wait(arriving);
}

void pairwise(StepWriter& w) {
  if (total(w) == 0) return;
  for (std::int32_t i = 1; i < w.size(); ++i) {
    const std::int32_t to = w.shift(w.rank(), i);
    w.exchange(to, w.block(to), w.shift(w.rank(), -i), w.block(w.rank()));
  }
}

void recursive_doubling(StepWriter& w) {
  recursive_doubling_exchange(w, 0, [&](std::int32_t first, std::int32_t count) {
    return total(w) - w.blocks(first, count);
  });
}

void noncommutative(StepWriter& w) {
  if (!is_power_of_two(w.size()) || !equal_blocks(w)) {
    return w.instead("recursive_doubling", recursive_doubling);
  }
  std::uint64_t bytes = total(w);
  for (std::int32_t mask = 1; mask < w.size(); mask *= 2) {
    bytes /= 2;
    w.exchange(w.rank() ^ mask, bytes, bytes);
  }
}

void reduce_scatterv(StepWriter& w) {
  CollectiveCall part = w.call();
  part.root = 0;
  part.bytes = total(w);
  part.counts = {};
  w.nested(part, reduce::linear_isend);
  part.bytes = w.bytes();
  part.counts = w.call().counts;
  w.nested(part, scatter::linear_nonblocking);
}

}  // namespace slackline::collectives::reduce_scatter
