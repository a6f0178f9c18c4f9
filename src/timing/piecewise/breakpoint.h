#pragma once

#include <cstdint>
#include <vector>

#include "base/arithmetic.h"

namespace slackline::piecewise {

/// intercept + slope * x. Of a path, or the difference of two.
struct Line {
  std::int64_t intercept = 0;
  std::int64_t slope = 0;

  bool operator==(const Line&) const = default;
  Line& operator+=(const Line& o) {
    intercept += o.intercept;
    slope += o.slope;
    return *this;
  }
  Line& operator-=(const Line& o) {
    intercept -= o.intercept;
    slope -= o.slope;
    return *this;
  }
  friend Line operator-(Line a, const Line& b) { return a -= b; }
};

/// Where a continuous function goes over from one line to the next: their difference, which is zero
/// at the breakpoint. So it says where that is, at -intercept / slope, and what changes there. The
/// slope is not zero and the value of x not negative.
using Breakpoint = Line;
using Breakpoints = std::vector<Breakpoint>;

/// A value of x: numerator / denominator, not negative.
struct Abscissa {
  std::int64_t numerator;
  std::int64_t denominator;
};

inline Abscissa abscissa(const Breakpoint& b) {
  return b.slope > 0 ? Abscissa{-b.intercept, b.slope} : Abscissa{b.intercept, -b.slope};
}

/// Less than, equal to or greater than zero as `a` lies before, at or after `b`.
inline int compare(const Abscissa& a, const Abscissa& b) {
  const Int128 left = Int128{a.numerator} * b.denominator;
  const Int128 right = Int128{b.numerator} * a.denominator;
  return static_cast<int>(left > right) - static_cast<int>(left < right);
}

/// The line's value at x, times its denominator.
inline Int128 scaled_value(const Line& line, const Abscissa& x) {
  return Int128{line.intercept} * x.denominator + Int128{line.slope} * x.numerator;
}

}  // namespace slackline::piecewise
