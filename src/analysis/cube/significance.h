#pragma once

#include <vector>

namespace slackline {

/// Share of false marks, expected among all quantities that are marked as different.
inline constexpr double kFalseDiscoveryRate = 0.05;

/// The mean of at least one value.
double mean_of(const std::vector<double>& values);

/// The probability of means at least as different as those of `a` and `b`, which have at least two
/// values each, if both groups come from distributions with one mean (Welch 1947: they need not
/// vary equally). Values are known to `resolution`: their variance is that of rounding at least.
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
