#include "analysis/summary/gap_times.h"

#include <algorithm>

namespace slackline {
namespace {

std::int64_t common_ns(const TimeInterval& a, std::int64_t begin_ns, std::int64_t end_ns) {
  return std::max<std::int64_t>(0, std::min(a.end_ns, end_ns) - std::max(a.begin_ns, begin_ns));
}

}  // namespace

GapTime GapTimes::of(std::int32_t rank, CallIndex call) const {
  if (is_polled(rank, call)) return {};
  const RankCalls& calls = run_.trace().calls(rank);
  const std::int64_t end = run_.start_ns() + run_.enter_ns(rank, call);
  const std::int64_t begin = end - run_.gap_ns(rank, call);
  const std::int64_t inside = common_ns(interval_, begin, end);
  GapTime time;
  if (inside == 0) return time;
  if (call == 0) {
    time.late_start = common_ns(interval_, begin, begin + run_.late_start_ns(rank));
  }
  std::int64_t other = time.late_start;
  const auto pauses = calls.pauses();
  for (auto p = std::ranges::lower_bound(pauses, call, {}, &Pause::before_call);
       p != pauses.end() && p->before_call == call; ++p) {
    const std::int64_t ns = common_ns(interval_, std::max(begin, p->begin_ns), p->end_ns);
    other += ns;
    if (p->kind == PauseKind::no_processor) time.no_processor += ns;
    if (p->kind == PauseKind::blocked || p->kind == PauseKind::other) time.blocked += ns;
  }
  other = std::min(inside, other);
  time.computing = std::max<std::int64_t>(0, inside - other - calls.recording_ns(call));
  return time;
}

}  // namespace slackline
