#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
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

/// The numbers 0 to count - 1, from the one whose `key` is largest on; equal ones in ascending
/// order. O(count log count).
template <class Key>
std::vector<std::size_t> largest_first(std::size_t count, Key key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, key);
  return order;
}

/// The 97.5 % quantile of Student's t distribution, for two-sided intervals of 95 %. Above 30
/// degrees of freedom that of 30, which is slightly larger; `freedom` 0 counts as 1.
double student_t(std::size_t freedom);

/// The probability that a value of Student's t distribution with `freedom` (positive, not
/// necessarily whole) degrees of freedom is at least as far from 0 as `t`. To about ten digits.
double student_t_two_sided(double t, double freedom);

/// The `t` of which student_t_two_sided() is `p`, which is between 0 and 1. To about ten digits.
double student_t_of(double p, double freedom);

}  // namespace slackline
