#include "analysis/efficiency/rank_clock.h"

#include "analysis/efficiency/ideal_length.h"
#include "calls/gap_walk.h"

namespace slackline {

RankClock::RankClock(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank)
    : calls_(calls), ideal_(ideal), rank_(rank) {
  useful_.reserve(calls.size() / kStride + 1);
  std::int64_t useful = 0;
  GapWalk gaps(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    useful += gaps.next().useful_ns;
    if (i % kStride == 0) useful_.push_back(static_cast<double>(useful));
  }
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
  const std::size_t next = calls_.first_from(time_ns + 1);
  const double useful = next == 0 ? 0 : useful_until(next - 1);
  const bool inside = next > 0 && time_ns < calls_.end_ns(next - 1);
  const double since = inside ? 0 : ideal.part * static_cast<double>(calls_.useful_ns(next));
  return {useful + since, ideal.at_ns()};
}

}  // namespace slackline
