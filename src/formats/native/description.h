#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/native/bytes.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "trace/trace_builder.h"

namespace slackline::native {

/// How many calls of a rank the file should hold: what is missing can then be said.
using CallCounts = std::vector<std::uint64_t>;

/// What the description says of a rank's calls.
struct RankContents {
  std::uint64_t calls;  ///< in the file
  std::int64_t start_ns;
  bool details;  ///< has the file a frame of them?
};
RankContents contents_of_rank(const Trace& trace, const Samples& samples, std::int32_t rank,
                              std::uint64_t calls);

/// Appends the payload of the description frame: everything of a trace but its calls, of which it
/// has `ranks` to say. `sampling_ns`: CPU time between samples.
void encode_description(const Trace& trace, std::span<const RankContents> ranks,
                        std::int64_t sampling_ns, ByteWriter& out);

/// A part of its payload: the call tree. False when it makes no sense.
void encode_call_tree(const CallTree& tree, ByteWriter& out);
bool decode_call_tree(ByteReader& in, CallTree& tree);

struct Description {
  TraceBuilder trace;  ///< without calls
  CallCounts calls;
  std::vector<bool> details;     ///< does the file hold them of this rank?
  std::int64_t sampling_ns = 0;  ///< CPU time between samples
};

/// Empty when it makes no sense. `file_bytes` bounds what communicators may take.
std::optional<Description> decode_description(std::span<const std::byte> payload,
                                              std::uint64_t file_bytes);

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
