#pragma once

#include <cstdint>
#include <span>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/ideal_length.h"
#include "analysis/runs/time_breakdown.h"
#include "calls/run_span.h"

namespace slackline {

/// What POP's factors need of one rank. Found rank by rank, in one process or in several; plain
/// values, so that it can be sent.
struct RankEfficiency {
  std::uint64_t calls = 0;
  std::int64_t useful_ns = 0;  ///< of the whole run
  std::int64_t outside_ns = 0;
  std::int64_t ideal_end_ns = 0;
  std::int64_t ideal_computation_ns = 0;
  RankTime analysed_ns{};  ///< of the analysed interval, as measured_rank() tells
  IdealExtent ideal{};     ///< and on the ideal network
};

/// `ideal` has to know that rank's times only. O(calls of the rank).
RankEfficiency rank_efficiency(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank,
                               const RunSpan& run, const TimeInterval& analysed);
/// The efficiency of the run, but for hardware counters and findings.
Efficiency efficiency_of(std::span<const RankEfficiency> ranks, const RunSpan& run,
                         const TimeInterval& analysed);

}  // namespace slackline
