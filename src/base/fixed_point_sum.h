#pragma once

#include <cmath>

#include "base/int128.h"

namespace slackline {

/// A sum of fractions that depends neither on the order of its terms nor on how they are put
/// together from partial sums: each is rounded to a multiple of 2^-32. Terms and sums of up to
/// 2^94; overflow is not detected.
class FixedPointSum {
 public:
  FixedPointSum() = default;
  explicit FixedPointSum(double term) { *this += term; }

  FixedPointSum& operator+=(double term) {
    const double units = kUnits * term;
    // Larger ones are whole numbers of units already.
    constexpr double kRounded = 0x1p62;
    units_ += std::fabs(units) < kRounded ? Int128{std::llrint(units)} : static_cast<Int128>(units);
    return *this;
  }
  FixedPointSum& operator+=(const FixedPointSum& other) {
    units_ += other.units_;
    return *this;
  }

  double value() const { return static_cast<double>(units_) / kUnits; }
  bool operator==(const FixedPointSum&) const = default;

 private:
  static constexpr double kUnits = 0x1p32;
  Int128 units_ = 0;
};

}  // namespace slackline
