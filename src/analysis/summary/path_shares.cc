#include "analysis/summary/path_shares.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace slackline {

PathShares path_shares(const CriticalPath& path, const TimeInterval& interval) {
  PathShares shares;
  shares.by_rank.resize(path.by_rank.size());
  std::map<ActivityName, std::int64_t> times;
  const std::int64_t from = std::max(interval.begin_ns, path.late_start_ns);
  for (const ActivitySegment& s : path.segments) {
    const bool environment = is_init(s.operation) || s.operation == Operation::finalize;
    if (!environment && s.begin_ns < interval.begin_ns && s.begin_ns >= path.late_start_ns) {
      shares.before = true;
    }
    const std::int64_t time = std::min(s.end_ns, interval.end_ns) - std::max(s.begin_ns, from);
    if (time <= 0) continue;
    times[{s.operation, s.path, s.late_start}] += time;
    shares.by_rank[static_cast<std::size_t>(s.rank)] += time;
    shares.length_ns += time;
    if (s.operation == Operation::none && !s.late_start) shares.computation_ns += time;
    if (environment) shares.environment_ns += time;
  }
  for (const auto& [activity, time] : times) {
    shares.activities.push_back({activity.operation, activity.path, activity.late_start, time});
  }
  std::ranges::stable_sort(shares.activities,
                           [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  return shares;
}

}  // namespace slackline
