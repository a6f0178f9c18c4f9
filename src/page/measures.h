#pragma once

#include <cstdint>
#include <vector>

#include "page/drawn_timeline.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

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
