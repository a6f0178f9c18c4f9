#pragma once

#include "base/findings.h"

namespace slackline::liballprof {

inline constexpr FindingKind kBadLine{"damaged_record", Severity::data_loss,
                                      "Lines make no sense and were left out."};
inline constexpr FindingKind kMissingRank{
    "missing_ranks", Severity::data_loss,
    "Ranks have no file; the trace says nothing of them and messages with them have no other end."};
inline constexpr FindingKind kUnknownCommunicator{
    "unknown_communicator", Severity::data_loss,
    "The recording does not tell the members of a communicator smaller than MPI_COMM_WORLD where "
    "its handle means different groups on different ranks; calls on it were left out."};
inline constexpr FindingKind kUnknownCall{
    "unknown_call", Severity::info,
    "Calls that a trace has no operation for; they stay time between calls."};
inline constexpr FindingKind kUnknownRequest{
    "unknown_request", Severity::notice,
    "Completions of requests whose start was not recorded, or that were empty."};
inline constexpr FindingKind kTests{
    "tests_without_result", Severity::notice,
    "The recording does not say whether MPI_Test and its like found anything; they are taken to "
    "have found nothing."};
inline constexpr FindingKind kWildcards{
    "wildcards_without_source", Severity::notice,
    "Receives from any source; the recording does not say whose message they got."};
inline constexpr FindingKind kBackwards{
    "time_backwards", Severity::notice,
    "Calls begin before the one before them ended; they were moved to where it ended."};
inline constexpr FindingKind kNoClock{
    "clock_offset_missing", Severity::notice,
    "Files without a clock offset in their header; their clocks were left as they are."};

}  // namespace slackline::liballprof
