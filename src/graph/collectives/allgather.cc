// Allgather and allgatherv: every rank gets every rank's block.
//
// Each rank has to receive the other P - 1 blocks, whatever the algorithm: sum(blocks) - own bytes.
// They differ in rounds and in who talks to whom. Allgather is the case of equal blocks, so all but
// the rings serve both operations.
//
// - ring: P - 1 rounds with the neighbours only; each passes on what it got last (SimGrid NTSLR).
//   ring_nonblocking posts all its receives first. For allgatherv (MPICH) blocks above 256 KiB, or
//   above the smallest block if that is larger, travel in pieces, and empty blocks not at all.
// - spread: each rank sends its own block to the one i ahead in round i (SimGrid calls it ring).
// - pairwise: the same with partners rank ^ i; P no power of two: spread.
// - recursive_doubling: groups of 2^k swap all they have; log2 P rounds, a few more if P is no
// power
//   of two (MPICH's scheme, see recursive_exchanges.h).
// - bruck: ceil(log2 P) rounds for any P: from 2^k ahead come as many blocks as one has already,
// the
//   last round only what is missing (Bruck et al. 1997).
// - neighbor_exchange: P/2 rounds, two blocks at a time with alternating neighbours (Chen et al.
//   2005); P odd: spread.
// - recursive_halving: P a power of two: blocks first go to the rank with the bits reversed, then
//   partners at halving distances swap all they have, so that what is near comes last.
// - spread_at_once: spread with all requests posted together.
// - linear: everything to everybody at once. gather_bcast: nonblocking linear gather to rank 0,
// then
//   binomial broadcast of everything.

#include <algorithm>

#include "graph/collectives/algorithms.h"
#include "graph/collectives/recursive_exchanges.h"

namespace slackline::collectives::allgather {

namespace {

/// Bytes of `count` blocks from `first` on, round the end.
std::uint64_t blocks_round(const StepWriter& w, std::int32_t first, std::int32_t count) {
  const std::int32_t to_end = std::min(count, w.size() - first);
  return w.blocks(first, to_end) + w.blocks(0, count - to_end);
}

std::uint64_t smallest_block(const StepWriter& w) {
  std::uint64_t smallest = w.block(0);
  for (std::int32_t r = 1; r < w.size(); ++r) smallest = std::min(smallest, w.block(r));
  return smallest;
}

/// The blocks that pass along one link of the ring, from `first` downwards, cut into pieces.
class PiecesBackwards {
 public:
  PiecesBackwards(const StepWriter& w, std::int32_t first, std::uint64_t piece)
      : w_(w), block_(first), piece_(piece), blocks_left_(w.size() - 1) {}
  bool done() const { return blocks_left_ == 0; }
  /// Bytes of the next piece; 0 for an empty block.
  std::uint64_t next() {
    const std::uint64_t bytes = std::min(w_.block(block_) - sent_, piece_);
    sent_ += bytes;
    if (sent_ == w_.block(block_)) {
      sent_ = 0;
      block_ = w_.shift(block_, -1);
      --blocks_left_;
    }
    return bytes;
  }

