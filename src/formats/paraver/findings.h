#pragma once

#include "base/findings.h"
#include "formats/reader_findings.h"

namespace slackline::paraver {

// What reading Paraver traces can find. One place, because the kinds are told by several parts.

inline constexpr FindingKind kNoRecord{
    "no_communication_record", Severity::notice,
    "Sends and receives without a communication record: they were to MPI_PROC_NULL, or their "
    "messages are lost. They are taken as the former."};
inline constexpr FindingKind kNoCall{
    "communication_without_call", Severity::notice,
    "Communication records belong to no MPI call of the trace; a send or receive was made of each "
    "such end."};
inline constexpr FindingKind kNeverCompleted{
    "request_never_completed", Severity::info,
    "Nonblocking sends and collectives that no call of the trace seems to complete."};
inline constexpr FindingKind kRootGuessed{
    "root_unknown", Severity::notice,
    "Rooted collectives of which no rank says that it is the root; rank 0 of the communicator was "
    "taken."};
inline constexpr FindingKind kCommCreation{"communicator_creation", Severity::notice,
                                           "Ranks make communicators in different numbers, and "
                                           "Paraver traces do not say among whom. These "
                                           "calls do not synchronise anything in predictions."};
inline constexpr FindingKind kOtherCounters{
    "counters_left_out", Severity::info,
    "Hardware counters beyond instructions and cycles were left out."};
inline constexpr FindingKind kLateMessage{
    "received_before_sent", Severity::notice,
    "Receives that the trace says ended before the message was sent (the ranks' clocks disagree)."};

}  // namespace slackline::paraver
