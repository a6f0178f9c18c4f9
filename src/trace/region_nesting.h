#pragma once

#include <cstddef>

#include "trace/trace.h"

namespace slackline {

/// Each call path has a name, so what they take grows by the square of the depth.
inline constexpr std::size_t kDeepestRegion = 256;

/// Drops the events of regions inside kDeepestRegion others, which then belong to the innermost of
/// those, and counts them in the Findings. Linear in events.
void limit_region_nesting(Trace& trace);

}  // namespace slackline
