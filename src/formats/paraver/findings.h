#pragma once

#include "base/findings.h"
#include "formats/findings.h"

namespace slackline::paraver {

// What reading and writing Paraver traces can find. One place, because the kinds are told by
// several parts.

inline constexpr FindingKind kEndsEarly{
    "records_end_early", Severity::data_loss,
    "The records end long before the duration that the header gives: the file is incomplete."};
inline constexpr FindingKind kNoRecord{
    "no_communication_record", Severity::notice,
    "Sends and receives without a communication record (to MPI_PROC_NULL, or lost messages); "
    "treated as MPI_PROC_NULL."};
inline constexpr FindingKind kWithoutCall{
    "communication_without_call", Severity::notice,
    "Communication records that belong to no MPI call of the "
    "trace; a send or receive was created for each such end."};
inline constexpr FindingKind kNeverCompleted{
    "request_never_completed", Severity::info,
    "Nonblocking sends and collectives that no call of the trace appears to complete."};
inline constexpr FindingKind kRootGuessed{
    "root_unknown", Severity::notice,
    "Rooted collectives without a recorded root; rank 0 of the communicator was assumed."};
inline constexpr FindingKind kCommCreation{
    "communicator_creation", Severity::notice,
    "Ranks create different numbers of communicators, and Paraver traces do not record their "
    "groups; these calls do not synchronise in predictions."};
inline constexpr FindingKind kOtherCounters{
    "counters_left_out", Severity::info,
    "Hardware counters that are ignored, since the trace has more than 64 kinds."};
inline constexpr FindingKind kCounterTooLarge{
    "counter_too_large", Severity::notice,
    "Hardware counters that gained 2^63 or more between two calls, as where the recording tool "
    "subtracted the larger reading from the smaller one; these values were left out."};
inline constexpr FindingKind kLateMessage{
    "received_before_sent", Severity::notice,
    "Receives that end before the message was sent (clock skew)."};

inline constexpr FindingKind kUntimed{
    "untimed_as_timed", Severity::notice,
    "The trace has no timestamps; calls were written with zero duration."};
inline constexpr FindingKind kCommunicatorsOfMessages{
    "message_communicator_lost", Severity::notice,
    "Messages on communicators other than MPI_COMM_WORLD; the format does not store the "
    "communicator of a message."};
inline constexpr FindingKind kWildcardsLost{
    "wildcard_lost", Severity::info,
    "Receives posted with a wildcard; the format stores only what they received."};
inline constexpr FindingKind kUnmatched{
    "message_without_partner", Severity::data_loss,
    "Sends and receives without a partner in the trace; their peer, tag and size are lost."};
inline constexpr FindingKind kIntercommunicator{
    "intercommunicator_lost", Severity::data_loss,
    "Intercommunicators were omitted; calls on them refer to a communicator that is not listed."};
inline constexpr FindingKind kFlops{"flops_lost", Severity::notice,
                                    "Computation given in flops, which the format does not "
                                    "support; it was written as the equivalent time."};

}  // namespace slackline::paraver
