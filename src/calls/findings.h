#pragma once

#include "base/findings.h"

namespace slackline {

// Defects of a program's calls that several readings of them meet: matching, the model's graph, the
// simulator, the replays. One kind each, so that a report counts and says a defect once.

inline constexpr FindingKind kUnmatchedSend{
    "unmatched_send", Severity::data_loss,
    "A send has no matching receive; it is taken as if nobody waited for it."};
inline constexpr FindingKind kUnmatchedReceive{
    "unmatched_receive", Severity::data_loss,
    "A receive has no matching send; it is taken as if it waited for nothing."};
inline constexpr FindingKind kUnresolvedWildcard{
    "unresolved_wildcard", Severity::notice,
    "A receive with a wildcard never got a message in the trace; it was left out."};
inline constexpr FindingKind kBadPeer{"bad_peer", Severity::data_loss,
                                      "A call names a rank that does not exist; it was left out."};
inline constexpr FindingKind kCollectiveIncomplete{
    "collective_incomplete", Severity::data_loss,
    "Some ranks of a communicator never enter a collective; it is taken as one of those that do."};
inline constexpr FindingKind kCollectiveMismatch{
    "collective_mismatch", Severity::notice,
    "Ranks disagree about which collective they call on a communicator; the first rank's word was "
    "taken."};
inline constexpr FindingKind kOneSidedNotModelled{
    "one_sided_not_modelled", Severity::notice,
    "One-sided communication is kept in the trace, but it counts as taking no time."};
inline constexpr FindingKind kIoNotModelled{
    "io_not_modelled", Severity::notice,
    "MPI-IO is kept in the trace, but it counts as taking no time."};
inline constexpr FindingKind kReplayReleased{
    "replay_released", Severity::notice,
    "Calls wait for each other, or for what is not in the trace (a lost message, clocks that "
    "disagree, more buffering than was assumed); they were let go on. Times on an ideal network "
    "and "
    "causes of waiting around them are not certain."};

}  // namespace slackline
