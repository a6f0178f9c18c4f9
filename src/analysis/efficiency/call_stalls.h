#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/efficiency/time_shares.h"
#include "analysis/efficiency/time_windows.h"

namespace slackline {

/// Calls that take much longer than others of their size without waiting for a rank: no network
/// explains them, and they make a mean that no call has.
struct CallStalls {
  double median_ns = 0;     ///< over all calls, without waiting
  std::uint64_t calls = 0;  ///< that take over ten times the median of calls of their size
  std::int64_t sum_ns = 0;  ///< their time without waiting
  TimeWindows by_time;      ///< all calls' time without waiting, over the analysed interval
};

/// For each of `of`. O(calls + waits log waits); 8 bytes for each of these calls.
std::vector<CallStalls> call_stalls(const Trace& trace, const CallActivities& names,
                                    const WaitStates& waits, const TimeInterval& analysed,
                                    std::span<const TimeShares::OfCalls> of);

}  // namespace slackline
