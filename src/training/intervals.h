#pragma once

#include <cstdint>
#include <vector>

#include "training/training_run.h"

namespace slackline {

/// Ascending intervals that neither overlap nor touch; none is empty.
using Intervals = std::vector<Interval>;

/// The time that any of `all`, in any order, covers. O(n log n).
Intervals united(std::vector<Interval> all);
/// What of `a` is not in `b`. O(a + b).
Intervals without(const Intervals& a, const Intervals& b);
/// What is in both. O(a + b).
Intervals common(const Intervals& a, const Intervals& b);
/// What of `all` is in `window`. O(log n + those in the window).
Intervals clipped(const Intervals& all, const Interval& window);

std::int64_t total_ns(const Intervals& all);

}  // namespace slackline
