// All lines d(t) between two sets of points: d(s) <= slack for what the first clock sent to the
// second, d(s) >= -slack for the other way round.
//
// For a slope b the largest value at time t is the least of slack + b (t - s) over the first set,
// a concave function of b, and the smallest the greatest of -slack + b (t - s) over the second, a
// convex one. The slopes for which the largest is not below the smallest are an interval; the
// largest value over it is found by ternary search, its ends by bisection. Rounding is made up for
// by kPadding_ns.
//
// The bounds are of first order: with drifts a message's slack is measured by two clocks that run
// at different speed, which is made up for by kLargestDrift of it.

#include "calls/clock_pair_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kMostSlope = 2 * kLargestDrift;
constexpr double kPadding_ns = 1;
constexpr int kSteps = 60;

class Lines {
 public:
  Lines(std::span<const ClockBound> forth, std::span<const ClockBound> back, double at)
      : forth_(forth), back_(back), at_(at) {}

  double highest(double slope) const {
    double value = kUnbounded;
    for (const ClockBound& b : forth_) value = std::min(value, eased(b) + slope * distance(b));
    return value;
  }
  double lowest(double slope) const {
    double value = -kUnbounded;
    for (const ClockBound& b : back_) value = std::max(value, -eased(b) + slope * distance(b));
    return value;
  }
  double room(double slope) const { return highest(slope) - lowest(slope) + kPadding_ns; }

 private:
  double distance(const ClockBound& b) const { return at_ - static_cast<double>(b.at_ns); }
  static double eased(const ClockBound& b) {
    const auto slack = static_cast<double>(b.slack_ns);
    return slack + kLargestDrift * std::abs(slack);
  }

  std::span<const ClockBound> forth_;
  std::span<const ClockBound> back_;
  double at_;
};

/// Where a concave function is largest between `low` and `high`.
template <class Function>
double where_largest(Function f, double low, double high) {
  for (int i = 0; i < kSteps; ++i) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (f(a) < f(b) ? low : high) = f(a) < f(b) ? a : b;
  }
  return (low + high) / 2;
}

/// The last slope from `inside`, where there is room, towards `outside` that has any.
double last_with_room(const Lines& lines, double inside, double outside) {
  if (lines.room(outside) >= 0) return outside;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (inside + outside) / 2;
    (lines.room(middle) >= 0 ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

double largest_difference_ns(std::span<const ClockBound> forth, std::span<const ClockBound> back,
                             double at_ns) {
  if (forth.empty()) return kUnbounded;
  const Lines lines(forth, back, at_ns);
  double least = -kMostSlope;
  double most = kMostSlope;
  if (!back.empty()) {
    const double widest =
        where_largest([&](double b) { return lines.room(b); }, -kMostSlope, kMostSlope);
    if (lines.room(widest) < 0) return -kUnbounded;
    least = last_with_room(lines, widest, -kMostSlope);
    most = last_with_room(lines, widest, kMostSlope);
  }
  const double best = where_largest([&](double b) { return lines.highest(b); }, least, most);
  return std::max({lines.highest(best), lines.highest(least), lines.highest(most)}) + kPadding_ns;
}

}  // namespace slackline
