// The region of two parameters: T on its border is the bound, and outside it is more.

#include "timing/tolerance_polygon.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "property/cases.h"

namespace slackline {
namespace {

constexpr std::uint64_t kPrograms = 300;
constexpr Int128 kFine = 1'000'000;

/// T times p.denominator, edge by edge over the whole graph. x is L and y is G or o.
Int128 scaled_makespan(const ExecutionGraph& graph, const LogGPS& model, Parameter y,
                       const PlanePoint& p) {
  const bool gap = y == Parameter::gap_per_byte;
  const Int128 overhead = gap ? model.overhead_fs * p.denominator : p.y;
  const Int128 per_byte = gap ? p.y : model.gap_per_byte_fs * p.denominator;
  std::vector<Int128> time(graph.vertex_count(), 0);
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      const Int128 bytes = e.bytes > 0 ? e.bytes - 1 : 0;
      time[v] =
          std::max(time[v], time[e.from] + Int128{e.nanoseconds} * kFine * p.denominator +
                                e.latencies * p.x + e.overheads * overhead + bytes * per_byte);
    });
  }
  Int128 end = 0;
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    end = std::max(end,
                   time[graph.last_vertex(r)] + Int128{graph.tail_ns(r)} * kFine * p.denominator);
  }
  return end;
}

PlanePoint outwards(const PlanePoint& p) {
  return {p.x + p.x / kFine + (p.x > 0 ? 1 : 0), p.y + p.y / kFine + (p.y > 0 ? 1 : 0),
          p.denominator};
}

TEST(Region, HasTheBoundOnItsBorderAndMoreOutside) {
  std::size_t corners = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const testing::Case c = testing::seeded_case(seed + 30'000, {});
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    const Parameter y = seed % 2 == 0 ? Parameter::gap_per_byte : Parameter::overhead;
    const auto reduced = reduce(graph);
    ASSERT_TRUE(reduced.has_value());
    const HighestPlane highest = highest_plane(*reduced, c.model, Parameter::latency, y);
    const PlanePoint base{c.model.latency_fs, value_fs(c.model, y), 1};
    const Int128 makespan = scaled_makespan(graph, c.model, y, base);
    const Int128 bound = makespan + makespan / 50;
    if (scaled_makespan(graph, c.model, y, {}) >= bound) continue;
    const TolerancePolygon region = tolerance_polygon(highest, bound);
    for (const PlanePoint& p : region.border) {
      ASSERT_EQ(scaled_makespan(graph, c.model, y, p), bound * p.denominator);
      const PlanePoint out = outwards(p);
      ASSERT_GT(scaled_makespan(graph, c.model, y, out), bound * out.denominator);
      ++corners;
    }
    for (std::size_t i = 1; i < region.border.size(); ++i) {
      ASSERT_NE(region.border[i - 1], region.border[i]);
    }

    const LogGPSCost x_cost(c.model, Parameter::latency);
    const LogGPSCost y_cost(c.model, y);
    const TolerancePolygon again = tolerance_polygon(highest_plane(graph, x_cost, y_cost), bound);
    ASSERT_EQ(again.border, region.border);
  }
  EXPECT_GT(corners, 2 * kPrograms);
}

}  // namespace
}  // namespace slackline
