#include "graph/collectives/doubling.h"

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

}  // namespace slackline::collectives
