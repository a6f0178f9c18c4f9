// The noise is the median absolute difference of neighbouring steps (or their upper fifth, where
// that tells of more), which the changes themselves hardly disturb; medians over larger distances
// tell noise that drifts (Ma and Genton, J. Time Ser. Anal. 21, 2000): what they exceed the first
// one by is correlation, by which n steps are worth fewer. Differences are taken to their own
// median, so that a trend is no noise. Lengths of time are compared by ratio, as their noise grows
// with them: the logarithm is taken, of the value plus an offset that hides ratios of nothing.
//
// Outliers, single steps that take long, are no levels. Each value that is farther
// than three deviations from the median of the seven around it becomes that median (Hampel's
// filter), which leaves the edges of levels of four and more steps in place. At both ends the seven
// are the first and the last ones.

#include "analysis/phases/prepared_series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/statistics.h"

namespace slackline {
namespace {

constexpr double kMedianToSigma =
    kSigmaOfMedian / 1.4142135623730951;                            // of differences of two values
constexpr double kHighToSigma = 1 / (1.2816 * 1.4142135623730951);  // of the upper fifth
constexpr double kLeastSigma = 0.25;                                // of the least change
constexpr double kOutlying = 3;                                     // deviations
constexpr std::size_t kFewOutliers = 10;                            // steps for an outlier
constexpr std::size_t kAround = 7;                                  // values of a median
constexpr double kCorrelated = 0.3;                                 // less may be chance
constexpr double kMostCorrelated = 0.8;
constexpr double kLeastScore = 0.35;  // noise of normal scores
constexpr double kUncertainty = 4;
constexpr std::size_t kFarthest = 16;  // of the steps: differences over more see the changes
constexpr std::size_t kFarthestOfScores = 8;
constexpr std::array<std::size_t, 3> kDistances{2, 4, 8};

/// To the values this many steps before, less the median difference.
std::vector<double> differences(const std::vector<double>& values, std::size_t distance) {
  std::vector<double> steps;
  for (std::size_t i = distance; i < values.size(); ++i) {
    steps.push_back(values[i] - values[i - distance]);
  }
  const double drift = median(std::vector<double>(steps));
  for (double& s : steps) s = std::abs(s - drift);
  return steps;
}

double sigma_at(const std::vector<double>& values, std::size_t distance) {
  return median(differences(values, distance)) * kMedianToSigma;
}

/// Where values are few different ones (rounds of a solver), the median misses the spread.
double high_sigma(const std::vector<double>& values) {
  std::vector<double> steps = differences(values, 1);
  if (steps.empty()) return 0;
  const auto high = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() * 4 / 5);
  std::ranges::nth_element(steps, high);
  return *high * kHighToSigma;
}

/// The value of the normal distribution that as large a share lies below; by an approximation
/// (Abramowitz and Stegun, 26.2.23) whose error is below 0.0005.
double normal_quantile(double share) {
  if (share > 0.5) return -normal_quantile(1 - share);
  const double t = std::sqrt(-2 * std::log(share));
  return (2.515517 + t * (0.802853 + t * 0.010328)) /
             (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
         t;
}

/// What normally distributed values of these ranks would be; equal values share the middle one.
std::vector<double> normal_scores(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> scores(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    const double share = static_cast<double>(i + end) / static_cast<double>(2 * order.size());
    for (; i < end; ++i) scores[order[i]] = normal_quantile(share);
  }
  return scores;
}

double deviation_of_differences(const std::vector<double>& values, std::size_t distance) {
  double squares = 0;
  for (std::size_t i = distance; i < values.size(); ++i) {
    const double difference = values[i] - values[i - distance];
    squares += difference * difference;
  }
  const std::size_t count = values.size() - std::min(values.size(), distance);
  return std::sqrt(squares / static_cast<double>(2 * std::max<std::size_t>(1, count)));
}

/// As if steps were independent: what differences over larger distances exceed those of neighbours
/// by is correlation.
double effective_sigma(double near, double far) {
  if (far <= near) return near;
  const double ratio = near / far;
  const double correlation = std::min(kMostCorrelated, 1 - ratio * ratio);
  if (correlation < kCorrelated) return near;
  return far * std::sqrt((1 + correlation) / (1 - correlation));
}

/// The noise of normal scores.
double bursty_deviation(const std::vector<double>& scores) {
  const double near = std::max(kLeastScore, deviation_of_differences(scores, 1));
  double far = near;
  for (const std::size_t d : kDistances) {
    if (kFarthestOfScores * d <= scores.size()) {
      far = std::max(far, deviation_of_differences(scores, d));
    }
  }
  return effective_sigma(near, far);
}

std::vector<double> filtered(const std::vector<double>& values, double sigma) {
  std::vector<double> out(values.size());
  const std::size_t width = std::min(kAround, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = std::min(i - std::min(i, kAround / 2), values.size() - width);
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    const double middle =
        median(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(width)));
    out[i] = std::abs(values[i] - middle) > kOutlying * sigma ? middle : values[i];
  }
  return out;
}

/// What more than a few steps do is no outlier, but one of the lengths that steps have.
std::vector<double> outliers_replaced(const std::vector<double>& values, double floor) {
  const double sigma = std::max(sigma_at(values, 1), floor);
  std::vector<double> out = filtered(values, sigma);
  std::size_t replaced = 0;
  for (std::size_t i = 0; i < values.size(); ++i) replaced += out[i] != values[i] ? 1 : 0;
  if (kFewOutliers * replaced <= values.size()) return out;
  return filtered(values, std::max(sigma, high_sigma(values)));
}

}  // namespace

