#pragma once

#include <cstdint>

#include "base/arithmetic.h"

namespace slackline {

/// A value of the parameter, exact: numerator / denominator ticks (see LinearCost::tick_fs).
/// Lowest terms, denominator positive.
struct Ticks {
  Int128 numerator = 0;
  Int128 denominator = 1;

  bool operator==(const Ticks&) const = default;
  /// Exact for any values, also where cross products would not fit.
  friend bool operator<(const Ticks& a, const Ticks& b);
};
Ticks make_ticks(Int128 numerator, Int128 denominator);

/// The cost of one path as a function of the parameter x: intercept + slope * x, in ticks.
struct PathLine {
  Int128 intercept = 0;
  std::int64_t slope = 0;

  bool operator==(const PathLine&) const = default;
  /// Value at `x`, times x.denominator.
  Int128 scaled_at(const Ticks& x) const { return intercept * x.denominator + slope * x.numerator; }
};

/// Which derivative is meant where pieces meet.
enum class Side : std::uint8_t { right, left };

}  // namespace slackline
