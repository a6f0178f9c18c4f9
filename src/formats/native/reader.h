#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "base/findings.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

inline constexpr FindingKind kNativeTruncated{
    "native_no_index", Severity::notice,
    "The trace file does not end with its index: it is truncated or damaged. Its blocks were "
    "located by scanning."};
inline constexpr FindingKind kNativeDamaged{"native_damaged_frame", Severity::data_loss,
                                            "A part of the trace file is damaged; it was omitted."};
inline constexpr FindingKind kNativeLostCalls{
    "native_lost_calls", Severity::data_loss,
    "Calls in damaged or missing parts of the trace file. Their time counts as computation, and "
    "their messages have no partner."};
inline constexpr FindingKind kNativeUnbalancedRegions{
    "native_unbalanced_regions", Severity::notice,
    "Region enter or leave records lost together with calls; these regions were closed or "
    "omitted."};
inline constexpr FindingKind kNativeLostDetails{
    "native_lost_details", Severity::data_loss,
    "Pauses, hardware counters and rank ends in damaged parts of the trace file or of lost calls; "
    "such pauses count as computation."};
inline constexpr FindingKind kNativeUnknownFrame{
    "native_unknown_frame", Severity::info,
    "Parts of the trace file that require a newer Slackline version; they were skipped."};
inline constexpr FindingKind kNativeUnknownOperation{
    "native_unknown_operation", Severity::notice,
    "Operations that require a newer Slackline version; their time counts as computation."};

/// Reads a trace in the native format. Damage costs only the blocks it is in and becomes Findings.
/// Throws Error when nothing can be made of it: no native trace, a newer major version, or no
/// description of the trace left. Ranks are read in parallel. `name` stands for the file in
/// messages. `samples`, if given, gets those of the file. `calls_known`, if given, is told the
/// number of calls before any is read; what it throws ends the reading.
Trace read_native(std::span<const std::byte> bytes, std::string_view name,
                  Samples* samples = nullptr,
                  const std::function<void(std::uint64_t)>& calls_known = {});

/// How many bytes the frames of a native trace have when decompressed. Reads their headers only.
std::uint64_t native_content_bytes(std::span<const std::byte> file);

/// Does `head` (the beginning of a file) look like the native format?
bool looks_like_native(std::span<const std::byte> head);

}  // namespace slackline
