#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/native/bytes.h"
#include "trace/samples.h"
#include "trace/trace_builder.h"

namespace slackline::native {

/// How many calls of a rank the file should hold: what is missing can then be said.
using CallCounts = std::vector<std::uint64_t>;

/// Appends the payload of the description frame: everything of a trace but its calls. `calls`: how
/// many each rank has in the file.
void encode_description(const Trace& trace, const CallCounts& calls, const Samples& samples,
                        ByteWriter& out);

struct Description {
  TraceBuilder trace;  ///< without calls
  CallCounts calls;
  std::vector<bool> details;     ///< does the file hold them of this rank?
  std::int64_t sampling_ns = 0;  ///< CPU time between samples
};

/// Empty when it makes no sense. `file_bytes` bounds what communicators may take.
std::optional<Description> decode_description(std::span<const std::byte> payload,
                                              std::uint64_t file_bytes);

}  // namespace slackline::native
