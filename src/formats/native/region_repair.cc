#include "formats/native/region_repair.h"

#include <algorithm>
#include <vector>

namespace slackline::native {

std::size_t repair_regions(RankCallsBuilder& calls) {
  std::vector<RegionEvent> repaired;
  std::vector<std::uint32_t> open;
  std::size_t changes = 0;
  for (const RegionEvent& event : calls.regions()) {
    if (event.enter) {
      open.push_back(event.region);
      repaired.push_back(event);
      continue;
    }
    if (std::ranges::find(open, event.region) == open.end()) {
      ++changes;
      continue;
    }
    for (; open.back() != event.region; open.pop_back(), ++changes) {
      RegionEvent leave = event;
      leave.region = open.back();
      repaired.push_back(leave);
    }
    open.pop_back();
    repaired.push_back(event);
  }
  if (changes > 0) calls.set_regions(std::move(repaired));
  return changes;
}

}  // namespace slackline::native
