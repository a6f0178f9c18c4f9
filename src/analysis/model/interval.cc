#include "analysis/model/interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/error.h"

namespace slackline {
namespace {

/// By linear interpolation between the order statistics.
double percentile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  if (std::isinf(sorted[above])) {
    return at > static_cast<double>(below) ? sorted[above] : sorted[below];
  }
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Student's t, 97.5 %, by degrees of freedom; beyond the table the next smaller entry (wider).
double student_t(std::size_t freedom) {
  constexpr std::array kTable{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                              2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                              2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                              2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  return kTable[std::min(freedom, kTable.size()) - 1];
}

}  // namespace

Interval percentile_interval(std::vector<double> values) {
  expects(!values.empty(), "an interval needs a value");
  std::ranges::sort(values);
  return {percentile(values, 0.025), percentile(values, 0.5), percentile(values, 0.975)};
}

Interval interval_of_mean(const std::vector<double>& values) {
  expects(values.size() >= 2, "an interval of a mean needs two values");
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double v : values) mean += v / n;
  if (std::isinf(mean)) return {mean, mean, mean};
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double half = student_t(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean - half, mean, mean + half};
}

}  // namespace slackline
