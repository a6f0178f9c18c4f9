#include "analysis/efficiency/rank_clock.h"

#include <algorithm>
#include <iterator>

#include "analysis/efficiency/ideal_length.h"
#include "calls/gap_walk.h"

namespace slackline {

RankClock::RankClock(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank)
    : calls_(calls), ideal_(ideal), rank_(rank) {
  if (calls.has_threads()) {
    keep_gaps();
    return;
  }
  useful_.reserve(calls.size() / kStride + 1);
  std::int64_t useful = 0;
  GapWalk gaps(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    useful += gaps.next().useful_ns;
    if (i % kStride == 0) useful_.push_back(static_cast<double>(useful));
  }
}

void RankClock::keep_gaps() {
  GapWalk gaps(calls_);
  double before = 0;
  for (std::size_t i = 0; i <= calls_.size(); ++i) {
    const GapWalk::Gap gap = gaps.next();
    if (gap.end_ns <= gap.begin_ns) continue;
    gaps_.push_back({gap.begin_ns, gap.end_ns, before, static_cast<double>(gap.useful_ns)});
    before += gaps_.back().useful;
  }
}

double RankClock::useful_in_gaps(std::int64_t time_ns) const {
  const auto after = std::ranges::upper_bound(gaps_, time_ns, {}, &Gap::begin_ns);
  if (after == gaps_.begin()) return 0;
  const Gap& gap = *std::prev(after);
  const auto until = static_cast<double>(std::min(time_ns, gap.end_ns) - gap.begin_ns);
  return gap.useful_before + gap.useful * until / static_cast<double>(gap.end_ns - gap.begin_ns);
}

double RankClock::useful_until(std::size_t call) const {
  double useful = useful_[call / kStride];
  for (std::size_t i = call / kStride * kStride + 1; i <= call; ++i) {
    useful += static_cast<double>(calls_.useful_ns(i));
  }
  return useful;
}

RankClock::Reading RankClock::at(std::int64_t time_ns) const {
  const IdealMark ideal = ideal_mark(calls_, ideal_, rank_, time_ns);
  if (calls_.has_threads()) return {useful_in_gaps(time_ns), ideal.at_ns()};
  const std::size_t next = calls_.first_from(time_ns + 1);
  const double useful = next == 0 ? 0 : useful_until(next - 1);
  const bool inside = next > 0 && time_ns < calls_.end_ns(next - 1);
  const double since = inside ? 0 : ideal.part * static_cast<double>(calls_.useful_ns(next));
  return {useful + since, ideal.at_ns()};
}

}  // namespace slackline