 private:
  const StepWriter& w_;
  std::int32_t block_;
  std::uint64_t piece_;
  std::int32_t blocks_left_;
  std::uint64_t sent_ = 0;
};

}  // namespace

void ring(StepWriter& w) {
  for (std::int32_t i = 0; i + 1 < w.size(); ++i) {
    w.exchange(w.shift(w.rank(), 1), w.block(w.shift(w.rank(), -i)), w.shift(w.rank(), -1),
               w.block(w.shift(w.rank(), -i - 1)));
  }
}

void ring_nonblocking(StepWriter& w) {
  const std::int32_t left = w.shift(w.rank(), -1);
  const auto incoming = [&](std::int32_t i) { return w.block(w.shift(w.rank(), -i - 1)); };
  std::vector<StepWriter::Request> posted;
  for (std::int32_t i = 0; w.single_waits() && i + 1 < w.size(); ++i) {
    posted.push_back(w.irecv(left, incoming(i)));
  }
  for (std::int32_t i = 0; i + 1 < w.size(); ++i) {
    const auto leaving = w.isend(w.shift(w.rank(), 1), w.block(w.shift(w.rank(), -i)));
    w.wait(posted.empty() ? w.irecv(left, incoming(i)) : posted[static_cast<std::size_t>(i)]);
    w.wait(leaving);
  }
}

void ring_in_pieces(StepWriter& w) {
  const std::int32_t left = w.shift(w.rank(), -1);
  const std::int32_t right = w.shift(w.rank(), 1);
  // The last bound keeps the number of pieces of garbage counts in hand.
  const std::uint64_t piece = std::max<std::uint64_t>(
      {smallest_block(w), 256 * 1024, total_blocks(w.call()) / Segments::kMost});
  PiecesBackwards outgoing(w, w.rank(), piece);
  PiecesBackwards incoming(w, left, piece);
  while (!outgoing.done() || !incoming.done()) {
    const std::uint64_t sent = outgoing.done() ? 0 : outgoing.next();
    const std::uint64_t received = incoming.done() ? 0 : incoming.next();
    if (sent > 0) w.isend(right, sent);
    if (received > 0) w.irecv(left, received);
    w.wait_all();
  }
}

void spread(StepWriter& w) {
  for (std::int32_t i = 1; i < w.size(); ++i) {
    const std::int32_t from = w.shift(w.rank(), -i);
    w.exchange(w.shift(w.rank(), i), w.block(w.rank()), from, w.block(from));
  }
}

void pairwise(StepWriter& w) {
  if (!is_power_of_two(w.size())) return w.instead("spread", spread);
  for (std::int32_t i = 1; i < w.size(); ++i) {
    w.exchange(w.rank() ^ i, w.block(w.rank()), w.block(w.rank() ^ i));
  }
}

void recursive_doubling(StepWriter& w) {
  recursive_doubling_exchange(
      w, 0, [&](std::int32_t first, std::int32_t count) { return w.blocks(first, count); });
}

void bruck(StepWriter& w) {
  for (std::int32_t have = 1; have < w.size(); have *= 2) {
    const std::int32_t blocks = std::min(have, w.size() - have);
    const std::int32_t from = w.shift(w.rank(), have);
    w.exchange(w.shift(w.rank(), -have), blocks_round(w, w.rank(), blocks), from,
               blocks_round(w, from, blocks));
  }
}

void neighbor_exchange(StepWriter& w) {
  if (w.size() % 2 != 0) return w.instead("spread", spread);
  const bool even = w.rank() % 2 == 0;
  const std::int32_t partners[2] = {w.shift(w.rank(), even ? 1 : -1),
                                    w.shift(w.rank(), even ? -1 : 1)};
  w.exchange(partners[0], w.block(w.rank()), w.block(partners[0]));
  // Pairs of blocks are named by their even member. A step brings the pair two further on that
  // side.
  const std::int32_t own_pair = w.rank() / 2 * 2;
  std::int32_t sent = own_pair;
  std::int32_t received[2] = {own_pair, own_pair};
  for (std::int32_t i = 1; i < w.size() / 2; ++i) {
    const auto side = static_cast<std::size_t>(i % 2);
    received[side] = w.shift(received[side], (side == 0) == even ? 2 : -2);
    w.exchange(partners[side], w.blocks(sent, 2), w.blocks(received[side], 2));
    sent = received[side];
  }
}

void linear(StepWriter& w) {
  for (std::int32_t r = 0; r < w.size(); ++r) {
    w.isend(r, w.block(w.rank()));
    w.irecv(r, w.block(r));
  }
  w.wait_all();
}

void spread_at_once(StepWriter& w) {
  for (std::int32_t i = 1; i < w.size(); ++i) w.irecv(w.shift(w.rank(), i), w.bytes());
  for (std::int32_t i = 1; i < w.size(); ++i) w.isend(w.shift(w.rank(), i), w.bytes());
  w.wait_all();
}

void recursive_halving(StepWriter& w) {
  if (!is_power_of_two(w.size())) {
    return w.instead("recursive_doubling", recursive_doubling);
  }
  // Blocks first go where the halving will need them: to the rank with the bits in reverse order.
  std::int32_t place = 0;
  for (std::int32_t mask = 1; mask < w.size(); mask *= 2) {
    place = 2 * place + ((w.rank() & mask) != 0 ? 1 : 0);
  }
  if (place != w.rank()) w.exchange(place, w.bytes(), w.bytes());
  std::uint64_t bytes = w.bytes();
  for (std::int32_t mask = w.size() / 2; mask > 0; mask /= 2, bytes *= 2) {
    w.exchange(w.rank() ^ mask, bytes, bytes);
  }
}

void gather_bcast(StepWriter& w) {
  const bool counted = w.call().operation == Operation::allgatherv;
  CollectiveCall part = w.part(counted ? Operation::gatherv : Operation::gather, w.bytes());
  part.counts = w.call().counts;
  if (counted) {
    w.nested(part, w.call().choose == nullptr ? gather::linear_nonblocking : gather::linear_isend);
  } else {
    w.nested_chosen(part, gather::linear_nonblocking);
  }
  w.nested_chosen(w.part(Operation::bcast, w.blocks(0, w.size())), bcast::binomial);
}

}  // namespace slackline::collectives::allgather
