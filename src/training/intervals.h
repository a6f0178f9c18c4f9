#pragma once

#include <cstdint>
#include <vector>

#include "training/training_run.h"

namespace slackline {

/// Ascending intervals that neither overlap nor touch; none is empty.
using TimeSpans = std::vector<TimeSpan>;

/// The time that any of `all`, in any order, covers. O(n log n).
TimeSpans united(std::vector<TimeSpan> all);
/// What of `a` is not in `b`. O(a + b).
TimeSpans without(const TimeSpans& a, const TimeSpans& b);
/// What is in both. O(a + b).
TimeSpans common(const TimeSpans& a, const TimeSpans& b);
/// What of `all` is in `window`. O(log n + those in the window).
TimeSpans clipped(const TimeSpans& all, const TimeSpan& window);

std::int64_t total_ns(const TimeSpans& all);

}  // namespace slackline
