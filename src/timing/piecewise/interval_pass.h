#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "timing/cost/ticks.h"
#include "timing/passes/kernel.h"
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

/// A reduced graph, ready for passes over whole intervals of its parameter. O(edges), once.
class IntervalPasses {
 public:
  /// The program outlives this object.
  IntervalPasses(const passes::Program& program, std::uint32_t slots);

  /// All lines of T inside an interval, in order, neither twice. Values of T in the interval, and
  /// slopes, fit in 61 bits. `stop` is asked now and then; when it says true there is no result.
  ///
  /// One pass; an edge costs as many steps as the functions of its node have breakpoints (see
  /// interval_pass.cc), usually some ten. Thread-safe.
  std::optional<std::vector<PathLine>> lines(const Interval& interval,
                                             const std::function<bool()>& stop) const;

 private:
  passes::Program program_;
  std::uint32_t slots_;
  std::size_t block_;                             // nodes
  std::vector<std::vector<std::uint32_t>> live_;  // slots needed after each block
};

}  // namespace slackline::piecewise
