#include "analysis/efficiency/ideal_length.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline {
namespace {

/// Which part of [from, to] has gone by at `time`; 1 where it has no length.
double part_of(std::int64_t time, std::int64_t from, std::int64_t to) {
  if (to <= from) return 1;
  return std::clamp(static_cast<double>(time - from) / static_cast<double>(to - from), 0.0, 1.0);
}

IdealMark mark_at(std::int64_t ns) {
  return {true, ns, ns, 1};
}

}  // namespace

double IdealMark::at_ns() const {
  return static_cast<double>(before_ns) + part * static_cast<double>(after_ns - before_ns);
}

void IdealMark::move_by(std::int64_t ns) {
  before_ns += ns;
  after_ns += ns;
}

IdealMark ideal_mark(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank,
                     std::int64_t time_ns) {
  const auto& begin = ideal.begin_ns[static_cast<std::size_t>(rank)];
  const auto& end = ideal.end_ns[static_cast<std::size_t>(rank)];
  const std::size_t next = calls.first_from(time_ns + 1);
  if (next == 0) {
    const std::int64_t start = calls.start_ns();
    return {true, start, begin[0], part_of(time_ns, start, calls.begin_ns(0))};
  }
  const std::size_t call = next - 1;
  const std::int64_t call_end = calls.end_ns(call);
  if (time_ns < call_end) {
    return {true, begin[call], end[call], part_of(time_ns, calls.begin_ns(call), call_end)};
  }
  const bool last = next == calls.size();
  const std::int64_t stop = ideal.rank_end_ns[static_cast<std::size_t>(rank)];
  return {true, end[call], last ? stop : begin[next],
          part_of(time_ns, call_end, last ? calls.stop_ns() : calls.begin_ns(next))};
}

IdealExtent ideal_extent(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank,
                         const RunSpan& run, const TimeInterval& interval, const RunPart& part) {
  IdealExtent extent;
  if (interval != run.analysed) {
    if (part.contains(calls, interval.begin_ns)) {
      extent.begin = ideal_mark(calls, ideal, rank, interval.begin_ns);
    }
    if (part.contains(calls, interval.end_ns)) {
      extent.end = ideal_mark(calls, ideal, rank, interval.end_ns);
    }
    return extent;
  }
  const RankSpan span = rank_span(calls);
  const auto& begin_ns = ideal.begin_ns[static_cast<std::size_t>(rank)];
  const auto& end_ns = ideal.end_ns[static_cast<std::size_t>(rank)];
  if (part.first) {
    extent.begin = mark_at(span.first_call == 0 ? calls.start_ns() : end_ns[span.first_call - 1]);
  }
  if (part.last) {
    extent.end =
        mark_at(span.last_call == calls.size() ? ideal.rank_end_ns[static_cast<std::size_t>(rank)]
                                               : begin_ns[span.last_call]);
  }
  return extent;
}

std::int64_t ideal_length(std::span<const IdealExtent> ranks, const RunSpan& run,
                          const TimeInterval& interval) {
  TimeInterval all{std::numeric_limits<std::int64_t>::max(),
                   std::numeric_limits<std::int64_t>::min()};
  double longest = 0;
  for (const IdealExtent& rank : ranks) {
    all.begin_ns = std::min(all.begin_ns, rank.begin.before_ns);
    all.end_ns = std::max(all.end_ns, rank.end.before_ns);
    longest = std::max(longest, rank.end.at_ns() - rank.begin.at_ns());
  }
  if (interval == run.analysed) return all.end_ns > all.begin_ns ? all.length_ns() : 0;
  return std::min(interval.length_ns(), static_cast<std::int64_t>(std::llround(longest)));
}

}  // namespace slackline
