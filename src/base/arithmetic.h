#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace slackline {

/// What the compilers have and the standard has not.
__extension__ using Int128 = __int128;

// Sizes and times of a file may be anything; what would not fit becomes the limit, which the checks
// of results refuse.

/// a + b.
constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

/// The same of sizes, added to `sum`.
constexpr void add_saturated(std::uint64_t& sum, std::uint64_t size) {
  if (__builtin_add_overflow(sum, size, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

/// a * b.
constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                : product;
}

/// The whole number next to `value`, halves away from zero; 0 for no number.
inline std::int64_t nearest_whole(double value) {
  constexpr double kBeyond = 9'223'372'036'854'775'808.0;  // 2^63
  if (std::isnan(value)) return 0;
  if (value >= kBeyond) return std::numeric_limits<std::int64_t>::max();
  if (value < -kBeyond) return std::numeric_limits<std::int64_t>::min();
  return std::llround(value);
}

/// `part` of `whole`; 0 where there is no whole.
constexpr double ratio_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

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
