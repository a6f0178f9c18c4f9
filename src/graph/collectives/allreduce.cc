// Allreduce: every rank gets the combination of all vectors of n bytes.
//
// Its lower bounds are ceil(log2 P) rounds and 2n(P-1)/P bytes a rank; no algorithm reaches both.
//
// - recursive_doubling: pairs swap whole vectors, log2 P rounds of n bytes; for short vectors. P no
//   power of two: pairs merge first and part at the end, two rounds more.
// - rabenseifner: reduce-scatter by recursive halving, then allgather by recursive doubling:
//   2 log2 P rounds, 2n(P-1)/P bytes (Rabenseifner 2004; Thakur et al. 2005).
// - ring: reduce-scatter and allgather round a ring in P blocks that differ by at most one element:
//   2(P-1) rounds, same volume, neighbours only (Patarasuk and Yuan 2009; Open MPI). Fewer elements
//   than ranks: recursive doubling, as in Open MPI. ring_empty_blocks goes round nevertheless.
// - ring_segmented: the reduce-scatter in phases of about 1 MiB a block; shorter vectors: ring.
// - lr, lr_segmented: SimGrid's versions of the two: equal blocks, and what P does not divide is
//   reduced to rank 0 and broadcast afterwards.
// - halves: Rabenseifner's first version (halves.cc). equal_halves: the same for P a power of two,
// in
//   equal parts, with whatever allgather is chosen; alltoall_allgather: the reduce-scatter as one
//   alltoall.
// - linear_nonblocking: linear with sends that do not block (SimGrid's default).
// - reduce_bcast: binomial reduce to rank 0, binomial broadcast. nonoverlapping: the same with the
//   algorithms that Open MPI decides for the two. linear: linear reduce, binomial broadcast.

#include "graph/collectives/algorithms.h"
#include "graph/collectives/recursive_exchanges.h"

