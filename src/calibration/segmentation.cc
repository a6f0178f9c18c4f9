// Time over message size is a straight line as long as the protocol stays the same, and jumps or
// bends where it changes. How many breakpoints there are, and where, is found at once: among all
// partitions of the n points into lines, the one with the least sum of squared residuals (in units
// of their deviations) plus penalties. The sum over segments makes it a shortest path over the n+1
// places between points, so dynamic programming is exact, and a few hundred points take a
// millisecond or so. Residuals of all lines that begin at one point come from moments that are
// updated point by point (Welford 1962), which loses no digits where sizes span six decades.
//
// The points are medians, so single outliers are gone; what is left is that deviations are
// estimates, too. Their common scale is checked against the scatter between neighbours: the
// residual of each point against the line through its two neighbours (Rice 1984; Gasser, Sroka and
// Jennen-Steinmetz 1986), of which the median absolute deviation does not see a few breakpoints.

#include "calibration/segmentation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "calibration/robust.h"

namespace slackline {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Weighted moments of points that are added one after the other.
class Moments {
 public:
  void add(const WeightedPoint& p) {
    const double w = 1 / (p.deviation * p.deviation);
    weight_ += w;
    const double dx = p.x - mean_x_;
    const double dy = p.y - mean_y_;
    mean_x_ += dx * w / weight_;
    mean_y_ += dy * w / weight_;
    xx_ += w * dx * (p.x - mean_x_);
    xy_ += w * dx * (p.y - mean_y_);
  }
  AffineFunction line() const {
    const double slope = xx_ > 0 ? xy_ / xx_ : 0;
    return {mean_y_ - slope * mean_x_, slope};
  }

 private:
  double weight_ = 0, mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0;
};

/// How much more neighbours scatter than their deviations say; at least 1.
double scale_of_scatter(std::span<const WeightedPoint> points) {
  std::vector<double> residuals;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const WeightedPoint &before = points[i - 1], &p = points[i], &after = points[i + 1];
    if (!(after.x > before.x)) continue;
    const double right = (p.x - before.x) / (after.x - before.x);
    const double left = 1 - right;
    const double spread =
        std::sqrt(p.deviation * p.deviation + std::pow(left * before.deviation, 2) +
                  std::pow(right * after.deviation, 2));
    residuals.push_back(std::abs(p.y - left * before.y - right * after.y) / spread);
  }
  return residuals.empty() ? 1 : std::max(1.0, kDeviationOverMad * sample_median(residuals));
}

std::vector<WeightedPoint> rescaled(std::span<const WeightedPoint> points,
                                    const SegmentationOptions& options) {
  const double scale = scale_of_scatter(points);
  std::vector<WeightedPoint> scaled(points.begin(), points.end());
  for (WeightedPoint& p : scaled) {
    p.deviation = std::hypot(scale * p.deviation, options.relative_tolerance * std::abs(p.y));
    if (!(p.deviation > 0)) p.deviation = std::numeric_limits<double>::min();
  }
  return scaled;
}

/// residuals[end][begin] is what the line through points begin ... end-1 leaves over. All lines
/// that end at one point are updated at once, each as Moments does.
std::vector<std::vector<double>> residuals_of_lines(std::span<const WeightedPoint> points) {
  const std::size_t n = points.size();
  std::vector<double> weight(n), mean_x(n), mean_y(n), xx(n), xy(n), yy(n);
  std::vector<std::vector<double>> residuals(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double>& residual = residuals[i + 1];
    residual.resize(i + 1);
    const double x = points[i].x;
    const double y = points[i].y;
    const double w = 1 / (points[i].deviation * points[i].deviation);
    for (std::size_t begin = 0; begin <= i; ++begin) {
      weight[begin] += w;
      const double share = w / weight[begin];
      const double dx = x - mean_x[begin];
      const double dy = y - mean_y[begin];
      mean_x[begin] += dx * share;
      mean_y[begin] += dy * share;
      xx[begin] += w * dx * (x - mean_x[begin]);
      xy[begin] += w * dx * (y - mean_y[begin]);
      yy[begin] += w * dy * (y - mean_y[begin]);
      const double explained =
          xy[begin] * xy[begin] / std::max(xx[begin], std::numeric_limits<double>::min());
      residual[begin] = std::max(0.0, yy[begin] - explained);
    }
  }
  return residuals;
}

/// Zhang & Siegmund's modified BIC, times two: a segment of n_j points pays log(n_j) for each of
/// the line's two parameters, and 2 log(n) for the place where it begins. The deviations are
/// estimates with heavier tails than the normal distribution's, for which everything counts three
/// quarters more; that keeps invented breakpoints in pure noise below one data set in a hundred.
double penalty_of_segment(std::size_t points, std::size_t all) {
  constexpr double kHeavyTails = 1.75;
  return kHeavyTails * 2 *
         (std::log(static_cast<double>(points)) + std::log(static_cast<double>(all)));
}

