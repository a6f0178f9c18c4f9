#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

inline constexpr FindingKind kNativeTruncated{"native_no_index", Severity::notice,
                                              "The trace file does not end with its index: it was "
                                              "cut off or is damaged there. Its blocks were "
                                              "found by searching for them."};
inline constexpr FindingKind kNativeDamaged{
    "native_damaged_frame", Severity::data_loss,
    "A part of the trace file is damaged and was left out."};
inline constexpr FindingKind kNativeLostCalls{
    "native_lost_calls", Severity::data_loss,
    "Calls stood in damaged or missing parts of the trace file. The time they took counts as "
    "computation, and messages of theirs have no partner."};
inline constexpr FindingKind kNativeUnbalancedRegions{
    "native_unbalanced_regions", Severity::notice,
    "Where calls were lost, entering or leaving a region was lost too; regions were closed or left "
    "out there."};
inline constexpr FindingKind kNativeLostDetails{
    "native_lost_details", Severity::data_loss,
    "Pauses, hardware counters and the end of ranks stood in damaged parts of the trace file, or "
    "name calls that were lost; pauses count as computation there."};
inline constexpr FindingKind kNativeUnknownFrame{
    "native_unknown_frame", Severity::info,
    "The trace file has parts that only a newer slackline understands; they were skipped."};
inline constexpr FindingKind kNativeUnknownOperation{
    "native_unknown_operation", Severity::notice,
    "Operations that only a newer slackline knows; they count as computation of no MPI call."};

/// Reads a trace in the native format. Damage costs only the blocks it is in and becomes Findings.
/// Throws Error when nothing can be made of it: no native trace, a newer major version, or no
/// description of the trace left. Ranks are read in parallel. `name` stands for the file in
/// messages.
Trace read_native(std::span<const std::byte> bytes, std::string_view name);

/// Does `head` (the beginning of a file) look like the native format?
bool looks_like_native(std::span<const std::byte> head);

}  // namespace slackline
