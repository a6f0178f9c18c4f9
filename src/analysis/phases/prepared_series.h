#pragma once

#include <cstddef>
#include <vector>

#include "analysis/phases/level_changes.h"

namespace slackline {

/// A steady growth (or decline) over all steps of a series, on a logarithmic scale: 0 at the first
/// step, `total` at the last one.
struct SeriesTrend {
  double total = 0;
  /// Power of the value that grows linearly: 1 linear growth, 2 as the square root; 0 exponential.
  double power = 0;

  /// How much the value that grows linearly does so, over its first one.
  double rise() const;
  /// For t from 0, the first step, to 1, the last one; `rise` is rise().
  double at(double t, double rise) const;
  double at(double t) const { return at(t, rise()); }
};

/// The trend that leaves the least squared error beside levels between the borders (ascending).
/// `powers` are tried. O(powers * steps).
SeriesTrend fit_trend(const std::vector<double>& values, const std::vector<std::size_t>& borders,
                      const std::vector<double>& powers);

/// Values farther than three deviations of the noise from the median of those around them become
/// that median.
/// O(values).
std::vector<double> without_outliers(const std::vector<double>& values);

/// A series made ready for segmentation: outliers replaced, ratios as differences, in units of the
/// noise, less a trend that can be set.
class PreparedSeries {
 public:
  /// `series` must outlive it.
  PreparedSeries(const StepSeries& series, std::size_t index);

  std::size_t index() const { return index_; }
  std::size_t size() const { return values_.size(); }
  /// Without outliers, on the scale on which they are compared.
  const std::vector<double>& values() const { return values_; }
  const SeriesTrend& trend() const { return trend_; }
  void set_trend(const SeriesTrend& trend);
  bool by_ratio() const { return series_->by_ratio; }
  bool bursty() const { return series_->bursty; }
  double least_change() const { return series_->least_change; }

  /// What the noise of neighbouring steps has in common, as this series shows it: from -1 to 1.
  double correlation() const;
  /// Steps are worth fewer where noise is correlated as much. Before a trend is set.
  void assume_correlation(double correlation);

  double mean(std::size_t from, std::size_t to) const {
    return (sum_[to] - sum_[from]) / static_cast<double>(to - from);
  }
  /// In the series' unit, as it would be at the first step.
  double level(std::size_t from, std::size_t to) const;
  /// The level at step `at`, trend included.
  double level_at(std::size_t from, std::size_t to, std::size_t at) const;
  /// What a change at `at` takes from the squared error of [from, to); 0 where it is too small to
  /// matter.
  double gain(std::size_t from, std::size_t at, std::size_t to) const;
  /// Minus the squared error of a level, but for a constant.
  double explained(std::size_t from, std::size_t to) const {
    const double s = sum_[to] - sum_[from];
    return s * s / static_cast<double>(to - from);
  }
  /// The squared error of levels between these borders.
  double error(const std::vector<std::size_t>& borders) const;
  /// May there be a change with that gain?
  bool may_change(double penalty) const;

 private:
  std::vector<double> scaled();
  double deviation() const;
  double in_unit(double value) const;
  double time(std::size_t step) const;

  const StepSeries* series_;
  std::size_t index_;
  std::vector<double> values_;
  SeriesTrend trend_{};
  std::vector<double> sum_;        // of values less the trend, in units of sigma_
  std::vector<double> raw_sum_{};  // of the values as they were, of a bursty series
  double squares_ = 0;             // their sum
  double sigma_ = 1;
  double floor_ = 0;
  double offset_ = 0;
};

/// The borders of the levels that explain a series best, with a trend where that explains more for
/// its price, which is then the series'. A change costs `penalty`. O(steps * log steps), and for
/// series with changes up to O(min(steps, 2048)^2).
std::vector<std::size_t> fit_levels(PreparedSeries& series, double penalty);

/// Steps that are segmented; more are averaged.
inline constexpr std::size_t kMostSteps = 2048;

}  // namespace slackline
