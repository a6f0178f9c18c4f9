#pragma once

#include <cstdint>

#include "base/findings.h"
#include "calls/call_matching.h"
#include "trace/trace_builder.h"

namespace slackline {

inline constexpr FindingKind kClocksFixed{
    "clocks_fixed", Severity::notice,
    "Calls moved in time to respect the order of messages and collectives (controlled logical "
    "clock)."};
inline constexpr FindingKind kCausalCycle{
    "causality_cyclic", Severity::notice,
    "Calls that wait for each other cyclically; no clock correction can resolve this, so these "
    "times were not changed."};

/// What restore_causality() changed.
struct CausalityRepair {
  std::uint64_t violations = 0;   ///< ends that lay before what they wait for
  std::uint64_t moved_calls = 0;  ///< whose begin or end was changed
  std::int64_t largest_move_ns = 0;
  double mean_move_ns = 0;  ///< of the calls that moved, of their ends
};

/// Restores causality: receives end no earlier than their send began, and collectives no earlier
/// than the members they need arrived (all of them in barriers and exchanges of all with all, the
/// root in a broadcast). Times only grow, intervals never become negative and, but for one percent
/// of what forward amortisation gives back, never shorter; a trace without violations stays as it
/// is to the bit. Adds a Finding that says how much was moved. Untimed traces are left alone.
///
/// The controlled logical clock of Rabenseifner ("The controlled logical clock - a global time for
/// trace based software monitoring of parallel applications in workstation clusters", 1997), with
/// collectives and backward amortisation after Becker, Rabenseifner, Wolf ("Implications of
/// non-constant clock drifts for the timestamps of concurrent events", 2008). Linear in calls and
/// messages; memory: 32 bytes a call.
CausalityRepair restore_causality(TraceBuilder& trace, const CallMatching& matching);

}  // namespace slackline
