#include "analysis/cube/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/student_t.h"

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

}  // namespace

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double welch_test(const std::vector<double>& a, const std::vector<double>& b, double resolution) {
  const double va = variance_of_mean(a, resolution);
  const double vb = variance_of_mean(b, resolution);
  const double difference = std::abs(mean_of(b) - mean_of(a));
  if (difference == 0) return 1;
  if (va + vb == 0) return 0;
  const double freedom =
      (va + vb) * (va + vb) /
      (va * va / static_cast<double>(a.size() - 1) + vb * vb / static_cast<double>(b.size() - 1));
  return student_t_two_sided(difference / std::sqrt(va + vb), freedom);
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
