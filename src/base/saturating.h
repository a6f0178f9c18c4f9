#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace slackline {

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

}  // namespace slackline
