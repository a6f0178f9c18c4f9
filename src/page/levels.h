#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "page/codes.h"
#include "page/drawn_calls.h"
#include "page/drawn_timeline.h"
#include "page/run_times.h"

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

/// The calls of a run in chunks of about 32,000, in order of time. Columns as in
/// doc/formats/page.md.
class ChunkWriter {
 public:
  /// `first_run`: null if this is the first run, else that one's times: then times alone are
  /// written, gaps as differences to that run's gaps. Refers to both.
  explicit ChunkWriter(const RunRows& rows, const RunTimes* first_run = nullptr);

  std::size_t chunks() const { return borders_ns_.size() - 1; }
  /// One chunk. Thread-safe.
  Timeline::Chunk chunk(std::size_t which, TickScale ticks) const;
  /// All of them, in parallel. `made`: those that chunk() has given with these ticks, by number.
  std::vector<Timeline::Chunk> all(TickScale ticks,
                                   std::map<std::size_t, Timeline::Chunk> made) const;

 private:
  RunRows rows_;
  const RunTimes* first_run_;
  std::vector<std::int64_t> borders_ns_;
};

}  // namespace slackline
