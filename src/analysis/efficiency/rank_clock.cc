#include "analysis/efficiency/rank_clock.h"

#include <algorithm>

#include "calls/gap_walk.h"

namespace slackline {
namespace {

/// Which part of [from, to] has gone by at `time`; 1 where it has no length.
double part(std::int64_t time, std::int64_t from, std::int64_t to) {
  if (to <= from) return 1;
  return std::clamp(static_cast<double>(time - from) / static_cast<double>(to - from), 0.0, 1.0);
}

double between(std::int64_t a, std::int64_t b, double part) {
  return static_cast<double>(a) + part * static_cast<double>(b - a);
}

}  // namespace

RankClock::RankClock(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank)
    : calls_(calls),
      ideal_begin_(ideal.begin_ns[static_cast<std::size_t>(rank)]),
      ideal_end_(ideal.end_ns[static_cast<std::size_t>(rank)]),
      ideal_stop_(ideal.rank_end_ns[static_cast<std::size_t>(rank)]) {
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
  const std::size_t next = calls_.first_from(time_ns + 1);
  const std::int64_t start = calls_.start_ns();
  if (next == 0) {
    const double done = part(time_ns, start, calls_.begin_ns(0));
    return {done * static_cast<double>(calls_.useful_ns(0)), between(start, ideal_begin_[0], done)};
  }
  const std::size_t call = next - 1;
  const double useful = useful_until(call);
  const std::int64_t end = calls_.end_ns(call);
  if (time_ns < end) {
    const double done = part(time_ns, calls_.begin_ns(call), end);
    return {useful, between(ideal_begin_[call], ideal_end_[call], done)};
  }
  const bool last = next == calls_.size();
  const double done = part(time_ns, end, last ? calls_.stop_ns() : calls_.begin_ns(next));
  return {useful + done * static_cast<double>(calls_.useful_ns(next)),
          between(ideal_end_[call], last ? ideal_stop_ : ideal_begin_[next], done)};
}

}  // namespace slackline