namespace slackline::collectives::allreduce {

namespace {

constexpr std::uint64_t kPhaseBytes = 1 << 20;

/// Runs another operation on (part of) the vector, rooted at rank 0, as part of this call.
void sub_operation(StepWriter& w, std::uint64_t bytes, void (*algorithm)(StepWriter&)) {
  w.nested({.operation = w.call().operation,
            .size = w.size(),
            .root = 0,
            .bytes = bytes,
            .element_bytes = static_cast<std::uint32_t>(w.element_bytes()),
            .commutative = w.call().commutative,
            .counts = {},
            .single_waits = w.single_waits()},
           algorithm);
}

/// `parts` parts of whole elements of `bytes`, the first ones one element larger.
struct EvenParts {
  EvenParts(std::uint64_t bytes, std::uint64_t element, std::uint64_t parts)
      : element_bytes(element), small(bytes / element / parts), larger(bytes / element % parts) {}
  std::uint64_t bytes(std::uint64_t index) const {
    return (small + (index < larger ? 1 : 0)) * element_bytes;
  }
  std::uint64_t element_bytes, small, larger;
};

/// Both halves of the ring; the reduce-scatter in `phases` phases, each on a part of every block.
void ring_in_phases(StepWriter& w, std::uint64_t phases) {
  const auto P = static_cast<std::uint64_t>(w.size());
  const auto me = static_cast<std::uint64_t>(w.rank());
  const std::int32_t left = w.shift(w.rank(), -1);
  const std::int32_t right = w.shift(w.rank(), 1);
  const EvenParts blocks(w.bytes(), w.element_bytes(), P);
  for (std::uint64_t phase = 0; phase < phases; ++phase) {
    const auto part = [&](std::uint64_t back) {
      const std::uint64_t block = blocks.bytes((me + P - back) % P);
      return EvenParts(block, w.element_bytes(), phases).bytes(phase);
    };
    StepWriter::Request arriving = w.irecv(left, part(1));
    w.send(right, part(0));
    for (std::uint64_t k = 2; k < P; ++k) {
      arriving = w.irecv_ahead(left, part(k), arriving);
      w.send(right, part(k - 1));
    }
    w.wait(arriving);
  }
  for (std::uint64_t k = 0; k + 1 < P; ++k) {
    w.exchange(right, blocks.bytes((me + 1 + P - k) % P), left, blocks.bytes((me + P - k) % P));
  }
}

/// Phases of a segmented ring, 0 if the vector is too short for one.
std::uint64_t ring_phases(const StepWriter& w) {
  const Segments segment(w.bytes(), w.element_bytes(), kPhaseBytes);
  const std::uint64_t round =
      segment.bytes(0) / w.element_bytes() * static_cast<std::uint64_t>(w.size());
  if (round == 0 || w.elements() < round) return 0;
  const std::uint64_t rest = w.elements() % round;
  const bool one_more = rest >= static_cast<std::uint64_t>(w.size()) && rest > round / 2;
  return w.elements() / round + (one_more ? 1 : 0);
}

}  // namespace

void recursive_doubling(StepWriter& w) {
  const MergedPairs pairs(w.size(), MergedPairs::Stays::odd);
  const std::int32_t me = merge_pairs(w, pairs, w.bytes());
  for (std::int32_t mask = 1; me >= 0 && mask < pairs.participants(); mask *= 2) {
    w.exchange(pairs.rank_of(me ^ mask), w.bytes(), w.bytes());
  }
  release_pairs(w, pairs, w.bytes());
}

void rabenseifner(StepWriter& w) {
  const MergedPairs pairs(w.size(), MergedPairs::Stays::odd);
  const std::int32_t me = merge_pairs(w, pairs, w.bytes());
  if (me >= 0) {
    const std::vector<HalvingStep> steps = HalvedVector(w, pairs.participants()).steps(me);
    for (const HalvingStep& s : steps) {
      w.exchange(pairs.rank_of(s.partner), s.give_bytes, s.keep_bytes);
    }
    for (std::size_t i = steps.size(); i-- > 0;) {
      w.exchange(pairs.rank_of(steps[i].partner), steps[i].keep_bytes, steps[i].give_bytes);
    }
  }
  release_pairs(w, pairs, w.bytes());
}

void ring(StepWriter& w) {
  if (w.elements() < static_cast<std::uint64_t>(w.size())) {
    return w.instead("recursive_doubling", recursive_doubling);
  }
  ring_in_phases(w, 1);
}

void ring_empty_blocks(StepWriter& w) {
  ring_in_phases(w, 1);
}

void ring_segmented(StepWriter& w) {
  const std::uint64_t phases = ring_phases(w);
  if (phases == 0) return w.instead("ring", ring);
  ring_in_phases(w, phases);
}

void lr(StepWriter& w) {
  const auto P = static_cast<std::uint64_t>(w.size());
  if (w.elements() < P) {
    return w.call().choose == nullptr ? w.instead("linear", linear)
                                      : w.instead("nonoverlapping", nonoverlapping);
  }
  const std::uint64_t block = w.elements() / P * w.element_bytes();
  for (std::int32_t k = 0; k < 2 * (w.size() - 1); ++k) {
    w.exchange(w.shift(w.rank(), 1), block, w.shift(w.rank(), -1), block);
  }
  const std::uint64_t rest = w.bytes() - block * P;
  if (rest > 0) w.nested_chosen(w.part(w.call().operation, rest), linear);
}

void lr_segmented(StepWriter& w) {
  const std::uint64_t phases = ring_phases(w);
  if (phases == 0) return w.instead("lr", lr);
  ring_in_phases(w, phases);
}

void linear(StepWriter& w) {
  sub_operation(w, w.bytes(), reduce::linear_nonblocking);
  sub_operation(w, w.bytes(), bcast::binomial);
}

void equal_halves(StepWriter& w) {
  if (!is_power_of_two(w.size())) return w.instead("rabenseifner", rabenseifner);
  const auto P = static_cast<std::uint64_t>(w.size());
  // What P does not divide is rounded up, and once more: SimGrid's way.
  const std::uint64_t share = w.elements() % P == 0 ? w.elements() / P : (w.elements() + P) / P;
  const std::uint64_t block = share * w.element_bytes();
  for (std::int32_t mask = w.size() / 2; mask > 0; mask /= 2) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(mask) * block;
    w.exchange(w.rank() ^ mask, bytes, bytes);
  }
  w.nested_chosen(w.part(Operation::allgather, block), allgather::linear);
}

void alltoall_allgather(StepWriter& w) {
  const auto P = static_cast<std::uint64_t>(w.size());
  std::uint64_t share = w.elements() / P;
  if (w.elements() % P != 0) share = w.elements() < P ? P : (w.elements() + P) / P;
  const std::uint64_t block = share * w.element_bytes();
  w.nested_chosen(w.part(Operation::alltoall, block), alltoall::linear);
  w.nested_chosen(w.part(Operation::allgather, block), allgather::linear);
}

void reduce_bcast(StepWriter& w) {
  sub_operation(w, w.bytes(), reduce::binomial);
  sub_operation(w, w.bytes(), bcast::binomial);
}

void nonoverlapping(StepWriter& w) {
  for (const Operation half : {Operation::reduce, Operation::bcast}) {
    const CollectiveCall call = w.part(half, w.bytes());
    if (call.choose != nullptr) {
      w.nested_chosen(call, half == Operation::bcast ? bcast::binomial : reduce::binomial);
    } else {
      w.nested(call, openmpi_decision(call));
    }
  }
}

void linear_nonblocking(StepWriter& w) {
  w.nested(w.part(Operation::reduce, w.bytes()), reduce::linear_isend);
  w.nested(w.part(Operation::bcast, w.bytes()), bcast::binomial);
}

}  // namespace slackline::collectives::allreduce
