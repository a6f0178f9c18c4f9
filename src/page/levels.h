#pragma once

#include <cstdint>
#include <vector>

#include "page/codes.h"
#include "page/drawn_calls.h"
#include "page/drawn_timeline.h"
#include "page/rank_events.h"
#include "page/run_times.h"
#include "page/ticks.h"

namespace slackline {

/// What the rows of a run show.
struct RunRows {
  const DrawnCalls& calls;
  const RunTimes& times;
  const std::vector<std::vector<PathChange>>& paths;  ///< empty rows: no regions
  const std::vector<std::vector<WaitState>>& waits;   ///< empty: nobody waits
  const TimelineCodes& codes;
  bool with_regions = false;
};

/// The levels of detail of a run, finest first; the finest has up to `buckets` of a rank, the last
/// at most 512, and not more than `buckets` unless these are below 64. Columns as in
/// doc/formats/page.md. O(calls + buckets), by ranks in parallel.
std::vector<Timeline::Level> timeline_levels(const RunRows& rows, TickScale ticks,
                                             std::uint64_t buckets);

}  // namespace slackline
