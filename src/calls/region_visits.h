#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// From entering a user region to leaving it.
struct RegionVisit {
  std::int32_t rank;
  std::uint32_t region;  ///< index into Trace::regions()
  std::int32_t depth;    ///< regions that are open around it
  std::int64_t begin_ns;
  std::int64_t end_ns;  ///< the rank's stop where it is never left
};

/// All visits, by rank and begin. As for CallPaths, leaving a region that is not the innermost one
/// closes those inside of it, and leaving one that is not open is ignored. O(events * depth).
std::vector<RegionVisit> region_visits(const Trace& trace);

}  // namespace slackline
