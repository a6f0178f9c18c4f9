#pragma once

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

// Defects of a program's calls that several readings of them meet: matching, the model's graph, the
// simulator, the replays. One kind each, so that a report counts and says a defect once.

inline constexpr FindingKind kOutsideOfFocus{
    "calls_outside_of_focus", Severity::notice,
    "Calls outside of the representative intervals of the phases, which the trace was reduced to; "
    "figures of the whole run lack them, and their time counts as a pause."};
inline constexpr FindingKind kUnmatchedSend{
    "unmatched_send", Severity::data_loss,
    "Sends without a matching receive; treated as if no rank waited for them."};
inline constexpr FindingKind kUnmatchedReceive{
    "unmatched_receive", Severity::data_loss,
    "Receives without a matching send; treated as if they did not wait."};
// What is open when a recording ends is no defect: nothing was lost, it had not happened yet.
inline constexpr FindingKind kOpenSend{
    "open_send", Severity::notice,
    "Sends that no rank had received when the recording of their destination ended."};
inline constexpr FindingKind kOpenReceive{
    "open_receive", Severity::notice,
    "Receives that had not completed when the recording of their rank ended."};
inline constexpr FindingKind kOpenCollective{
    "open_collective", Severity::notice,
    "Collectives that some ranks of the communicator had not entered when their recording ended; "
    "treated as collectives of those that had."};
/// Whether the recording of a rank ended before the program did.
inline bool ended_early(const Trace& trace, std::int32_t rank) {
  const RankInfo& info = trace.rank_info(rank);
  return info.present && !info.finalized;
}
inline const FindingKind& unmatched_send(const Trace& trace, std::int32_t destination) {
  return ended_early(trace, destination) ? kOpenSend : kUnmatchedSend;
}

inline constexpr FindingKind kUnresolvedWildcard{
    "unresolved_wildcard", Severity::notice,
    "Wildcard receives that never received a message in the trace; they were omitted."};
inline constexpr FindingKind kBadPeer{
    "bad_peer", Severity::data_loss,
    "Calls that refer to a rank that does not exist; they were omitted."};
inline constexpr FindingKind kCollectiveIncomplete{
    "collective_incomplete", Severity::data_loss,
    "Collectives that some ranks of the communicator never enter; treated as collectives of those "
    "that do."};
inline constexpr FindingKind kCollectiveMismatch{
    "collective_mismatch", Severity::notice,
    "Ranks call different collectives on a communicator; the first rank's call was used."};
inline constexpr FindingKind kOneSidedNotModelled{
    "one_sided_not_modelled", Severity::notice,
    "One-sided communication; assumed to take no time."};
inline constexpr FindingKind kIoAsMeasured{
    "io_as_measured", Severity::notice,
    "MPI-IO; takes as long as measured, after waiting for other ranks, whatever is changed."};
inline constexpr FindingKind kIoNotModelled{
    "io_not_modelled", Severity::notice,
    "MPI-IO on hosts without a disk; assumed to take no time."};
inline constexpr FindingKind kRendezvousDeadlock{
    "rendezvous_deadlock", Severity::notice,
    "Sends above the eager threshold that wait for each other; modelled as eager. The real run "
    "must have buffered them: the threshold S is too small, or the program relies on buffering."};
inline constexpr FindingKind kSynchronousDeadlock{
    "synchronous_deadlock", Severity::data_loss,
    "Synchronous sends that wait for each other: a deadlock; modelled as eager."};
inline constexpr FindingKind kReplayReleased{
    "replay_released", Severity::notice,
    "Calls that wait for each other, or for something missing in the trace (a lost message, clock "
    "skew, more buffering than assumed); they were forced to continue. Ideal-network times and "
    "root causes of wait states around them are uncertain."};

}  // namespace slackline
