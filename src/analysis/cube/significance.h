#pragma once

#include <utility>
#include <vector>

namespace slackline {

/// Share of false marks, expected among all quantities that are marked as different.
inline constexpr double kFalseDiscoveryRate = 0.05;

/// The mean of at least one value.
double mean_of(const std::vector<double>& values);

/// An estimate that is distributed as Student's t around what it estimates.
struct StudentEstimate {
  double value = 0;
  double error = 0;    ///< standard error
  double freedom = 1;  ///< degrees of freedom

  /// The probability of a value at least as far above `limit`, if that is the true one.
  double p_above(double limit) const;
  /// The same below.
  double p_below(double limit) const;
  /// What p_above() and p_below() of its two ends are `p`.
  std::pair<double, double> interval(double p) const;
};

/// The mean of at least two values that are known to `resolution`: their variance is that of
/// rounding at least.
StudentEstimate mean_estimate(const std::vector<double>& values, double resolution = 0);
/// The mean of `b` less that of `a`, by Welch 1947: the two need not vary equally.
StudentEstimate difference_of_means(const std::vector<double>& a, const std::vector<double>& b,
                                    double resolution = 0);

/// The probability of means at least as different as those of `a` and `b`, which have at least two
/// values each, if both groups come from distributions with one mean (difference_of_means()).
double welch_test(const std::vector<double>& a, const std::vector<double>& b, double resolution);

struct TestedHypothesis {
  double p = 1;
  double weight = 1;  ///< relative to the others, positive
};

/// The smallest false discovery rate at which each hypothesis is rejected (Benjamini and Hochberg
/// 1995, with the weights of Genovese, Roeder and Wasserman 2006): in the order given, at most 1.
/// O(n log n).
std::vector<double> adjusted_probabilities(const std::vector<TestedHypothesis>& hypotheses);

}  // namespace slackline
