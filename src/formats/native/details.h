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

/// How many of these the trace has, so that details may name them.
struct DetailCounts {
  std::size_t counters = 0;
  std::size_t frames = 0;
};

/// Adds them to a rank that has all its calls; false when they make no sense, and then some may be
/// there.
bool decode_details(std::span<const std::byte> payload, const DetailCounts& trace,
                    RankCallsBuilder& calls, std::vector<Sample>& samples);

}  // namespace slackline::native
