#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace slackline {

/// The value that would be at `place` if they were in order. Reorders them. O(values).
template <class T>
T ordered_value(std::vector<T>& values, std::size_t place) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::ranges::nth_element(values, at);
  return *at;
}

/// The upper median; 0 of nothing. Reorders the values. O(values).
template <class T>
T median(std::vector<T>& values) {
  return values.empty() ? T{} : ordered_value(values, values.size() / 2);
}

/// As above, for temporary values.
template <class T>
T median(std::vector<T>&& values) {
  return median(values);
}

/// The lower median; 0 of nothing. Reorders the values. O(values).
template <class T>
T lower_median(std::vector<T>& values) {
  return values.empty() ? T{} : ordered_value(values, (values.size() - 1) / 2);
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
