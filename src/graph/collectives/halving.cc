#include "graph/collectives/halving.h"

namespace slackline::collectives {

std::int32_t MergedPairs::participant_of(std::int32_t rank) const {
  if (!paired(rank)) return rank - pairs_;
  const bool odd = rank % 2 == 1;
  return odd == (stays_ == Stays::odd) ? rank / 2 : -1;
}

std::int32_t MergedPairs::rank_of(std::int32_t participant) const {
  if (participant >= pairs_) return participant + pairs_;
  return 2 * participant + (stays_ == Stays::odd ? 1 : 0);
}

std::int32_t merge_pairs(StepWriter& w, const MergedPairs& pairs, std::uint64_t bytes) {
  const std::int32_t me = pairs.participant_of(w.rank());
  if (!pairs.paired(w.rank())) return me;
  if (me < 0) {
    w.send(w.rank() ^ 1, bytes);
  } else {
    w.recv(w.rank() ^ 1, bytes);
  }
  return me;
}

void release_pairs(StepWriter& w, const MergedPairs& pairs, std::uint64_t bytes) {
  if (!pairs.paired(w.rank())) return;
  if (pairs.participant_of(w.rank()) < 0) {
    w.recv(w.rank() ^ 1, bytes);
  } else {
    w.send(w.rank() ^ 1, bytes);
  }
}

HalvedVector::HalvedVector(const StepWriter& w, std::int32_t participants)
    : participants_(participants),
      total_(w.bytes()),
      block_(w.elements() / static_cast<std::uint64_t>(participants) * w.element_bytes()) {}

std::uint64_t HalvedVector::bytes(std::int32_t first, std::int32_t count) const {
  const std::uint64_t begin = block_ * static_cast<std::uint64_t>(first);
  if (first + count == participants_) return total_ - begin;
  return block_ * static_cast<std::uint64_t>(count);
}

std::vector<HalvingStep> HalvedVector::steps(std::int32_t participant) const {
  std::vector<HalvingStep> steps;
  std::int32_t first = 0;
  std::int32_t half = participants_ / 2;
  for (std::int32_t mask = 1; mask < participants_; mask *= 2, half /= 2) {
    const bool lower = (participant & mask) == 0;
    const std::int32_t keep = lower ? first : first + half;
    const std::int32_t give = lower ? first + half : first;
    steps.push_back({participant ^ mask, bytes(keep, half), bytes(give, half)});
    first = keep;
  }
  return steps;
}

}  // namespace slackline::collectives
