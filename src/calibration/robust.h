#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slackline {

/// The value below which the share `q` (0 ... 1) of the values lies, interpolated between order
/// statistics (Hyndman & Fan 1996, type 7). NaN when there are none. O(n).
double quantile(std::vector<double> values, double q);

/// The quantile of one half.
double sample_median(std::vector<double> values);

/// A normal distribution's standard deviation over its median absolute deviation.
inline constexpr double kDeviationOverMad = 1.4826;

/// Where repeated measurements of one quantity lie, and how far they scatter around it.
struct Location {
  double centre = 0;     ///< median of what was kept
  double deviation = 0;  ///< standard deviation of one value, from the scatter below the median
  std::size_t kept = 0;  ///< values that are no outliers
};

/// Interruptions only ever lengthen a measurement, so the scatter is taken from the values below
/// the median, and values more than four such deviations above it are left out before the median is
/// taken again. `values` ascend, and none is missing. O(log n).
Location location_of_sorted(std::span<const double> values);

/// A small generator (xorshift64*, Vigna 2016) whose sequence is the same on every platform, for
/// resampling.
class ResamplingIndices {
 public:
  explicit ResamplingIndices(std::uint64_t seed) : state_(seed == 0 ? 1 : seed) {}
  /// Below `bound`, which is positive.
  std::size_t next(std::size_t bound);

 private:
  std::uint64_t state_;
};

/// An estimate and the interval in which the true value lies with 95 % confidence.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  bool contains(double x) const { return low <= x && x <= high; }
};

/// The percentile interval (Efron 1979) of bootstrap replicates around `value`, which it always
/// contains. Replicates that are NaN are left out.
Estimate with_interval(double value, const std::vector<double>& replicates);

}  // namespace slackline
