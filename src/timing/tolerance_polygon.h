#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "timing/cost/ticks.h"
#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// The cost of one path over two parameters x and y, in femtoseconds: fixed + x_slope * x + y_slope
/// * y.
struct PathPlane {
  Int128 fixed = 0;
  std::int64_t x_slope = 0;
  std::int64_t y_slope = 0;

  bool operator==(const PathPlane&) const = default;
};

/// Values of the two parameters: x / denominator and y / denominator femtoseconds. Exact.
struct PlanePoint {
  Int128 x = 0;
  Int128 y = 0;
  Int128 denominator = 1;

  bool operator==(const PlanePoint&) const = default;
};

/// A longest path at a point.
using HighestPlane = std::function<PathPlane(const PlanePoint&)>;

/// T over two parameters of LogGPS by passes over a reduction, which must live on. Two different
/// ones of L, o, G; the third has its value of `model`.
HighestPlane highest_plane(const ReducedLogGPS& reduced, const LogGPS& model, Parameter x,
                           Parameter y);
/// The same for any two costs of one model, by passes over the whole graph. All must live on.
/// Throws usage Error when an edge pays x and y as the same thing (a class and all classes).
HighestPlane highest_plane(const ExecutionGraph& graph, const LinearCost& x, const LinearCost& y);

/// All (x, y) >= 0 with T <= bound: a convex polygon that begins at the origin.
struct TolerancePolygon {
  /// The border from the largest x with y = 0 to the largest y with x = 0. Where a parameter is
  /// unlimited its end of the border is not there.
  std::vector<PlanePoint> border;
  /// The path that is as long as the bound between border[i] and border[i + 1].
  std::vector<PathPlane> edges;
  bool x_unlimited = false;
  bool y_unlimited = false;
  Int128 bound_fs = 0;
  std::uint64_t passes = 0;
};

/// The polygon with all vertices exact. About two passes a vertex. Throws usage Error if T(0, 0) is
/// not below the bound.
TolerancePolygon tolerance_polygon(const HighestPlane& highest, Int128 bound_fs);

}  // namespace slackline
