#pragma once

#include "base/findings.h"

namespace slackline::paraver {

// What reading Paraver traces can find. One place, because the kinds are told by several parts.

inline constexpr FindingKind kDamagedFile{
    "damaged_file", Severity::data_loss,
    "The compressed file is damaged or ends early; what came after is lost."};
inline constexpr FindingKind kBadRecord{"damaged_record", Severity::data_loss,
                                        "Records make no sense and were left out."};
inline constexpr FindingKind kBackwards{
    "time_backwards", Severity::notice,
    "Records are earlier than those before them; they were moved to where those are."};
inline constexpr FindingKind kUnfinished{
    "unfinished_call", Severity::notice,
    "Calls have no end in the trace; they were ended where their thread goes on or ends."};
inline constexpr FindingKind kUnknownCommunicator{
    "unknown_communicator", Severity::data_loss,
    "Collectives name a communicator that the trace does not list; predictions leave them out."};
inline constexpr FindingKind kNoRecord{
    "no_communication_record", Severity::notice,
    "Sends and receives without a communication record: they were to MPI_PROC_NULL, or their "
    "messages are lost. They are taken as the former."};
inline constexpr FindingKind kNoCall{
    "communication_without_call", Severity::notice,
    "Communication records belong to no MPI call of the trace; a send or receive was made of each "
    "such end."};
inline constexpr FindingKind kGuessedCompletion{
    "completion_guessed", Severity::info,
    "Paraver traces do not say which call completes a nonblocking send or collective. It is taken "
    "to be the next MPI_Waitall, or the first wait that completes no receive."};
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
