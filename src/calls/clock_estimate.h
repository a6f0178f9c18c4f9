#pragma once

#include <cstdint>
#include <vector>

#include "base/difference_constraints.h"
#include "calls/call_matching.h"
#include "calls/clock_groups.h"
#include "calls/clock_map.h"
#include "trace/trace.h"

namespace slackline {

/// How far each clock is from one of them, and what corrects it.
struct ClockEstimate {
  ClockGroups clocks;
  std::uint32_t reference = 0;  ///< the clock that stays
  std::vector<ClockMap> maps;   ///< by clock: what is to be added to its times
  /// By clock: what may be added to its times at the run's begin and end, whatever its drift
  /// (at most kLargestDrift); empty where no linear correction satisfies all calls.
  std::vector<FeasibleInterval> at_begin;
  std::vector<FeasibleInterval> at_end;
  std::int64_t begin_ns = 0;  ///< of the corrected run
  std::int64_t end_ns = 0;
  std::uint64_t violations = 0;  ///< messages and collectives that run back in time as read
  std::uint64_t remaining = 0;   ///< and under the maps

  bool drifts() const;
};

/// Offsets of these clocks by the constraints of messages and collectives: constant ones where
/// these satisfy all, else linear ones. A clock that need not be corrected is not; of others the
/// middle of what is feasible is taken, or the least correction where it is bounded on one side
/// only. Linear in calls, times a few passes, plus small per pair of clocks. Source: shortest paths
/// for difference constraints (Bellman, Ford); lines between message bounds (Duda and others 1987).
ClockEstimate estimate_clocks(const Trace& trace, const CallMatching& matching, ClockGroups clocks);

}  // namespace slackline
