#pragma once

#include "base/findings.h"

namespace slackline {

// What readers of several formats find. What only one format can have stands in its own folder.

inline constexpr FindingKind kDamagedRecord{"damaged_record", Severity::data_loss,
                                            "Records make no sense and were left out."};
inline constexpr FindingKind kTruncatedFile{
    "truncated_file", Severity::data_loss,
    "Files break off or are damaged in the middle; what came after is lost."};
inline constexpr FindingKind kMissingRanks{
    "missing_ranks", Severity::data_loss,
    "Ranks left no recording; the trace says nothing of them and messages with them have no other "
    "end."};
inline constexpr FindingKind kUnknownCommunicator{
    "unknown_communicator", Severity::data_loss,
    "Calls are on communicators whose members are not recorded; analyses leave them out."};
inline constexpr FindingKind kUnknownRequests{
    "unknown_requests", Severity::notice, "Requests were completed whose start is not recorded."};
inline constexpr FindingKind kCompletionGuessed{"completion_guessed", Severity::notice,
                                                "The recording does not say which call completes a "
                                                "nonblocking operation; the next one that can "
                                                "was taken."};
inline constexpr FindingKind kLocalCalls{
    "local_calls_left_out", Severity::info,
    "MPI calls that a trace has no operation for (MPI_Comm_rank and the like) are left out; their "
    "time counts as computation."};
inline constexpr FindingKind kOneSidedCalls{
    "one_sided_calls", Severity::notice,
    "One-sided calls are recorded with their times only: what they transfer is not modelled."};
inline constexpr FindingKind kUnfinishedCall{
    "unfinished_call", Severity::notice,
    "Calls have no end in the recording (a rank died in them, or it breaks off); they end where "
    "their thread goes on or ends."};
inline constexpr FindingKind kTimeBackwards{
    "time_backwards", Severity::notice,
    "Records are earlier than those before them; they were moved to where those are or end."};
inline constexpr FindingKind kClockUnknown{
    "clock_unknown", Severity::notice,
    "The offset of some ranks' clocks is not recorded; their times may be shifted."};

}  // namespace slackline
