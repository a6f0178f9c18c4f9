#include "diagnosis/rank_clock.h"

#include <algorithm>

namespace slackline {

RankClock::RankClock(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank) {
  const auto r = static_cast<std::size_t>(rank);
  double useful = 0;
  const auto point = [&](std::int64_t time, std::int64_t ideal_time) {
    time_.push_back(time_.empty() ? time : std::max(time, time_.back()));
    useful_.push_back(useful);
    ideal_.push_back(static_cast<double>(ideal_time));
  };
  point(calls.start_ns(), calls.start_ns());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    useful += static_cast<double>(calls.useful_ns(i));
    point(calls.begin_ns(i), ideal.begin_ns[r][i]);
    point(calls.end_ns(i), ideal.end_ns[r][i]);
  }
  useful += static_cast<double>(calls.useful_ns(calls.size()));
  point(calls.stop_ns(), ideal.rank_end_ns[r]);
}

RankClock::Reading RankClock::at(std::int64_t time_ns) const {
  const auto after = std::ranges::upper_bound(time_, time_ns);
  if (after == time_.begin()) return {useful_.front(), ideal_.front()};
  const auto i = static_cast<std::size_t>(after - time_.begin()) - 1;
  if (after == time_.end() || time_[i + 1] == time_[i]) return {useful_[i], ideal_[i]};
  const double part =
      static_cast<double>(time_ns - time_[i]) / static_cast<double>(time_[i + 1] - time_[i]);
  return {useful_[i] + part * (useful_[i + 1] - useful_[i]),
          ideal_[i] + part * (ideal_[i + 1] - ideal_[i])};
}

}  // namespace slackline
