#pragma once

#include "base/findings.h"

namespace slackline::ti {

inline constexpr FindingKind kSubCommunicator{
    "subcommunicator_left_out", Severity::data_loss,
    "Collectives on communicators other than MPI_COMM_WORLD were left out: the format has none."};
inline constexpr FindingKind kNonblockingCollective{
    "nonblocking_collective_as_blocking", Severity::notice,
    "Nonblocking collectives were written as blocking ones: the replay has no others."};
inline constexpr FindingKind kNoAction{
    "call_without_action", Severity::notice,
    "Calls that the replay has no action for (probes, tests that found nothing, one-sided "
    "communication, MPI-IO, making communicators) were left out."};
inline constexpr FindingKind kSendrecvSplit{
    "sendrecv_split", Severity::info,
    "MPI_Sendrecv with tags were written as a receive, a send and a wait: the action has no tags."};
inline constexpr FindingKind kModes{
    "send_mode_lost", Severity::info,
    "Buffered, synchronous and ready sends were written as ordinary ones."};
inline constexpr FindingKind kSizeCut{
    "size_cut", Severity::data_loss,
    "Sizes over 8 PiB were written as 8 PiB: the replay's numbers are exact up to 2^53."};
inline constexpr FindingKind kThreadsMerged{
    "threads_merged", Severity::notice,
    "Calls of several threads were written as one sequence: the format has no threads."};

}  // namespace slackline::ti
