#pragma once

#include "base/findings.h"

namespace slackline::paraver {

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
