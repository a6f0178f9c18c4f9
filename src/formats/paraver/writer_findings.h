#pragma once

#include "base/findings.h"

namespace slackline::paraver {

inline constexpr FindingKind kUntimed{
    "untimed_as_timed", Severity::notice,
    "The trace has no measured times; calls were written without duration."};
inline constexpr FindingKind kCommunicatorsOfMessages{
    "message_communicator_lost", Severity::notice,
    "Messages on communicators other than MPI_COMM_WORLD: the format does not say so of a "
    "message."};
inline constexpr FindingKind kWildcardsLost{
    "wildcard_lost", Severity::info,
    "Receives that were posted with a wildcard: the format tells what they got only."};
inline constexpr FindingKind kUnmatched{
    "message_without_partner", Severity::data_loss,
    "Sends and receives without a partner in the trace; their peer, tag and size are lost."};
inline constexpr FindingKind kIntercommunicator{
    "intercommunicator_lost", Severity::data_loss,
    "Intercommunicators were left out; calls on them name a communicator that is not listed."};
inline constexpr FindingKind kElementSizes{
    "element_sizes_lost", Severity::notice,
    "Element sizes of collectives have no place in the format; a choice of algorithms that goes by "
    "them may be another one after it is read back."};
inline constexpr FindingKind kFlops{
    "flops_lost", Severity::notice,
    "Computation was given in flops, of which the format knows nothing; it was written as the time "
    "that it counts as."};
inline constexpr FindingKind kContributions{
    "contributions_lost", Severity::notice,
    "Collectives in which ranks contribute differently: only each rank's sums are kept."};

}  // namespace slackline::paraver
