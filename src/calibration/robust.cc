#include "calibration/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline {
namespace {

constexpr double kOutlier = 4;   // deviations
constexpr int kPasses = 3;       // of leaving out; further ones change nothing in practice
constexpr double kTail = 0.025;  // on each side of a 95 % interval

/// From the scatter on the side that interruptions do not touch.
double lower_deviation(const std::vector<double>& values, double centre) {
  std::vector<double> below;
  for (const double v : values) {
    if (v <= centre) below.push_back(centre - v);
  }
  return kDeviationOverMad * median(std::move(below));
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

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

Location robust_location(const std::vector<double>& values) {
  std::vector<double> kept;
  for (const double v : values) {
    if (!std::isnan(v)) kept.push_back(v);
  }
  Location found{median(kept), 0, kept.size()};
  for (int pass = 0; pass < kPasses && !kept.empty(); ++pass) {
    found.deviation = lower_deviation(kept, found.centre);
    const double limit = found.centre + kOutlier * found.deviation;
    if (found.deviation == 0 || std::erase_if(kept, [&](double v) { return v > limit; }) == 0) {
      break;
    }
    found.centre = median(kept);
  }
  found.kept = kept.size();
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
