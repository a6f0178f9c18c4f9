#pragma once

#include <span>

#include "timing/piecewise/breakpoint.h"

namespace slackline::piecewise {

// Continuous piecewise linear functions on an interval [from, to]: the first line, and the
// breakpoints inside the interval in ascending order, no two at one place. Need not be convex.

/// A function whose breakpoints are somebody else's.
struct FunctionView {
  Line first{};
  std::span<const Breakpoint> breakpoints{};
};

struct Interval {
  Abscissa from;
  Abscissa to;
};

/// Which of two functions their maximum is.
enum class Larger { first, second, neither };

/// The maximum of two functions. If it is one of them over the whole interval, says so and leaves
/// the result alone; a tie is the first's. If neither, `first_line` and `breakpoints` are the
/// maximum. O(breakpoints of both).
Larger maximum(const FunctionView& a, const FunctionView& b, const Interval& interval,
               Line& first_line, Breakpoints& breakpoints);

/// Breakpoints of the difference of two functions. O(breakpoints of both).
void subtract(std::span<const Breakpoint> a, std::span<const Breakpoint> b,
              Breakpoints& difference);

/// Puts breakpoints of a sum of many functions in order; those at one place become one, or none
/// when nothing changes there. O(n log n).
void sort_and_combine(Breakpoints& breakpoints);

}  // namespace slackline::piecewise
