#pragma once

#include "base/findings.h"

namespace slackline::ti {

inline constexpr FindingKind kSubCommunicator{
    "subcommunicator_left_out", Severity::data_loss,
    "Collectives on communicators other than MPI_COMM_WORLD and its duplicates were omitted: the "
    "format does not support them."};
inline constexpr FindingKind kNonblockingCollective{
    "nonblocking_collective_as_blocking", Severity::notice,
    "Nonblocking collectives were written as blocking ones where they are completed: the replay "
    "has "
    "only those."};
inline constexpr FindingKind kNoAction{
    "call_without_action", Severity::notice,
    "Calls without a replay action (probes, unsuccessful tests, one-sided communication, MPI-IO, "
    "creation of communicators) were omitted."};
inline constexpr FindingKind kLostShare{
    "calls_left_out", Severity::notice,
    "Calls in total that the replay format does not hold; predictions of the written file miss the "
    "time that ranks spend in them and the waiting that they cause."};
inline constexpr FindingKind kSendrecvSplit{
    "sendrecv_split", Severity::info,
    "MPI_Sendrecv with tags were written as a receive, a send and a wait: the action has no tags."};
inline constexpr FindingKind kModes{
    "send_mode_lost", Severity::info,
    "Buffered, synchronous and ready sends were written as standard sends."};
inline constexpr FindingKind kSizeCut{
    "size_cut", Severity::data_loss,
    "Sizes over 8 PiB were written as 8 PiB: the replay's numbers are exact up to 2^53."};
inline constexpr FindingKind kThreadsMerged{
    "threads_merged", Severity::notice,
    "Calls of several threads were written as one sequence: the format has no threads."};

}  // namespace slackline::ti
