#pragma once

#include <cstdint>

#include "base/findings.h"
#include "calls/call_matching.h"
#include "calls/clock_estimate.h"
#include "trace/trace_builder.h"

namespace slackline {

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

/// Estimates offsets and drifts (calls/clock_estimate.h) and adds them to the times of all calls;
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
