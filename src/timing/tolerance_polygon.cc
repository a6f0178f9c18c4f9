// The polygon {T(x, y) <= B} of a convex function, by supporting lines.
//
// T is the maximum of planes, one a path. Each plane that is known bounds the region from outside:
// its trace at height B is a line beyond which T is too large. So keep a polygon that contains the
// region, at first a box that nothing inside could leave, and ask for T at one of its corners: if T
// <= B there, the corner belongs to the region; if not, the highest plane there cuts the corner
// off. When all corners belong to the region, so does all of the polygon, by convexity, and the two
// are the same. There are finitely many planes and each cuts once. This is the plane form of
// Newton's iteration in tolerance.cc, and as there nothing is rounded: corners are intersections of
// two lines with integer coefficients, and T is compared at rational points.
//
// Sizes: with T of an hour (4e18 fs), 1e6 messages and 1e10 bytes on a path, products stay below
// 1e36.

#include "timing/tolerance_polygon.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

/// a x + b y <= c.
struct HalfPlane {
  Int128 a;
  Int128 b;
  Int128 c;
  PathPlane path;  // of bounds by a path
};

Int128 gcd(Int128 a, Int128 b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

PlanePoint corner(const HalfPlane& h, const HalfPlane& k) {
  PlanePoint p{h.c * k.b - k.c * h.b, h.a * k.c - k.a * h.c, h.a * k.b - k.a * h.b};
  ensures(p.denominator != 0, "neighbouring sides of a polygon cross");
  Int128 divisor = gcd(gcd(p.x, p.y), p.denominator);
  if (p.denominator < 0) divisor = -divisor;
  return {p.x / divisor, p.y / divisor, p.denominator / divisor};
}

/// A convex polygon: sides counter-clockwise, side i ends in corner i.
class Polygon {
 public:
  explicit Polygon(Int128 size) {
    sides_ = {{0, -1, 0, {}}, {1, 0, size, {}}, {0, 1, size, {}}, {-1, 0, 0, {}}};
    for (std::size_t i = 0; i < sides_.size(); ++i) corners_.push_back({at(i), false});
  }

  struct Corner {
    PlanePoint point;
    bool verified;
  };
  std::vector<Corner>& corners() { return corners_; }
  const std::vector<HalfPlane>& sides() const { return sides_; }

  /// Takes away what lies beyond `h`, which one corner does.
  void cut(const HalfPlane& h) {
    const std::size_t n = sides_.size();
    const auto beyond = [&](std::size_t i) {
      const PlanePoint& p = corners_[i % n].point;
      return h.a * p.x + h.b * p.y >= h.c * p.denominator;
    };
    std::size_t first = 0;  // of the corners beyond, which are neighbours
    while (!beyond(first) || beyond(first + n - 1)) ++first;
    std::vector<HalfPlane> sides;
    std::vector<Corner> corners;
    std::size_t i = first;
    while (beyond(i)) ++i;
    for (; i < first + n; ++i) {
      sides.push_back(sides_[i % n]);
      corners.push_back(corners_[i % n]);
    }
    // The side that ends in the first corner beyond now ends at the cut.
    sides.push_back(sides_[first]);
    corners.push_back({});
    sides.push_back(h);
    corners.push_back({});
    sides_ = std::move(sides);
    corners_ = std::move(corners);
    corners_[sides_.size() - 2] = {at(sides_.size() - 2), false};
    corners_[sides_.size() - 1] = {at(sides_.size() - 1), false};
  }

 private:
  PlanePoint at(std::size_t i) const { return corner(sides_[i], sides_[(i + 1) % sides_.size()]); }

  std::vector<HalfPlane> sides_;
  std::vector<Corner> corners_;
};

/// Value and slopes of the longest path to a point in the graph.
struct ReachedPlane {
  Int128 scaled = -1;
  std::int64_t x = 0;
  std::int64_t y = 0;
};

PathPlane plane_of(const ReachedPlane& end, const PlanePoint& p) {
  return {(end.scaled - end.x * p.x - end.y * p.y) / p.denominator, end.x, end.y};
}

void take_longer(ReachedPlane& best, const ReachedPlane& from, Int128 cost, std::int64_t x,
                 std::int64_t y) {
  const Int128 scaled = from.scaled + cost;
  if (scaled > best.scaled) best = {scaled, from.x + x, from.y + y};
}

std::int64_t form_multiples(const LogGPSForm& f, Parameter parameter) {
  if (parameter == Parameter::latency) return f.latencies;
  return parameter == Parameter::overhead ? f.overheads : f.bytes;
}

/// What an edge costs over both parameters.
struct PlaneTerm {
  Int128 fixed_fs;
  std::int64_t x;
  std::int64_t y;
};

PlaneTerm plane_term(const LinearCost& x_cost, const LinearCost& y_cost, const Edge& e,
                     std::int32_t from, std::int32_t to) {
  const LinearTerm x = x_cost.term(e, from, to);
  const LinearTerm y = y_cost.term(e, from, to);
  const Int128 fixed = x.fixed_ticks * x_cost.tick_fs() - y.multiples * Int128{y_cost.base_fs()};
  if (fixed != y.fixed_ticks * y_cost.tick_fs() - x.multiples * Int128{x_cost.base_fs()}) {
    throw usage_error("the two parameters overlap", "both apply to the same messages",
                      "Choose two without messages in common.");
  }
  return {fixed, x.multiples, y.multiples};
}

/// Sides of the polygon from the x axis round to the y axis.
TolerancePolygon to_region(Polygon& polygon, Int128 bound_fs) {
  const std::vector<HalfPlane>& sides = polygon.sides();
  const std::size_t n = sides.size();
  TolerancePolygon region;
  region.bound_fs = bound_fs;
  std::size_t axis = 0;  // y >= 0
  while (sides[axis].b != -1) ++axis;
  for (std::size_t i = axis; i < axis + n; ++i) {
    const HalfPlane& side = sides[i % n];
    const HalfPlane& next = sides[(i + 1) % n];
    const bool box = side.path == PathPlane{} && side.c != 0;
    const bool next_box = next.path == PathPlane{} && next.c != 0;
    if (box && side.a > 0) region.x_unlimited = true;
    if (box && side.b > 0) region.y_unlimited = true;
    if (side.c == 0 && side.a == -1) break;
    if (!box && !next_box) region.border.push_back(polygon.corners()[i % n].point);
    if (!box && side.b != -1) region.edges.push_back(side.path);
  }
  return region;
}

}  // namespace

