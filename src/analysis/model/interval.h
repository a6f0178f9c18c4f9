#pragma once

#include <vector>

namespace slackline {

/// A value between the bounds of its 95 % interval. Bounds of values that are all infinite are
/// infinite, too.
struct Interval {
  double low = 0;
  double middle = 0;
  double high = 0;
};

/// The percentile interval (Efron 1979) of bootstrap replicates around their median; at least one.
/// Values may be infinite. O(n log n).
Interval percentile_interval(std::vector<double> values);

/// Student's t interval of the mean; at least two values. Values may be infinite: so is the mean
/// then. O(n).
Interval interval_of_mean(const std::vector<double>& values);

}  // namespace slackline
