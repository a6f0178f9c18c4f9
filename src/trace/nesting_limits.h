#pragma once

#include <cstddef>

#include "trace/samples.h"
#include "trace/trace_builder.h"

namespace slackline {

/// Each call path has a name, so what they take grows by the square of the depth.
inline constexpr std::size_t kDeepestNesting = 256;

/// Drops the events of regions inside kDeepestNesting others, and the frames of functions called
/// inside as many others; what they contain then belongs to the innermost of those. Counts them in
/// the Findings. Linear in events and calls.
void limit_nesting(TraceBuilder& trace, Samples& samples);

}  // namespace slackline
