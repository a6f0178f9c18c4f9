#include "analysis/model/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/statistics.h"

namespace slackline {

double percentile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  if (std::isinf(sorted[above])) {
    return at > static_cast<double>(below) ? sorted[above] : sorted[below];
  }
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

IntervalWords words_of(IntervalMethod method, std::size_t samples, std::string_view of) {
  switch (method) {
    case IntervalMethod::bootstrap:
      return {"bootstrap", "median",
              fmt::format("95 % intervals{} ({} bootstrap replicates)", of, samples),
              "Uncertainty (bootstrap of this run)"};
    case IntervalMethod::runs:
      return {"runs", "mean", fmt::format("95 % intervals{} ({} runs)", of, samples),
              "Uncertainty (several runs)"};
    case IntervalMethod::calibration:
      break;
  }
  return {"calibration", "predicted",
          fmt::format("Intervals{} at the ends of the parameters' 95 % intervals", of),
          "Uncertainty (calibration of the machine)"};
}

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