std::vector<double> without_outliers(const std::vector<double>& values) {
  return outliers_replaced(values, 0);
}

PreparedSeries::PreparedSeries(const StepSeries& series, std::size_t index)
    : series_(&series), index_(index) {
  values_ = scaled();
  if (series.bursty) {
    values_ = normal_scores(values_);
    sigma_ = bursty_deviation(values_);
    raw_sum_.assign(series.values.size() + 1, 0);
    std::partial_sum(series.values.begin(), series.values.end(), raw_sum_.begin() + 1);
  } else {
    values_ = outliers_replaced(values_, floor_);
    sigma_ = deviation();
  }
  set_trend({});
}

double PreparedSeries::correlation() const {
  const double near = sigma_at(values_, 1);
  if (near <= floor_ || values_.size() < 3) return 0;
  // A first-order autoregressive process has differences over two steps of 1 + c times the variance
  // of those over one.
  const double ratio = sigma_at(values_, 2) / near;
  return std::clamp(ratio * ratio - 1, -1.0, 1.0);
}

void PreparedSeries::assume_correlation(double correlation) {
  const double c = std::min(kMostCorrelated, correlation);
  const double marginal = std::max(sigma_at(values_, 1), floor_) / std::sqrt(1 - c);
  const double sigma = marginal * std::sqrt((1 + c) / (1 - c)) *
                       (1 + kUncertainty / static_cast<double>(values_.size()));
  sigma_ = std::max(sigma_, sigma);
  set_trend({});
}

void PreparedSeries::set_trend(const SeriesTrend& trend) {
  trend_ = trend;
  sum_.assign(values_.size() + 1, 0);
  squares_ = 0;
  const double rise = trend_.rise();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double value = (values_[i] - trend_.at(time(i), rise)) / sigma_;
    sum_[i + 1] = sum_[i] + value;
    squares_ += value * value;
  }
}

double PreparedSeries::time(std::size_t step) const {
  return static_cast<double>(step) /
         static_cast<double>(std::max<std::size_t>(2, values_.size()) - 1);
}

double PreparedSeries::in_unit(double value) const {
  return series_->by_ratio ? std::exp(value) - offset_ : value;
}

double PreparedSeries::level(std::size_t from, std::size_t to) const {
  if (!raw_sum_.empty()) {
    return (raw_sum_[to] - raw_sum_[from]) / static_cast<double>(to - from);
  }
  return in_unit(mean(from, to) * sigma_);
}

double PreparedSeries::level_at(std::size_t from, std::size_t to, std::size_t at) const {
  if (trend_.total == 0) return level(from, to);
  return in_unit(mean(from, to) * sigma_ + trend_.at(time(at)));
}

double PreparedSeries::gain(std::size_t from, std::size_t at, std::size_t to) const {
  const auto left = static_cast<double>(at - from);
  const auto right = static_cast<double>(to - at);
  const double d = mean(from, at) - mean(at, to);
  const double gain = d * d * left * right / (left + right);
  if (gain < 1 || std::abs(level(from, at) - level(at, to)) < series_->least_change) return 0;
  return gain;
}

double PreparedSeries::error(const std::vector<std::size_t>& borders) const {
  double error = squares_;
  std::size_t from = 0;
  for (const std::size_t border : borders) {
    error -= explained(from, border);
    from = border;
  }
  return error - explained(from, size());
}

bool PreparedSeries::may_change(double penalty) const {
  for (std::size_t m = kShortestLevel; 2 * m <= size(); m += std::max<std::size_t>(1, m / 3)) {
    const std::size_t stride = std::max<std::size_t>(1, m / 6);
    for (std::size_t i = m; i + m <= size(); i += stride) {
      const double d = mean(i - m, i) - mean(i, i + m);
      if (d * d * static_cast<double>(m) > penalty * 0.8) return true;  // 2 * (1/2), less a grid
    }
  }
  return false;
}

std::vector<double> PreparedSeries::scaled() {
  floor_ = kLeastSigma * series_->least_change;
  std::vector<double> values = series_->values;
  if (!series_->by_ratio) return values;
  const double usual = std::max(0.0, median(std::vector<double>(values)));
  offset_ = 2 * series_->least_change;
  floor_ = kLeastSigma * series_->least_change / (usual + offset_);
  for (double& v : values) v = std::log(std::max(0.0, v) + offset_);
  return values;
}

/// The noise, larger where it is correlated and where few values leave it uncertain.
double PreparedSeries::deviation() const {
  const double near = sigma_at(values_, 1);
  double far = near;
  for (const std::size_t d : kDistances) {
    if (kFarthest * d <= values_.size()) far = std::max(far, sigma_at(values_, d));
  }
  const double sigma = std::max({near, high_sigma(values_), floor_}) *
                       (1 + kUncertainty / static_cast<double>(values_.size()));
  return std::max(sigma, effective_sigma(std::max(near, floor_), far));
}

}  // namespace slackline
