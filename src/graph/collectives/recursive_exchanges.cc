#include "graph/collectives/recursive_exchanges.h"

namespace slackline::collectives {
namespace {

/// After a round in which only the first `have` members of the full group from `first` on had a
/// partner: they pass on what they got. At distance `mask` a subgroup of 2 * mask members has its
/// first `have` served; they serve those behind them.
void serve_the_rest(StepWriter& w, std::int32_t origin, std::int32_t me, std::int32_t group_size,
                    std::int32_t have, std::uint64_t bytes) {
  for (std::int32_t mask = group_size / 2; mask > 0; mask /= 2) {
    const std::int32_t served = me / (2 * mask) * (2 * mask) + have;
    const std::int32_t other = me ^ mask;
    const std::int32_t peer = w.shift(origin, other);
    if (other > me && me < served && other >= served) w.send(peer, bytes);
    if (other < me && other < served && me >= served) w.recv(peer, bytes);
  }
}

}  // namespace

void recursive_doubling_exchange(StepWriter& w, std::int32_t origin, const GroupBytes& group) {
  const std::int32_t me = (w.rank() - origin + w.size()) % w.size();
  for (std::int32_t mask = 1; mask < w.size(); mask *= 2) {
    const std::int32_t other = me ^ mask;
    const std::int32_t mine = me / mask * mask;
    const std::int32_t theirs = other / mask * mask;
    if (other < w.size()) {
      w.exchange(w.shift(origin, other), group(mine, mask), group(theirs, mask));
    }
    const std::int32_t have = w.size() - theirs;
    if (theirs > mine && have > 0 && have < mask) {
      serve_the_rest(w, origin, me, mask, have, group(theirs, mask));
    }
  }
}

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
