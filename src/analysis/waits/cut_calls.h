#pragma once

#include <cstdint>
#include <optional>

#include "analysis/waits/wait_states.h"
#include "base/findings.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

inline constexpr FindingKind kEndedInCall{
    "ended_in_call", Severity::notice,
    "Calls in which the recording ended; their time until then is waiting for the rank that was "
    "missing."};

inline constexpr FindingKind kDeadlock{
    "deadlock", Severity::notice,
    "Ranks that waited for each other in a circle when the recording ended: a deadlock."};

/// The rank whose part in a call was missing when the recording ended in it.
struct MissingPartner {
  std::int32_t rank;
  WaitPattern pattern;
};

/// The rank that a call that is_cut() waited for, as its arguments and the others' calls tell.
/// Among several, one that was outside of MPI comes before one that waited, too. None where every
/// partner had come, or any rank could have been the partner. O(calls of the rank) for calls that
/// complete requests, else O(members).
std::optional<MissingPartner> missing_partner(const Trace& trace, const CallMatching& matching,
                                              std::int32_t rank, CallIndex call);

/// The call of a rank's main thread in which the recording ended. O(calls of other threads there).
std::optional<CallIndex> cut_call(const RankCalls& calls);

/// Adds Findings on the calls in which the recording ended: where each rank was, and for whom; and
/// whether they waited for each other.
void report_cut_calls(const Trace& trace, const CallMatching& matching, Findings& findings);

}  // namespace slackline
