#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formats/native/bytes.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline::native {

/// What a rank's frame of kind details holds: pauses, hardware counters, samples, and when the rank
/// stops.
bool has_details(const Trace& trace, const Samples& samples, std::int32_t rank);

/// Appends that frame's payload.
void encode_details(const Trace& trace, const Samples& samples, std::int32_t rank, ByteWriter& out);

/// What details of a rank speak of: how many counters and frames the trace has, how many calls the
/// rank, and when the last of them ends (the rank starts, without calls).
struct DetailBounds {
  std::size_t counters = 0;
  std::size_t frames = 0;
  std::size_t calls = 0;
  std::int64_t last_end_ns = 0;
};
/// When a rank's last call ends.
std::int64_t last_end_ns(const RankCalls& calls);

/// Adds them to a rank, which need not have its calls; false when they make no sense, and then some
/// may be there.
bool decode_details(std::span<const std::byte> payload, const DetailBounds& bounds,
                    RankCallsBuilder& rank, std::vector<Sample>& samples);

}  // namespace slackline::native
