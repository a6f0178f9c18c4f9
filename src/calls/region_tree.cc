#include "calls/region_tree.h"

#include <algorithm>

namespace slackline {
namespace {

void append_visits(const RankCalls& calls, std::int32_t rank, std::vector<RegionVisit>& visits) {
  std::vector<std::size_t> open;
  const auto close_innermost = [&](std::int64_t time) {
    visits[open.back()].end_ns = time;
    open.pop_back();
  };
  for (const RegionEvent& event : calls.regions()) {
    if (event.enter) {
      const auto depth = static_cast<std::int32_t>(open.size());
      open.push_back(visits.size());
      visits.push_back({rank, event.region, depth, event.time_ns, event.time_ns});
      continue;
    }
    const auto is_it = [&](std::size_t visit) { return visits[visit].region == event.region; };
    if (std::ranges::none_of(open, is_it)) continue;
    while (!is_it(open.back())) close_innermost(event.time_ns);
    close_innermost(event.time_ns);
  }
  while (!open.empty()) close_innermost(std::max(calls.stop_ns(), visits[open.back()].begin_ns));
}

}  // namespace

std::vector<RegionVisit> region_visits(const Trace& trace) {
  std::vector<RegionVisit> visits;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    append_visits(trace.calls(rank), rank, visits);
  }
  return visits;
}

}  // namespace slackline