HighestPlane highest_plane(const ReducedLogGPS& reduced, const LogGPS& model, Parameter x,
                           Parameter y) {
  expects(x != y, "two parameters");
  LogGPS rest = model;
  for (const Parameter p : {x, y}) {
    if (p == Parameter::latency) rest.latency_fs = 0;
    if (p == Parameter::overhead) rest.overhead_fs = 0;
    if (p == Parameter::gap_per_byte) rest.gap_per_byte_fs = 0;
  }
  return [&reduced, rest, x, y](const PlanePoint& p) {
    std::vector<ReachedPlane> state(reduced.slots);
    state[0] = {0, 0, 0};
    std::size_t edge = 0;
    for (const auto& node : reduced.nodes) {
      ReachedPlane best;
      for (const std::size_t end = edge + node.edges; edge < end; ++edge) {
        const LogGPSForm f = reduced.form(edge);
        const std::int64_t x_multiples = form_multiples(f, x);
        const std::int64_t y_multiples = form_multiples(f, y);
        const Int128 fixed =
            Int128{f.nanoseconds} * kFemtosPerNano + Int128{f.latencies} * rest.latency_fs +
            Int128{f.overheads} * rest.overhead_fs + Int128{f.bytes} * rest.gap_per_byte_fs;
        take_longer(best, state[reduced.edges[edge].source],
                    fixed * p.denominator + x_multiples * p.x + y_multiples * p.y, x_multiples,
                    y_multiples);
      }
      state[node.target] = best;
    }
    return plane_of(state[reduced.nodes.back().target], p);
  };
}

HighestPlane highest_plane(const ExecutionGraph& graph, const LinearCost& x, const LinearCost& y) {
  const auto ranks = std::make_shared<const std::vector<std::int32_t>>(vertex_ranks(graph));
  return [&graph, &x, &y, ranks](const PlanePoint& p) {
    std::vector<ReachedPlane> state(graph.vertex_count());
    const auto vertices = static_cast<VertexId>(graph.vertex_count());
    const auto follow = [&](ReachedPlane& best, const Edge& e, std::int32_t to) {
      const PlaneTerm t = plane_term(x, y, e, (*ranks)[e.from], to);
      take_longer(best, state[e.from], t.fixed_fs * p.denominator + t.x * p.x + t.y * p.y, t.x,
                  t.y);
    };
    for (VertexId v = 0; v < vertices; ++v) {
      if (graph.in_degree(v) == 0) state[v] = {0, 0, 0};
      graph.for_in_edges(v, [&](const Edge& e) { follow(state[v], e, (*ranks)[v]); });
    }
    ReachedPlane end;
    for (std::int32_t r = 0; r < graph.ranks(); ++r) follow(end, graph.tail(r), r);
    return plane_of(end, p);
  };
}

TolerancePolygon tolerance_polygon(const HighestPlane& highest, Int128 bound_fs) {
  if (highest({0, 0, 1}).fixed >= bound_fs) {
    throw usage_error("no tolerance polygon exists", "the run takes longer even if both are zero",
                      "Allow a larger degradation.");
  }
  // Whoever pays a parameter at all is over the bound when it alone is over it.
  Polygon polygon(bound_fs + 1);
  std::uint64_t passes = 1;
  for (;;) {
    const auto open = std::ranges::find(polygon.corners(), false, &Polygon::Corner::verified);
    if (open == polygon.corners().end()) break;
    const PlanePoint& p = open->point;
    const PathPlane plane = highest(p);
    ++passes;
    const HalfPlane h{plane.x_slope, plane.y_slope, bound_fs - plane.fixed, plane};
    if (h.a * p.x + h.b * p.y <= h.c * p.denominator) {
      open->verified = true;
    } else {
      polygon.cut(h);
    }
  }
  TolerancePolygon region = to_region(polygon, bound_fs);
  region.passes = passes;
  return region;
}

}  // namespace slackline
