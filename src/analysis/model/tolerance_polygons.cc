#include "analysis/model/tolerance_polygons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/sentences.h"
#include "base/units.h"
#include "timing/network/pair_cost.h"
#include "timing/tolerance_polygon.h"

namespace slackline {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr int kPlanePoints = 60;

double ns(Int128 fs) {
  return static_cast<double>(static_cast<long double>(fs) / kFemtosPerNano);
}

double ns(Int128 numerator, Int128 denominator) {
  return static_cast<double>(static_cast<long double>(numerator) /
                             static_cast<long double>(denominator) / kFemtosPerNano);
}

/// Owns what a HighestPlane refers to.
struct Planes {
  std::optional<ReducedLogGPS> reduced;
  std::shared_ptr<const PairNetwork> network;
  std::optional<PairCost> x_cost, y_cost;
  HighestPlane highest;
};

void fill(Planes& planes, const ExecutionGraph& graph, const ModelChoice& choice,
          const VariedParameter& x, const VariedParameter& y) {
  const bool plain = choice.pairs == nullptr && x.qualifier.empty() && y.qualifier.empty();
  if (plain && x.kind != y.kind) {
    planes.reduced = reduce(graph);
    if (planes.reduced) {
      planes.highest = highest_plane(*planes.reduced, choice.model, x.kind, y.kind);
      return;
    }
  }
  planes.network =
      choice.pairs != nullptr
          ? choice.pairs
          : std::make_shared<const PairNetwork>(uniform_network(choice.model, graph.ranks()));
  const PairNetwork& network = *planes.network;
  planes.x_cost.emplace(graph, choice.model, network, resolve(x, network, choice.model));
  planes.y_cost.emplace(graph, choice.model, network, resolve(y, network, choice.model));
  planes.highest = highest_plane(graph, *planes.x_cost, *planes.y_cost);
}

TolerancePolygons::Row to_row(const TolerancePolygon& polygon, std::int64_t ppm) {
  TolerancePolygons::Row row{.degradation_ppm = ppm,
                             .bound_ns = ns(polygon.bound_fs),
                             .border = {},
                             .sides = {},
                             .x_unlimited = polygon.x_unlimited,
                             .y_unlimited = polygon.y_unlimited};
  for (const PlanePoint& p : polygon.border) {
    row.border.push_back({ns(p.x, p.denominator), ns(p.y, p.denominator)});
  }
  for (const PathPlane& edge : polygon.edges) row.sides.push_back({edge.x_slope, edge.y_slope});
  return row;
}

std::string key(const VariedParameter& parameter) {
  return parameter.name() + (parameter.kind == Parameter::gap_per_byte ? "_ns_per_byte" : "_ns");
}

std::string shown(const VariedParameter& parameter, double value_ns) {
  return format_time_ns(value_ns) + (parameter.kind == Parameter::gap_per_byte ? "/B" : "");
}

using Polygons = TolerancePolygons;

/// Keys are the names of the two parameters.
template <class T>
JsonMap<T> by_parameter(std::string x, T x_value, std::string y, T y_value) {
  JsonMap<T> map;
  map.add(std::move(x), x_value);
  map.add(std::move(y), y_value);
  return map;
}

auto polygon_object(const Polygons& r, const Polygons::Row& row) {
  std::vector<std::string> unlimited;
  if (row.x_unlimited) unlimited.push_back(r.x.name());
  if (row.y_unlimited) unlimited.push_back(r.y.name());
  return Object{"degradation"_key = static_cast<double>(row.degradation_ppm) / 1e6,
                "makespan_ns"_key = row.bound_ns, "unlimited"_key = unlimited,
                "border"_key = list_of(row.border,
                                       [&](const Polygons::Corner& c) {
                                         return by_parameter(key(r.x), c.x_ns, key(r.y), c.y_ns);
                                       }),
                "sides"_key = list_of(row.sides, [&](const Polygons::Side& s) {
                  return by_parameter("lambda_" + r.x.name(), s.x_lambda, "lambda_" + r.y.name(),
                                      s.y_lambda);
                })};
}

auto polygons_object(const Polygons& r) {
  return Object{"parameters"_key = std::array{r.x.name(), r.y.name()},
                "base"_key = by_parameter(key(r.x), r.x_base_ns, key(r.y), r.y_base_ns),
                "base_makespan_ns"_key = r.makespan_ns, "passes"_key = r.passes,
                "regions"_key = list_of(
                    r.rows, [&](const Polygons::Row& row) { return polygon_object(r, row); })};
}

/// The largest y at x; NaN beyond the border.
double border_at(const TolerancePolygons::Row& row, double x) {
  for (std::size_t i = 1; i < row.border.size(); ++i) {
    const TolerancePolygons::Corner& right = row.border[i - 1];
    const TolerancePolygons::Corner& left = row.border[i];
    if (x < left.x_ns || x > right.x_ns) continue;
    if (right.x_ns == left.x_ns) return left.y_ns;
    const double along = (x - left.x_ns) / (right.x_ns - left.x_ns);
    return left.y_ns + along * (right.y_ns - left.y_ns);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// One curve a degradation: y against x, with all corners on the axis.
std::optional<Series> series_of(const TolerancePolygons& r) {
  Series series{.id = "region",
                .title = fmt::format("Maximum {} vs. {}", r.y.name(), r.x.name()),
                .x_name = r.x.name(),
                .x_unit = Unit::ns,
                .x = {},
                .lines = {},
                .zones = {}};
  for (const TolerancePolygons::Row& row : r.rows) {
    if (row.border.size() < 2) continue;
    for (const TolerancePolygons::Corner& c : row.border) series.x.push_back(c.x_ns);
  }
  if (series.x.empty()) return std::nullopt;
  const double end = *std::ranges::max_element(series.x);
  for (int i = 0; i <= kPlanePoints; ++i) series.x.push_back(end * i / kPlanePoints);
  std::ranges::sort(series.x);
  series.x.erase(std::ranges::unique(series.x).begin(), series.x.end());
  for (const TolerancePolygons::Row& row : r.rows) {
    if (row.border.size() < 2) continue;
    Line line{.name = fmt::format("{} slower", percent_of_ppm(row.degradation_ppm)),
              .unit = Unit::ns,
              .y = {},
              .steps = false,
              .panel = 0};
    for (const double x : series.x) line.y.push_back(border_at(row, x));
    series.lines.push_back(std::move(line));
  }
  return series;
}

std::string sentence(const TolerancePolygons& r, const TolerancePolygons::Row& row) {
  const std::string percent = percent_of_ppm(row.degradation_ppm);
  if (row.border.empty()) {
    return fmt::format(
        "No values of {} and {} make the run {} slower: the predicted run time does not depend on "
        "them.",
        r.x.name(), r.y.name(), percent);
  }
  if (row.x_unlimited || row.y_unlimited) {
    const bool x = row.x_unlimited;
    return fmt::format("{} slower: {} up to {}; {} unlimited.", percent, (x ? r.y : r.x).name(),
                       x ? shown(r.y, row.border.back().y_ns) : shown(r.x, row.border[0].x_ns),
                       (x ? r.x : r.y).name());
  }
  return fmt::format("{} slower: {} up to {} if {} is 0, {} up to {} if {} is 0, {} sides between.",
                     percent, r.x.name(), shown(r.x, row.border.front().x_ns), r.y.name(),
                     r.y.name(), shown(r.y, row.border.back().y_ns), r.x.name(), row.sides.size());
}

}  // namespace

TolerancePolygons tolerance_polygons(const ExecutionGraph& graph, const ModelChoice& choice,
                                     const VariedParameter& x, const VariedParameter& y,
                                     const std::vector<std::int64_t>& degradations_ppm) {
  if (x == y) {
    throw usage_error(fmt::format("cannot vary {} twice", x.name()),
                      "two different parameters are needed", "Example: --region L,G.");
  }
  Planes planes;
  fill(planes, graph, choice, x, y);
  TolerancePolygons result;
  result.x = full_parameter(choice, x);
  result.y = full_parameter(choice, y);
  const std::int64_t x_base = base_value_fs(graph, choice, x);
  const std::int64_t y_base = base_value_fs(graph, choice, y);
  result.x_base_ns = ns(x_base);
  result.y_base_ns = ns(y_base);
  const PathPlane today = planes.highest({x_base, y_base, 1});
  const Int128 makespan =
      today.fixed + Int128{today.x_slope} * x_base + Int128{today.y_slope} * y_base;
  result.makespan_ns = ns(makespan);
  for (const std::int64_t ppm : degradations_ppm) {
    // Whole femtoseconds, so that corners are fractions of moderate numbers.
    const Int128 bound = makespan + makespan * ppm / kMillion;
    const TolerancePolygon polygon = tolerance_polygon(planes.highest, bound);
    result.passes += polygon.passes;
    result.rows.push_back(to_row(polygon, ppm));
  }
  return result;
}

const JsonType& declared_type(const TolerancePolygonsJsonTag*) {
  return json_type_by<polygons_object>();
}

Described<TolerancePolygonsJson> describe(const TolerancePolygons& r) {
  Described<TolerancePolygonsJson> report{polygons_object(r)};
  Section section{.id = "region", .title = "Tolerance polygon"};
  Table table{.id = "region",
              .title = "Corners of the tolerance polygons",
              .columns = {{"slower by", Unit::ratio},
                          {r.x.name(), Unit::ns},
                          {r.y.name() + (r.y.kind == Parameter::gap_per_byte ? " (ns/B)" : ""),
                           r.y.kind == Parameter::gap_per_byte ? Unit::none : Unit::ns},
                          {"lambda_" + r.x.name(), Unit::count,
                           "of the critical path on the following side"},
                          {"lambda_" + r.y.name(), Unit::count}},
              .rows = {}};
  for (const TolerancePolygons::Row& row : r.rows) {
    section.items.emplace_back(Paragraph{sentence(r, row)});
    for (std::size_t i = 0; i < row.border.size(); ++i) {
      const bool side = i < row.sides.size();
      const Value none = std::string("-");
      table.rows.push_back({static_cast<double>(row.degradation_ppm) / 1e6, row.border[i].x_ns,
                            row.border[i].y_ns, side ? Value(row.sides[i].x_lambda) : none,
                            side ? Value(row.sides[i].y_lambda) : none});
    }
  }
  if (auto series = series_of(r)) section.items.emplace_back(std::move(*series));
  if (!table.rows.empty()) section.items.emplace_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
