#pragma once

#include "base/findings.h"

namespace slackline::raw {

// What reading raw files can find. One place, because the kinds are told by several parts.

inline constexpr FindingKind kMissingRanks{"missing_ranks", Severity::data_loss,
                                           "ranks left no recording; the trace says nothing of "
                                           "them and messages with them have no other end"};
inline constexpr FindingKind kDamagedFile{
    "damaged_file", Severity::data_loss,
    "files are no recordings or have a damaged header; they were left out"};
inline constexpr FindingKind kDuplicateFile{
    "duplicate_file", Severity::data_loss,
    "files speak of a rank and thread that another file has already told of; they were left out"};
inline constexpr FindingKind kTruncated{
    "truncated_file", Severity::data_loss,
    "files end in the middle of a record; what came after is lost"};
inline constexpr FindingKind kDamagedRecord{"damaged_record", Severity::data_loss,
                                            "records make no sense and were left out"};
inline constexpr FindingKind kBadArguments{
    "damaged_arguments", Severity::data_loss,
    "arguments of records name ranks or communicators that do not exist; they were left out"};
inline constexpr FindingKind kBackwards{
    "time_backwards", Severity::notice,
    "calls begin before the one before them ended; they were moved to where it ended"};
inline constexpr FindingKind kNotFinalized{
    "not_finalized", Severity::notice,
    "recordings end before MPI_Finalize: the ranks died there, or recording was switched off"};
inline constexpr FindingKind kUnfinishedCall{"unfinished_call", Severity::notice,
                                             "ranks died inside an MPI call"};
inline constexpr FindingKind kLostCalls{
    "lost_calls", Severity::data_loss,
    "calls were not recorded because the disk was full or memory ran out"};
inline constexpr FindingKind kPaused{"recording_paused", Severity::notice,
                                     "the program switched recording off with MPI_Pcontrol; the "
                                     "calls made meanwhile are not in the trace"};
inline constexpr FindingKind kOverlappingThreads{
    "overlapping_threads", Severity::notice,
    "calls of different threads of a rank overlap in time; they are kept in order of their begin"};
inline constexpr FindingKind kOneSided{
    "one_sided_calls", Severity::notice,
    "one-sided calls are recorded with their times only: what they transfer is not modelled"};
inline constexpr FindingKind kUnknownRequests{
    "unknown_requests", Severity::notice, "requests were completed whose start was not recorded"};
inline constexpr FindingKind kNoClock{
    "clock_unknown", Severity::notice,
    "ranks on other hosts have no measured clock offset; their times may be shifted"};
inline constexpr FindingKind kMixedJobs{"mixed_jobs", Severity::data_loss,
                                        "files are of another job than most; they were left out"};

}  // namespace slackline::raw
