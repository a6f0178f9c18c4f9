#pragma once

#include "base/findings.h"
#include "formats/findings.h"

namespace slackline::otf2 {

// What reading an OTF2 archive can find.

inline constexpr FindingKind kMissingEvents{
    "missing_events", Severity::data_loss,
    "Locations without readable events; they are missing in the trace."};
inline constexpr FindingKind kUnbalancedRegions{
    "unbalanced_regions", Severity::notice,
    "Regions entered and never left, or left without being entered."};
inline constexpr FindingKind kNestedCalls{
    "nested_calls", Severity::info, "Nested MPI calls; they count as part of the outer call."};
inline constexpr FindingKind kBareRecords{
    "records_outside_calls", Severity::notice,
    "Communication records outside any MPI region; represented by calls of zero duration."};
inline constexpr FindingKind kBareCollectives{
    "collectives_without_arguments", Severity::notice,
    "Nonblocking collectives recorded without communicator and sizes (as by Score-P before version "
    "8); where all ranks make the same ones, they are treated as 0 bytes on MPI_COMM_WORLD, else "
    "as local."};
inline constexpr FindingKind kUnknownReference{
    "unknown_references", Severity::data_loss,
    "Records that refer to undefined ranks, communicators or regions; those fields were omitted."};
inline constexpr FindingKind kPaused{
    "measurement_off", Severity::notice,
    "Recording was switched off temporarily; the calls made meanwhile are missing in the trace and "
    "their time counts as computation."};
inline constexpr FindingKind kBufferFlush{
    "buffer_flushes", Severity::notice,
    "The recorder flushed its buffer during the run; outside MPI calls this does not count as "
    "computation, inside them it is part of the call."};
inline constexpr FindingKind kMetrics{
    "metrics_left_out", Severity::info,
    "Metrics that are not accumulated integer counters (as hardware counters are) were omitted."};
inline constexpr FindingKind kNoWorld{
    "no_world_communicator", Severity::notice,
    "The archive does not define MPI_COMM_WORLD; assumed to contain all processes."};
inline constexpr FindingKind kEmptyLocations{
    "threads_left_out", Severity::info,
    "Threads that never call MPI, such as those of Pthreads and OpenMP; their events were left "
    "out."};
inline constexpr FindingKind kLocationsLeftOut{
    "locations_left_out", Severity::notice,
    "Locations that are no threads of MPI ranks, such as streams of GPUs (CUDA, HIP); they are "
    "missing in the trace, and the time that ranks wait for them counts as computation."};
inline constexpr FindingKind kEventsLeftOut{
    "events_left_out", Severity::info, "Events of locations that are no threads of MPI ranks."};
inline constexpr FindingKind kOtherCommunicators{
    "communicators_left_out", Severity::info,
    "Communicators of other paradigms than MPI, such as CUDA or HIP; they are no communicators of "
    "the trace."};

}  // namespace slackline::otf2
