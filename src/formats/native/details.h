#pragma once

#include <cstddef>
#include <span>

#include "formats/native/bytes.h"
#include "trace/trace.h"

namespace slackline::native {

/// What a rank's frame of kind details holds: pauses, hardware counters, and when the rank stops.
bool has_details(const Trace& trace, std::int32_t rank);

/// Appends that frame's payload.
void encode_details(const Trace& trace, std::int32_t rank, ByteWriter& out);

/// Adds them to a rank that has all its calls; false when they make no sense, and then some may be
/// there. `counters`: how many the trace names.
bool decode_details(std::span<const std::byte> payload, std::size_t counters, RankCalls& calls);

}  // namespace slackline::native
