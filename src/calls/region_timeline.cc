#include "calls/region_timeline.h"

#include <algorithm>

namespace slackline {

RegionTimeline::RegionTimeline(const Trace& trace)
    : trace_(trace), active_after_(static_cast<std::size_t>(trace.ranks())) {
  std::vector<std::int32_t> open;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    open.clear();
    auto& after = active_after_[static_cast<std::size_t>(r)];
    for (const RegionEvent& e : trace.calls(r).regions()) {
      const auto region = static_cast<std::int32_t>(e.region);
      if (e.enter) {
        open.push_back(region);
      } else if (const auto found = std::find(open.rbegin(), open.rend(), region);
                 found != open.rend()) {
        open.erase(std::prev(found.base()), open.end());
      }
      after.push_back(open.empty() ? kNoRegion : open.back());
    }
  }
}

std::size_t RegionTimeline::first_event_before(std::int32_t rank, std::uint32_t call) const {
  const auto events = trace_.calls(rank).regions();
  return static_cast<std::size_t>(
      std::ranges::lower_bound(events, call, {}, &RegionEvent::before_call) - events.begin());
}

std::int32_t RegionTimeline::at_call(std::int32_t rank, std::uint32_t call) const {
  const std::size_t i = first_event_before(rank, call + 1);
  return i == 0 ? kNoRegion : active_after_[static_cast<std::size_t>(rank)][i - 1];
}

}  // namespace slackline
