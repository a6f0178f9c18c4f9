#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace slackline {

/// The upper median; 0 of nothing. Reorders the values. O(values).
inline double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// As above, for temporary values.
inline double median(std::vector<double>&& values) {
  return median(values);
}

/// The median; of an even number of values the mean of the middle two. 0 of nothing. O(values).
inline double median_of(std::vector<double> values) {
  const double upper = median(values);
  if (values.empty() || values.size() % 2 == 1) return upper;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  return (*std::max_element(values.begin(), middle) + upper) / 2;
}

/// The standard deviation of normally distributed values over the median of their distances to
/// their median.
inline constexpr double kSigmaOfMedian = 1.4826;

}  // namespace slackline
