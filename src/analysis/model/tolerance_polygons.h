#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/model_choice.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

/// The values of two parameters at which the run is no more than that much slower: a polygon for
/// each degradation. Values in nanoseconds (of G: ns per byte).
struct TolerancePolygons {
  struct Corner {
    double x_ns;
    double y_ns;
  };
  /// What the longest path pays along a side of the polygon.
  struct Side {
    std::int64_t x_lambda;
    std::int64_t y_lambda;
  };
  struct Row {
    std::int64_t degradation_ppm;
    double bound_ns;
    /// From the largest x (y = 0) to the largest y (x = 0); sides[i] follows border[i].
    std::vector<Corner> border;
    std::vector<Side> sides;
    bool x_unlimited;
    bool y_unlimited;
  };

  VariedParameter x;
  VariedParameter y;
  double x_base_ns = 0;
  double y_base_ns = 0;
  double makespan_ns = 0;
  std::vector<Row> rows;
  std::uint64_t passes = 0;
};

/// Exact polygons. Throws usage Error when x and y are or contain the same parameter.
TolerancePolygons tolerance_polygons(const ExecutionGraph& graph, const ModelChoice& choice,
                                     const VariedParameter& x, const VariedParameter& y,
                                     const std::vector<std::int64_t>& degradations_ppm);

using TolerancePolygonsJson = JsonOf<struct TolerancePolygonsJsonTag>;
const JsonType& declared_type(const TolerancePolygonsJsonTag*);
/// Result with all corners, a sentence for each degradation and a plot.
Described<TolerancePolygonsJson> describe(const TolerancePolygons& polygons);

}  // namespace slackline
