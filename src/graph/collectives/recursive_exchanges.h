#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/collectives/step_writer.h"

namespace slackline::collectives {

/// Bytes that a group of `count` participants from `first` on holds (cut off at the last one).
using GroupBytes = std::function<std::uint64_t(std::int32_t first, std::int32_t count)>;

/// Recursive doubling among all P participants for any P; participant i is the rank i behind
/// `origin`. In round k neighbouring groups of 2^k swap what they hold: each sends group(own) and
/// gets group(other). Members of a full group whose partner does not exist, because the other group
/// is cut off by P, get the same from their group's own members by recursive halving (MPICH's
/// scheme). ceil(log2 P) rounds for a power of two, at most twice as many otherwise.
void recursive_doubling_exchange(StepWriter& w, std::int32_t origin, const GroupBytes& group);

/// Brings P ranks down to a power of two: of the first 2(P - 2^k) ranks each even-odd pair becomes
/// one participant, played by its even or its odd member.
class MergedPairs {
 public:
  enum class Stays : std::uint8_t { even, odd };
  MergedPairs(std::int32_t size, Stays stays)
      : participants_(power_of_two_below(size)), pairs_(size - participants_), stays_(stays) {}

  std::int32_t participants() const { return participants_; }
  std::int32_t pairs() const { return pairs_; }
  bool paired(std::int32_t rank) const { return rank < 2 * pairs_; }
  /// -1 for the member of a pair that sits out.
  std::int32_t participant_of(std::int32_t rank) const;
  std::int32_t rank_of(std::int32_t participant) const;

 private:
  std::int32_t participants_;
  std::int32_t pairs_;
  Stays stays_;
};

/// The merging itself: who sits out sends `bytes` to its partner. Returns the rank's participant.
std::int32_t merge_pairs(StepWriter& w, const MergedPairs& pairs, std::uint64_t bytes);
/// The end of an allreduce: partners that sat out get the result.
void release_pairs(StepWriter& w, const MergedPairs& pairs, std::uint64_t bytes);

/// One round of recursive halving: the part kept, the part given to the partner.
struct HalvingStep {
  std::int32_t partner;
  std::uint64_t keep_bytes, give_bytes;
};

/// A vector in as many blocks as participants: equal numbers of elements, the rest in the last one.
/// In round i partners differ in bit i and the vector halves; played backwards with `keep` sent and
/// `give` received, the same rounds gather the parts again.
class HalvedVector {
 public:
  HalvedVector(const StepWriter& w, std::int32_t participants);
  std::uint64_t block(std::int32_t index) const { return bytes(index, 1); }
  std::vector<HalvingStep> steps(std::int32_t participant) const;

 private:
  std::uint64_t bytes(std::int32_t first, std::int32_t count) const;

  std::int32_t participants_;
  std::uint64_t total_;
  std::uint64_t block_;
};

}  // namespace slackline::collectives
