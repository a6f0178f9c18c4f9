#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace slackline {

/// A measured point and the standard deviation of its y.
struct WeightedPoint {
  double x = 0;
  double y = 0;
  double deviation = 1;
};

/// y = offset + slope * x.
struct AffineFunction {
  double offset = 0;
  double slope = 0;

  double at(double x) const { return offset + slope * x; }
};

/// A line through points first ... end-1.
struct LineSegment {
  std::size_t first = 0;
  std::size_t end = 0;
  AffineFunction line{};
};

struct SegmentationOptions {
  std::size_t least_points = 5;  ///< of a segment
  std::size_t most_segments = 12;
  /// Lack of fit that is not worth a breakpoint, relative to y: no transport is exactly a line.
  double relative_tolerance = 0.005;
};

/// The weighted least-squares line. O(n). A single x gives slope 0.
AffineFunction fit_line(std::span<const WeightedPoint> points);
/// The line with the least relative error: a point's weight does not depend on its size. O(n).
AffineFunction relative_line(std::vector<WeightedPoint> points);

/// The partition of points, ascending in x, into lines (not joined at their ends) that minimises
/// the weighted squares of the residuals plus a penalty for each segment. Exact: dynamic
/// programming over all partitions, O(k n^2) for at most k segments. Source: Bellman 1961; the
/// penalty is the modified BIC of Zhang & Siegmund 2007 for lines; see penalty_of_segment() in
/// segmentation.cc. The deviations are scaled up where neighbouring points scatter more than they
/// say (Rice 1984).
std::vector<LineSegment> find_segments(std::span<const WeightedPoint> points,
                                       const SegmentationOptions& options);

/// The best partition into exactly `count` segments; fewer where there are not enough points.
std::vector<LineSegment> split_into(std::span<const WeightedPoint> points, std::size_t count,
                                    const SegmentationOptions& options);

}  // namespace slackline
