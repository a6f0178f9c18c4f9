#pragma once

#include <span>

#include "calls/clock_constraints.h"

namespace slackline {

/// Clocks that drift apart by more than this are not described by one line: a thousandth, far above
/// quartz clocks (0.0001) and what NTP slews (0.0005).
inline constexpr double kLargestDrift = 1e-3;

/// The largest value that x_from - x_to can have at `at_ns`, where both corrections are linear,
/// drift at most kLargestDrift from true time, and respect what the calls say of the two clocks in
/// both directions (Duda and others, "Estimating global time in distributed systems", 1987: all
/// lines between the two point sets). Infinity where nothing bounds it, -infinity where no line
/// fits. Never too small; some hundred times the number of bounds.
double largest_difference_ns(std::span<const ClockBound> forth, std::span<const ClockBound> back,
                             double at_ns);

}  // namespace slackline
