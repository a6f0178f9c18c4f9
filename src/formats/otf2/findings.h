#pragma once

#include "base/findings.h"
#include "formats/reader_findings.h"

namespace slackline::otf2 {

// What reading an OTF2 archive can find.

inline constexpr FindingKind kMissingEvents{
    "missing_events", Severity::data_loss,
    "locations have no readable events; the trace says nothing of them"};
inline constexpr FindingKind kUnbalancedRegions{
    "unbalanced_regions", Severity::notice,
    "regions are entered and never left, or left without being entered"};
inline constexpr FindingKind kNestedCalls{
    "nested_calls", Severity::info, "MPI calls made inside of MPI calls are part of the outer one"};
inline constexpr FindingKind kBareRecords{
    "records_outside_calls", Severity::notice,
    "communication is recorded outside of any MPI region; calls without duration stand for it"};
inline constexpr FindingKind kBareCollectives{
    "collectives_without_arguments", Severity::notice,
    "nonblocking collectives are recorded without communicator and sizes (as by Score-P before 8); "
    "where all ranks make the same ones they count as 0 bytes on MPI_COMM_WORLD, else as local"};
inline constexpr FindingKind kUnknownReference{
    "unknown_references", Severity::data_loss,
    "records name ranks, communicators or regions that are not defined; those fields are left out"};
inline constexpr FindingKind kPaused{
    "measurement_off", Severity::notice,
    "recording was switched off for a while; the calls made meanwhile are not in the trace and "
    "their time counts as computation"};
inline constexpr FindingKind kBufferFlush{"buffer_flushes", Severity::notice,
                                          "the recorder wrote its buffer out during the run; "
                                          "outside of MPI calls that is no computation, "
                                          "inside of them it is part of the call"};
inline constexpr FindingKind kMetrics{
    "metrics_left_out", Severity::info,
    "metrics that are no running totals of whole numbers (as hardware counters are) are left out"};
inline constexpr FindingKind kNoWorld{
    "no_world_communicator", Severity::notice,
    "the archive defines no MPI_COMM_WORLD; all of its processes are taken as one"};
inline constexpr FindingKind kEmptyLocations{
    "threads_left_out", Severity::info, "user regions of threads that never call MPI are left out"};

}  // namespace slackline::otf2
