#include "analysis/cube/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/statistics.h"

namespace slackline {
namespace {

/// The variance of the mean of the values.
double variance_of_mean(const std::vector<double>& values, double resolution) {
  const double mean = mean_of(values);
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::max(squares / (n - 1), resolution * resolution / 12) / n;
}

double freedom_of(const std::vector<double>& values) {
  return static_cast<double>(values.size() - 1);
}

}  // namespace

double StudentEstimate::p_above(double limit) const {
  if (error == 0) return value > limit ? 0 : 1;
  const double two_sided = student_t_two_sided((value - limit) / error, freedom);
  return value > limit ? two_sided / 2 : 1 - two_sided / 2;
}

double StudentEstimate::p_below(double limit) const {
  return StudentEstimate{-value, error, freedom}.p_above(-limit);
}

std::pair<double, double> StudentEstimate::interval(double p) const {
  const double half = student_t_of(2 * p, freedom) * error;
  return {value - half, value + half};
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

StudentEstimate mean_estimate(const std::vector<double>& values, double resolution) {
  return {mean_of(values), std::sqrt(variance_of_mean(values, resolution)), freedom_of(values)};
}

StudentEstimate difference_of_means(const std::vector<double>& a, const std::vector<double>& b,
                                    double resolution) {
  const double va = variance_of_mean(a, resolution);
  const double vb = variance_of_mean(b, resolution);
  StudentEstimate estimate{mean_of(b) - mean_of(a), std::sqrt(va + vb), 1};
  if (va + vb > 0) {
    estimate.freedom = (va + vb) * (va + vb) / (va * va / freedom_of(a) + vb * vb / freedom_of(b));
  }
  return estimate;
}

double welch_test(const std::vector<double>& a, const std::vector<double>& b, double resolution) {
  const StudentEstimate difference = difference_of_means(a, b, resolution);
  if (difference.value == 0) return 1;
  if (difference.error == 0) return 0;
  return student_t_two_sided(difference.value / difference.error, difference.freedom);
}

std::vector<double> adjusted_probabilities(const std::vector<TestedHypothesis>& hypotheses) {
  double weights = 0;
  for (const TestedHypothesis& h : hypotheses) weights += h.weight;
  const auto weighted = [&](std::size_t i) {
    return hypotheses[i].p * weights / hypotheses[i].weight;
  };
  std::vector<std::size_t> order(hypotheses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, weighted);
  std::vector<double> adjusted(hypotheses.size());
  double smallest = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    smallest = std::min(smallest, weighted(order[k]) / static_cast<double>(k + 1));
    adjusted[order[k]] = smallest;
  }
  return adjusted;
}

}  // namespace slackline
