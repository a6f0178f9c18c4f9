#pragma once

#include <cstdint>
#include <span>

#include "analysis/efficiency/ideal_replay.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// What a rank says of how long an interval of the run lasts on the ideal network.
struct IdealExtent {
  /// From when to when, where the interval is what a model predicts of the run.
  TimeInterval program{};
  double needed_ns = 0;  ///< for any other interval: what the rank needs for its part of it
};

/// `ideal` has to know that rank's times only. O(log calls), and O(calls) for other intervals than
/// RunSpan::analysed.
IdealExtent ideal_extent(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank,
                         const RunSpan& run, const TimeInterval& interval);
/// An interval's length on the ideal network, of all ranks that have calls: what the rank needs for
/// its part of it that needs longest there. No rank computes longer than that.
std::int64_t ideal_length(std::span<const IdealExtent> ranks, const RunSpan& run,
                          const TimeInterval& interval);

}  // namespace slackline