/// The best partitions of the first j points into k segments, for all j and k; into `most` of all
/// points only.
class Partitions {
 public:
  Partitions(std::span<const WeightedPoint> points, std::size_t most, std::size_t least_points,
             bool penalised)
      : all_(points.size()),
        least_points_(least_points),
        penalties_(all_ + 1, 0),
        residuals_(residuals_of_lines(points)) {
    for (std::size_t n = 1; penalised && n <= all_; ++n)
      penalties_[n] = penalty_of_segment(n, all_);
    rows_.push_back({std::vector<double>(all_ + 1, kInfinite), {}});
    rows_[0].cost[0] = 0;
    for (std::size_t k = 1; k <= most; ++k) add_row(k == most ? all_ : least_points_);
  }
  double cost(std::size_t segments) const { return rows_[segments].cost[all_]; }
  /// Where the segments begin.
  std::vector<std::size_t> begins(std::size_t segments) const {
    std::vector<std::size_t> begins(segments);
    std::size_t end = all_;
    for (std::size_t k = segments; k > 0; --k) begins[k - 1] = end = rows_[k].begin[end];
    return begins;
  }

 private:
  struct Row {
    std::vector<double> cost;
    std::vector<std::size_t> begin;  // of the last segment
  };
  /// Partitions of the first `end` points, for each end from `first_end` on.
  void add_row(std::size_t first_end) {
    const Row& before = rows_.back();
    Row row{std::vector<double>(all_ + 1, kInfinite), std::vector<std::size_t>(all_ + 1)};
    for (std::size_t end = first_end; end <= all_; ++end) {
      const std::vector<double>& residuals = residuals_[end];
      for (std::size_t begin = 0; begin + least_points_ <= end; ++begin) {
        if (before.cost[begin] == kInfinite) continue;
        const double cost = before.cost[begin] + residuals[begin] + penalties_[end - begin];
        if (cost < row.cost[end]) {
          row.cost[end] = cost;
          row.begin[end] = begin;
        }
      }
    }
    rows_.push_back(std::move(row));
  }

  std::size_t all_;
  std::size_t least_points_;
  std::vector<double> penalties_;  // by number of points
  std::vector<std::vector<double>> residuals_;
  std::vector<Row> rows_;
};

std::vector<LineSegment> segments_at(std::span<const WeightedPoint> points,
                                     const std::vector<std::size_t>& begins) {
  std::vector<LineSegment> segments;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : points.size();
    segments.push_back({begins[i], end, fit_line(points.subspan(begins[i], end - begins[i]))});
  }
  return segments;
}

std::size_t possible(std::size_t points, std::size_t wanted, const SegmentationOptions& options) {
  expects(options.least_points > 0, "segments with points");
  return std::max<std::size_t>(1, std::min(wanted, points / options.least_points));
}

}  // namespace

AffineFunction fit_line(std::span<const WeightedPoint> points) {
  Moments moments;
  for (const WeightedPoint& p : points) moments.add(p);
  return moments.line();
}

std::vector<LineSegment> find_segments(std::span<const WeightedPoint> points,
                                       const SegmentationOptions& options) {
  if (points.empty()) return {};
  const std::vector<WeightedPoint> scaled = rescaled(points, options);
  const std::size_t most = possible(points.size(), options.most_segments, options);
  const std::size_t least = std::min(options.least_points, points.size());
  const Partitions partitions(scaled, most, least, true);
  std::size_t best = 1;
  for (std::size_t k = 2; k <= most; ++k) {
    if (partitions.cost(k) < partitions.cost(best)) best = k;
  }
  return segments_at(scaled, partitions.begins(best));
}

std::vector<LineSegment> split_into(std::span<const WeightedPoint> points, std::size_t count,
                                    const SegmentationOptions& options) {
  if (points.empty()) return {};
  const std::vector<WeightedPoint> scaled = rescaled(points, options);
  const std::size_t segments = possible(points.size(), count, options);
  const std::size_t least = std::min(options.least_points, points.size());
  const Partitions partitions(scaled, segments, least, false);
  return segments_at(scaled, partitions.begins(segments));
}

AffineFunction relative_line(std::vector<WeightedPoint> points) {
  std::erase_if(points, [](const WeightedPoint& p) { return !(p.y > 0); });
  for (WeightedPoint& p : points) p.deviation = p.y;
  return fit_line(points);
}

}  // namespace slackline
