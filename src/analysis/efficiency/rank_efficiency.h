#pragma once

#include <cstdint>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/ideal_length.h"
#include "analysis/efficiency/ideal_replay.h"
#include "analysis/efficiency/machine_share.h"
#include "analysis/runs/time_breakdown.h"
#include "base/arithmetic.h"
#include "calls/run_part.h"
#include "calls/run_span.h"

namespace slackline {

/// What a counter gained in a rank's computation.
struct CounterSum {
  Int128 whole = 0;  ///< in gaps that count whole
  double parts = 0;  ///< in those at an end of the interval, with the part inside
  CounterSum& operator+=(const CounterSum& other);
};

/// What POP's factors need of one rank. Found rank by rank, and stretch by stretch of the run, in
/// one process or in several; plain values, so that it can be sent.
struct RankEfficiency {
  std::uint64_t calls = 0;
  std::int64_t useful_ns = 0;  ///< of the whole run
  std::int64_t outside_ns = 0;
  std::int64_t ideal_end_ns = 0;
  std::int64_t ideal_computation_ns = 0;
  RankTime analysed_ns{};  ///< of the analysed interval, as measured_rank() tells
  IdealExtent ideal{};     ///< and on the ideal network
  RankMachineTime machine{};
  struct Counters {
    CounterSum instructions{};
    CounterSum cycles{};
  };
  Counters counters{};           ///< of the whole run
  Counters analysed_counters{};  ///< of the analysed interval
};

/// What a part of a run adds to its efficiency.
struct EfficiencyPart {
  std::vector<RankEfficiency> ranks;
  /// On the ideal network, when all ranks leave the collectives with which it begins and ends.
  TimeInterval ideal{};
};

/// `run`: the span of all of it. On the ideal network no deadlock was broken in a stretch, so that
/// all ranks leave its ends at once. O(calls).
EfficiencyPart efficiency_part(const Trace& trace, const IdealRun& ideal, const RunSpan& run,
                               const TimeInterval& analysed, const RunPart& part = {});
/// Puts the part that follows `before` to it. Ends are moved: the ideal clock goes on from where it
/// was.
void append_part(EfficiencyPart& before, EfficiencyPart next);
/// The efficiency of the run, of which `whole` is all, but for OpenMP. `job`: its facts.
Efficiency efficiency_of(const EfficiencyPart& whole, const Trace& job, const RunSpan& run,
                         const TimeInterval& analysed);

}  // namespace slackline
