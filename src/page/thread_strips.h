#pragma once

#include <vector>

#include "page/drawn_timeline.h"
#include "trace/trace.h"

namespace slackline {

/// Up to this many threads of OpenMP each has a curve of its own.
inline constexpr std::size_t kMostThreadStrips = 16;

/// How much of the time each thread of the ranks' OpenMP teams works in the measured run, beside
/// the main threads, whose rows have it; of more than kMostThreadStrips threads their mean only.
/// None without parallel regions. What a region holds is spread evenly over it. O(threads of all
/// regions).
std::vector<Timeline::Strip> thread_strips(const Trace& trace);

}  // namespace slackline
