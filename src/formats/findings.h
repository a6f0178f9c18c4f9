#pragma once

#include "base/findings.h"

namespace slackline {

// What readers of several formats find, then what writers do. What only one format can have stands
// in its own folder.

inline constexpr FindingKind kDamagedRecord{"damaged_record", Severity::data_loss,
                                            "Malformed records; they were omitted."};
inline constexpr FindingKind kTruncatedFile{
    "truncated_file", Severity::data_loss,
    "Files that are truncated or damaged; the records after that point are lost."};
inline constexpr FindingKind kMissingRanks{"missing_ranks", Severity::data_loss,
                                           "Ranks without a recording; they are missing in the "
                                           "trace and messages with them have no partner."};
inline constexpr FindingKind kNotFinalized{"not_finalized", Severity::notice,
                                           "Recordings that end before MPI_Finalize: the ranks "
                                           "terminated, or recording was switched off."};
inline constexpr FindingKind kUnknownCommunicator{
    "unknown_communicator", Severity::data_loss,
    "Calls on communicators whose members are not recorded; analyses omit them."};
inline constexpr FindingKind kUnknownRequests{"unknown_requests", Severity::notice,
                                              "Completed requests whose start is not recorded."};
inline constexpr FindingKind kCompletionGuessed{
    "completion_guessed", Severity::notice,
    "The call that completes a nonblocking operation is not recorded; the next possible one was "
    "assumed."};
inline constexpr FindingKind kLocalCalls{
    "local_calls_left_out", Severity::info,
    "MPI calls without a corresponding trace operation (such as MPI_Comm_rank) were omitted; their "
    "time counts as computation."};
inline constexpr FindingKind kOneSidedCalls{"one_sided_calls", Severity::notice,
                                            "One-sided calls; when their data arrives is not "
                                            "recorded."};
inline constexpr FindingKind kUnfinishedCall{
    "unfinished_call", Severity::notice,
    "Calls without an end in the recording (the rank terminated, or the recording is truncated); "
    "they end where their thread continues or the job ends."};
inline constexpr FindingKind kTimeBackwards{
    "time_backwards", Severity::notice,
    "Records out of time order; they were moved to the time or end of the preceding record."};
inline constexpr FindingKind kClockUnknown{
    "clock_unknown", Severity::notice,
    "Ranks without a recorded clock offset; their times may be shifted."};

inline constexpr FindingKind kFactsLost{"facts_left_out", Severity::info,
                                        "Clock corrections, CPU times, call paths, samples, OpenMP "
                                        "regions and earlier warnings are not stored in this "
                                        "format."};

}  // namespace slackline
