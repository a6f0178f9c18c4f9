#pragma once

#include <cstdint>
#include <vector>

#include "page/drawn_timeline.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// The ranks by host and by communicator, as far as these tell more than one group apart. A rank
/// that several communicators have is in the first of them; MPI_COMM_WORLD is none. O(ranks +
/// members).
std::vector<Timeline::Grouping> groupings_of(const Trace& trace);

/// Up to this many threads of OpenMP each has a curve of its own.
inline constexpr std::size_t kMostThreadStrips = 16;

/// How much of the time each thread of the ranks' OpenMP teams works in the measured run, beside
/// the main threads, whose rows have it; of more than kMostThreadStrips threads their mean only.
/// None without parallel regions. What a region holds is spread evenly over it. O(threads of all
/// regions).
std::vector<Timeline::Strip> thread_strips(const Trace& trace);

/// Amounts by rank and window of a timed trace: computation; where there are any, time without a
/// processor and time blocked, samples; and every counter, its gains distributed evenly over the
/// computation that they are of. Each amount to three digits. At most 512 windows, fewer where
/// there would be more cells than calls. O(counters * calls + cells).
std::vector<Timeline::Measure> rank_measures(const Trace& trace, const Samples* samples);

/// Instructions per cycle of the computation before call `i` (i = size(): after the last): 0
/// unknown, else 1 + kIpcSteps times as much, rounded.
inline constexpr double kIpcSteps = 32;
class IpcCodes {
 public:
  explicit IpcCodes(const Trace& trace);
  bool known() const { return known_; }
  std::uint8_t at(const RankCalls& calls, std::size_t i) const;

 private:
  bool known_ = false;
  std::size_t instructions_ = 0;
  std::size_t cycles_ = 0;
};

}  // namespace slackline
