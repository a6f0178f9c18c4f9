#include "analysis/efficiency/ideal_length.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/efficiency/rank_clock.h"

namespace slackline {

IdealExtent ideal_extent(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank,
                         const RunSpan& run, const TimeInterval& interval) {
  IdealExtent extent;
  if (interval != run.analysed) {
    const RankClock clock(calls, ideal, rank);
    extent.needed_ns = clock.at(interval.end_ns).ideal_ns - clock.at(interval.begin_ns).ideal_ns;
    return extent;
  }
  const RankSpan span = rank_span(calls);
  const auto& begin_ns = ideal.begin_ns[static_cast<std::size_t>(rank)];
  const auto& end_ns = ideal.end_ns[static_cast<std::size_t>(rank)];
  extent.program.begin_ns = span.first_call == 0 ? calls.start_ns() : end_ns[span.first_call - 1];
  extent.program.end_ns = span.last_call == calls.size() ? end_ns.back() : begin_ns[span.last_call];
  return extent;
}

std::int64_t ideal_length(std::span<const IdealExtent> ranks, const RunSpan& run,
                          const TimeInterval& interval) {
  TimeInterval all{std::numeric_limits<std::int64_t>::max(),
                   std::numeric_limits<std::int64_t>::min()};
  double longest = 0;
  for (const IdealExtent& rank : ranks) {
    all.begin_ns = std::min(all.begin_ns, rank.program.begin_ns);
    all.end_ns = std::max(all.end_ns, rank.program.end_ns);
    longest = std::max(longest, rank.needed_ns);
  }
  if (interval == run.analysed) return all.end_ns > all.begin_ns ? all.length_ns() : 0;
  return std::min(interval.length_ns(), static_cast<std::int64_t>(std::llround(longest)));
}

}  // namespace slackline
