#pragma once

#include "base/findings.h"
#include "formats/reader_findings.h"

namespace slackline::raw {

// What reading raw files can find. One place, because the kinds are told by several parts.

inline constexpr FindingKind kDamagedFile{
    "damaged_file", Severity::data_loss,
    "files are no recordings or have a damaged header; they were left out"};
inline constexpr FindingKind kDuplicateFile{
    "duplicate_file", Severity::data_loss,
    "files speak of a rank and thread that another file has already told of; they were left out"};
inline constexpr FindingKind kBadArguments{
    "damaged_arguments", Severity::data_loss,
    "arguments of records name ranks or communicators that do not exist; they were left out"};
inline constexpr FindingKind kNotFinalized{
    "not_finalized", Severity::notice,
    "recordings end before MPI_Finalize: the ranks died there, or recording was switched off"};
inline constexpr FindingKind kLostCalls{
    "lost_calls", Severity::data_loss,
    "calls were not recorded because the disk was full or memory ran out"};
inline constexpr FindingKind kPaused{"recording_paused", Severity::notice,
                                     "the program switched recording off with MPI_Pcontrol; the "
                                     "calls made meanwhile are not in the trace"};
inline constexpr FindingKind kOverlappingThreads{
    "overlapping_threads", Severity::notice,
    "calls of different threads of a rank overlap in time; they are kept in order of their begin"};
inline constexpr FindingKind kHiddenCalls{
    "hidden_calls", Severity::data_loss,
    "functions of MPI are defined by the program itself, so that the recorder did not see their "
    "calls unless the program passes them on under MPI's name"};
inline constexpr FindingKind kOversubscribed{
    "oversubscribed", Severity::notice,
    "ranks ran oversubscribed, with fewer processors than ranks: what they waited for a processor "
    "differs from run to run; where it is known it does not count as computation"};
inline constexpr FindingKind kOtherWorlds{
    "other_worlds", Severity::data_loss,
    "communicators reach processes of other worlds (MPI_Comm_spawn, MPI_Comm_connect), which are "
    "not in this trace; messages to and from them are left out, and collectives count among the "
    "rest"};
inline constexpr FindingKind kMixedJobs{"mixed_jobs", Severity::data_loss,
                                        "files are of another job than most; they were left out"};

}  // namespace slackline::raw
