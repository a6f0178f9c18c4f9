#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slackline {

/// A value with the limits of its 95 % prediction interval.
struct Extrapolation {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// How a quantity grows with the number of ranks p: constant + coefficient * p^exponent *
/// log2(p)^log_exponent, the performance model normal form of Extra-P with one term ("Using
/// Automated Performance Modeling to Find Scalability Bugs in Complex Codes", Calotoiu et al.
/// 2013).
struct ScalingLaw {
  double constant = 0;
  double coefficient = 0;  ///< 0: does not depend on the ranks
  double exponent = 0;
  int log_exponent = 0;
  /// Mean relative error, symmetric, when each run is predicted from all others.
  double cross_validation_error = 0;

  double at(double ranks) const;
  /// The value at that many ranks, and where another run's may lie: the prediction intervals of
  /// this law and of all others that explain the runs about as well.
  Extrapolation extrapolate(double ranks) const;
  /// "3.1 + 0.2 * p^0.5 * log2(p)", of values in units of `scale`.
  std::string formula(double scale = 1) const;

  // The regression, in which errors count relative to the values: degrees of freedom, relative
  // deviation, sum of weights, weighted mean and squares of its variable.
  std::size_t freedom = 0;
  double deviation = 0;
  double weights = 0;
  double mean_term = 0;
  double term_squares = 0;
  /// Laws with other exponents that cross-validation does not tell from this one.
  std::vector<ScalingLaw> alternatives{};
};

/// One run's ranks and value.
struct ScalingPoint {
  double ranks = 0;
  double value = 0;
};

/// The law with the smallest error in cross-validation, of exponents 0 to 3 and -3 to 0 in quarters
/// and thirds and of logarithms up to the square; a constant unless that is at least a tenth
/// better. Empty for fewer than three numbers of ranks. O(hypotheses x points^2).
std::optional<ScalingLaw> fit_scaling_law(std::span<const ScalingPoint> points);

}  // namespace slackline
