#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// One rank's calls and user regions in the order of a timeline of nested slices: visit_call(i) for
/// each call, visit_region(time, id, enter) for regions, which always nest: leaving one that is not
/// the innermost leaves those inside it too; what is left without being entered is skipped; what is
/// still open at the end is left then.
template <class VisitCall, class VisitRegion>
void for_each_slice(const RankCalls& calls, VisitCall visit_call, VisitRegion visit_region) {
  std::vector<std::uint32_t> open;
  std::size_t next = 0;
  const auto events = calls.regions();
  const auto regions_before = [&](std::size_t call) {
    for (; next < events.size() && events[next].before_call <= call; ++next) {
      const RegionEvent& event = events[next];
      if (event.enter) {
        open.push_back(event.region);
        visit_region(event.time_ns, event.region, true);
        continue;
      }
      std::size_t depth = open.size();
      while (depth > 0 && open[depth - 1] != event.region) --depth;
      if (depth == 0) continue;
      for (; open.size() >= depth; open.pop_back()) visit_region(event.time_ns, open.back(), false);
    }
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    regions_before(i);
    visit_call(i);
  }
  regions_before(events.empty() ? 0 : UINT32_MAX);
  for (; !open.empty(); open.pop_back()) visit_region(calls.stop_ns(), open.back(), false);
}

}  // namespace slackline
