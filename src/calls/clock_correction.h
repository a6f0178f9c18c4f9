#pragma once

#include <cstdint>
#include <vector>

#include "base/difference_constraints.h"
#include "base/findings.h"
#include "calls/call_matching.h"
#include "calls/clocks.h"
#include "trace/trace.h"
#include "trace/trace_builder.h"

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

inline constexpr FindingKind kClocksCorrected{
    "clocks_corrected", Severity::notice,
    "Clock violations between ranks; offsets, and drifts where needed, that make all "
    "messages and collectives possible were added to their times."};

inline constexpr FindingKind kClocksOfOneHost{
    "clocks_of_one_host", Severity::notice,
    "Ranks of one host whose times differ by constants, as of containers or of traces that were "
    "merged: constants that make all messages and collectives possible were added."};

inline constexpr FindingKind kClocksInconsistent{
    "clocks_inconsistent", Severity::notice,
    "Messages or collectives run back in time, and no offset and drift of the clocks explains it: "
    "the times were not changed. Calls may be missing, or not be matched as in the run."};

inline constexpr FindingKind kClocksKept{"clocks_kept", Severity::notice,
                                         "Messages or collectives run back in time by more than "
                                         "the clocks' own error, and the times were "
                                         "left as they are, as asked."};

/// When the clocks of a measured run are corrected.
enum class ClockPolicy : std::uint8_t {
  as_read,      ///< never
  when_needed,  ///< where calls run back in time by more than the clocks' own error
  always,       ///< wherever calls run back in time, with what remains moved call by call
};

/// What was done to the times.
struct ClockCorrection {
  ClockEstimate estimate;
  bool corrected = false;  ///< the estimate's maps were applied
};

/// Estimates offsets and drifts (estimate_clocks()) and adds them to the times of all calls;
/// what then still runs back in time, as clocks did not drift evenly, is moved call by call
/// (calls/logical_clock.h). With `when_needed` a correction that leaves more than a tenth of the
/// violations is not applied, with `always` its calls are moved one by one. Ranks of one host have
/// one clock, unless at least ten calls run back in time between such ranks and constants of each
/// rank explain nine tenths of all; those are then in the ranks' RankInfo. Adds Findings that say
/// what was done. A trace in which nothing runs back in time stays as it is to the bit, and so does
/// an untimed one. The estimate's clocks are empty where none was needed.
ClockCorrection correct_clocks(TraceBuilder& trace, const CallMatching& matching,
                               ClockPolicy policy);

}  // namespace slackline
