#pragma once

#include <cstddef>
#include <vector>

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

}  // namespace slackline
