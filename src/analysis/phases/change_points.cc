// Change points of a series: optimal partitioning.
//
// An interval without change is described by the mean of its samples; its cost is the squared
// error. With prefix sums the cost of any interval is O(1), and the best partition of the first n
// samples is the best over its last interval. Each change costs a price, so that noise makes none:
// the usual choice is a few times the variance of the noise times the logarithm of the length, and
// the noise is what neighbours differ by (the median, which the changes themselves do not disturb).

#include "analysis/phases/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline {
namespace {

constexpr double kPriceFactor = 10;
constexpr double kMedianToSigma = 1.4826 / 1.4142135623730951;  // of differences of two samples

class Stretches {
 public:
  explicit Stretches(const std::vector<SignalSample>& samples)
      : sum_(samples.size() + 1), squares_(samples.size() + 1) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      squares_[i + 1] = squares_[i];
      for (std::size_t k = 0; k < samples[i].size(); ++k) {
        sum_[i + 1][k] = sum_[i][k] + samples[i][k];
        squares_[i + 1] += samples[i][k] * samples[i][k];
      }
    }
  }
  double cost(std::size_t from, std::size_t to) const {
    double explained = 0;
    for (std::size_t k = 0; k < sum_[0].size(); ++k) {
      const double s = sum_[to][k] - sum_[from][k];
      explained += s * s;
    }
    return std::max(0.0,
                    squares_[to] - squares_[from] - explained / static_cast<double>(to - from));
  }

 private:
  std::vector<SignalSample> sum_;
  std::vector<double> squares_;
};

double noise_variance(const std::vector<SignalSample>& samples, double floor) {
  double variance = 0;
  std::vector<double> steps;
  for (std::size_t k = 0; k < samples.front().size(); ++k) {
    steps.clear();
    for (std::size_t i = 1; i < samples.size(); ++i) {
      steps.push_back(std::abs(samples[i][k] - samples[i - 1][k]));
    }
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::ranges::nth_element(steps, middle);
    variance += std::pow(std::max(floor, *middle * kMedianToSigma), 2);
  }
  return variance;
}

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<SignalSample>& samples,
                                       double noise_floor) {
  const std::size_t n = samples.size();
  std::vector<ChangePoint> found;
  if (n < 2) return found;
  const Stretches stretches(samples);
  const double price =
      kPriceFactor * noise_variance(samples, noise_floor) * std::log(static_cast<double>(n));
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last(n + 1, 0);
  best[0] = -price;
  for (std::size_t to = 1; to <= n; ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      const double cost = best[from] + stretches.cost(from, to) + price;
      if (cost < best[to]) {
        best[to] = cost;
        last[to] = from;
      }
    }
  }
  std::vector<std::size_t> borders{n};
  while (borders.back() > 0) borders.push_back(last[borders.back()]);
  std::ranges::reverse(borders);
  for (std::size_t i = 1; i + 1 < borders.size(); ++i) {
    const double apart =
        stretches.cost(borders[i - 1], borders[i]) + stretches.cost(borders[i], borders[i + 1]);
    const double gain = stretches.cost(borders[i - 1], borders[i + 1]) - apart;
    found.push_back({borders[i], gain / (gain + price)});
  }
  return found;
}

}  // namespace slackline
