#include "calibration/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline {
namespace {

constexpr double kOutlier = 4;   // deviations
constexpr int kPasses = 3;       // of leaving out; further ones change nothing in practice
constexpr double kTail = 0.025;  // on each side of a 95 % interval

/// The median of count > 0 values that at(i) has in order.
template <class At>
double middle_of(std::size_t count, At at) {
  const double low = at((count - 1) / 2);
  return count % 2 == 1 ? low : low + 0.5 * (at(count / 2) - low);
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = q * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), values.begin() + lower, values.end());
  const double low = values[static_cast<std::size_t>(lower)];
  const double rest = at - static_cast<double>(lower);
  if (rest == 0) return low;
  const double high = *std::min_element(values.begin() + lower + 1, values.end());
  return low + rest * (high - low);
}

double sample_median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

Location location_of_sorted(std::span<const double> values) {
  Location found{std::numeric_limits<double>::quiet_NaN(), 0, values.size()};
  const auto value = [&](std::size_t i) { return values[i]; };
  if (!values.empty()) found.centre = middle_of(values.size(), value);
  for (int pass = 0; pass < kPasses && found.kept > 0; ++pass) {
    // The scatter on the side that interruptions do not touch.
    const auto kept = values.first(found.kept);
    const auto below = static_cast<std::size_t>(
        std::upper_bound(kept.begin(), kept.end(), found.centre) - kept.begin());
    found.deviation = kDeviationOverMad * middle_of(below, [&](std::size_t i) {
                        return found.centre - kept[below - 1 - i];
                      });
    const double limit = found.centre + kOutlier * found.deviation;
    const auto left =
        static_cast<std::size_t>(std::upper_bound(kept.begin(), kept.end(), limit) - kept.begin());
    if (found.deviation == 0 || left == found.kept) break;
    found.kept = left;
    found.centre = middle_of(left, value);
  }
  return found;
}

std::size_t ResamplingIndices::next(std::size_t bound) {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return static_cast<std::size_t>((state_ * 2685821657736338717ULL) >> 33) % bound;
}

Estimate with_interval(double value, const std::vector<double>& replicates) {
  std::vector<double> known;
  for (const double r : replicates) {
    if (!std::isnan(r)) known.push_back(r);
  }
  if (known.empty()) return {value, value, value};
  return {value, std::min(value, quantile(known, kTail)),
          std::max(value, quantile(known, 1 - kTail))};
}

}  // namespace slackline
