#include "calibration/calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/units.h"

namespace slackline {
namespace {

constexpr FindingKind kPredictionOff{
    "prediction_misses_measurement", Severity::notice,
    "Predicted run times that differ from the measured ones by more than 5 % and by more than "
    "repeated runs scatter: predictions of this program on this machine are not reliable to that "
    "extent."};

constexpr FindingKind kDisturbedRuns{"disturbed_runs", Severity::notice,
                                     "Runs that other processes disturbed, at latencies at which "
                                     "no run was undisturbed: errors of the "
                                     "prediction there are not attributable to the model."};

constexpr double kSmallResidual = 0.0005;  // of the run; operations below it are left out

/// A point and what it is made of.
struct PointOf {
  const ValidatedPoint& point;
  const ValidationPoint& samples;
};

std::vector<PointOf> with_samples(const Validation& v, const ValidationSamples& samples) {
  std::vector<PointOf> points;
  for (std::size_t i = 0; i < v.points.size(); ++i) {
    points.push_back({v.points[i], samples.points[i]});
  }
  return points;
}

const Rows<PointOf> kPoints{
    "points",
    "Measured and predicted run time (medians, 95 % intervals)",
    {{"latency_ns", "added latency", Unit::ns, [](auto& p) { return p.point.added_ns; }},
     {kShown, "runs", Unit::count, [](auto& p) { return p.samples.measured_ns.size(); }},
     {"measured_ns", [](auto& p) -> auto& { return p.samples.measured_ns; }},
     {kShown, "measured", Unit::ns, [](auto& p) { return p.point.measured_ns.value; }},
     {kShown, "from", Unit::ns, [](auto& p) { return p.point.measured_ns.low; }},
     {kShown, "to", Unit::ns, [](auto& p) { return p.point.measured_ns.high; }},
     {"predicted_ns", "predicted", Unit::ns, [](auto& p) { return p.point.predicted_ns.value; }},
     {"measured", [](auto& p) -> auto& { return p.point.measured_ns; }, kEstimateRows},
     {"predicted", [](auto& p) -> auto& { return p.point.predicted_ns; }, kEstimateRows},
     {"error", [](auto& p) -> auto& { return p.point.error; }, kEstimateRows},
     {kShown, "error", Unit::ratio, [](auto& p) { return p.point.error.value; },
      "predicted over measured, less 1"},
     {"agrees", [](auto& p) { return p.point.agrees(); }}}};

template <double Estimate::*part>
std::optional<double> predicted_part(const ValidatedTolerance& t) {
  return optional_of(t.predicted_ns, [](const Estimate& e) { return e.*part; });
}
template <double Estimate::*part>
std::optional<double> measured_part(const ValidatedTolerance& t) {
  return optional_of(t.measured_ns, [](const Estimate& e) { return e.*part; });
}
Value value_or(const std::optional<Estimate>& e, const char* none) {
  return e ? Value(e->value) : Value(std::string(none));
}

const Rows<ValidatedTolerance> kToleranceFound{
    "tolerance",
    "Latency tolerance: added latency at which the run is slower",
    {{"degradation", "slower by", Unit::ratio, &ValidatedTolerance::degradation},
     {"predicted_ns", predicted_part<&Estimate::value>},
     {"predicted_low_ns", predicted_part<&Estimate::low>},
     {"predicted_high_ns", predicted_part<&Estimate::high>},
     {kShown, "predicted", Unit::ns, [](auto& t) { return value_or(t.predicted_ns, "unlimited"); }},
     {"measured_ns", measured_part<&Estimate::value>},
     {kShown, "measured", Unit::ns,
      [](auto& t) { return value_or(t.measured_ns, "beyond the range"); }},
     {"measured_low_ns", "measured from", Unit::ns, measured_part<&Estimate::low>},
     {"measured_high_ns", "measured to", Unit::ns, measured_part<&Estimate::high>}}};

auto operation_object(double added_ns, const OperationTime& o) {
  return Object{"latency_ns"_key = added_ns, "operation"_key = o.name,
                "measured_ns"_key = o.measured_ns, "predicted_ns"_key = o.predicted_ns};
}

auto operation_objects(const ValidationSamples& samples) {
  std::vector<ReturnedBy<operation_object>> operations;
  for (const ValidationPoint& p : samples.points) {
    for (const OperationTime& o : p.operations) {
      operations.push_back(operation_object(p.added_ns, o));
    }
  }
  return operations;
}

auto validation_object(const Validation& v, const ValidationSamples& samples) {
  return Object{"points"_key = list_of(with_samples(v, samples), kJsonBy<kPoints>),
                "rrmse"_key = v.rrmse.value,
                "rrmse_interval"_key = JsonBy<kEstimateRows>(v.rrmse),
                "relative_rrmse"_key = JsonBy<kEstimateRows>(v.relative_rrmse),
                "bias"_key = JsonBy<kEstimateRows>(v.bias),
                "tolerance"_key = list_of(v.tolerances, kJsonBy<kToleranceFound>),
                "operations"_key = operation_objects(samples),
                "disturbed_runs"_key = samples.runs.disturbed,
                "left_out_runs"_key = samples.runs.left_out};
}

Facts summary(const Validation& v) {
  const auto interval = [](const Estimate& e, const char* what) {
    return fmt::format("{}; 95 % interval {} to {}", what, format_percent(e.low, 2),
                       format_percent(e.high, 2));
  };
  return {{{"RRMSE", v.rrmse.value, Unit::ratio,
            interval(v.rrmse, "root of the mean squared relative error of the points")},
           {"bias", v.bias.value, Unit::ratio,
            interval(v.bias, "mean relative error; positive: predicted too slow")},
           {"RRMSE of T(dL)/T(0)", v.relative_rrmse.value, Unit::ratio,
            interval(v.relative_rrmse, "the effect of latency alone, relative to the base case")}}};
}

double residual_of(const OperationTime& o) {
  return o.predicted_ns - o.measured_ns;
}

/// Where the time of an operation is not what the model says, at the largest latency.
Table residual_table(const ValidationSamples& samples) {
  const ValidationPoint& base = samples.points.front();
  const ValidationPoint& last = samples.points.back();
  const double run = sample_median(last.measured_ns);
  std::map<std::string, double> base_residuals;
  for (const OperationTime& o : base.operations) {
    base_residuals[o.name] = residual_of(o);
  }
  Table table{.id = "residuals",
              .title = fmt::format("Residuals by operation at {} (time per rank)",
                                   format_time_ns(last.added_ns)),
              .columns = {{"operation"},
                          {"measured", Unit::ns},
                          {"predicted", Unit::ns},
                          {"residual", Unit::ns, "predicted less measured"},
                          {"of the run", Unit::ratio},
                          {"residual without added latency", Unit::ns}},
              .rows = {}};
  std::vector<OperationTime> operations = last.operations;
  std::ranges::stable_sort(operations, std::greater{},
                           [&](const OperationTime& o) { return std::abs(residual_of(o)); });
  for (const OperationTime& o : operations) {
    if (std::abs(residual_of(o)) < kSmallResidual * run && o.measured_ns < kSmallResidual * run) {
      continue;
    }
    table.rows.push_back(
        {o.name, o.measured_ns, o.predicted_ns, residual_of(o), residual_of(o) / run,
         base_residuals.contains(o.name) ? Value(base_residuals[o.name]) : Value()});
  }
  return table;
}

std::vector<Zone> zones_of(const Validation& v) {
  std::vector<Zone> zones;
  double from = 0;
  for (const ValidatedTolerance& t : v.tolerances) {
    if (!t.predicted_ns) break;
    zones.push_back({format_percent(t.degradation, 0), from, t.predicted_ns->value});
    from = t.predicted_ns->value;
  }
  return zones;
}

/// The curve and the points over one x axis.
Series figure(const Validation& v, const ValidationSamples& samples, const PredictedCurve& curve) {
  constexpr double kHole = std::numeric_limits<double>::quiet_NaN();
  Series series{.id = "validation",
                .title = "Measured and predicted run time vs. added latency",
                .x_name = "added latency",
                .x_unit = Unit::ns,
                .x = curve.added_ns,
                .lines = {},
                .zones = zones_of(v)};
  for (const ValidatedPoint& p : v.points) series.x.push_back(p.added_ns);
  std::ranges::sort(series.x);
  series.x.erase(std::ranges::unique(series.x).begin(), series.x.end());
  Line predicted{.name = "predicted", .unit = Unit::ns, .y = {}};
  std::size_t runs = 0;
  for (const ValidationPoint& p : samples.points) runs = std::max(runs, p.measured_ns.size());
  std::vector<Line> measured(runs);
  for (std::size_t r = 0; r < runs; ++r) {
    measured[r] = {.name = fmt::format("run {}", r + 1), .unit = Unit::ns, .y = {}, .points = true};
  }
  for (const double x : series.x) {
    const auto on_curve = std::ranges::find(curve.added_ns, x);
    const auto at = static_cast<std::size_t>(on_curve - curve.added_ns.begin());
    predicted.y.push_back(on_curve == curve.added_ns.end() ? kHole : curve.makespan_ns[at]);
    const auto point = std::ranges::find(samples.points, x, &ValidationPoint::added_ns);
    for (std::size_t r = 0; r < runs; ++r) {
      const bool known = point != samples.points.end() && r < point->measured_ns.size();
      measured[r].y.push_back(known ? point->measured_ns[r] : kHole);
    }
  }
  series.lines.push_back(std::move(predicted));
  for (Line& line : measured) series.lines.push_back(std::move(line));
  return series;
}

/// "; largest residual per rank: computation, -11.20 ms" where operations are known.
std::string largest_residual(const ValidationPoint& p) {
  const auto largest = std::ranges::max_element(
      p.operations, {}, [](const OperationTime& o) { return std::abs(residual_of(o)); });
  if (largest == p.operations.end()) return {};
  return fmt::format("; largest residual per rank: {}, {}", largest->name,
                     format_time_ns(residual_of(*largest)));
}

Findings misses(const Validation& v, const ValidationSamples& samples) {
  Findings findings;
  for (std::size_t i = 0; i < v.points.size(); ++i) {
    const ValidatedPoint& p = v.points[i];
    if (p.agrees()) continue;
    findings.add(kPredictionOff,
                 fmt::format("{} added latency: predicted {}, measured {}, error {} (95 % interval "
                             "{} to {}){}",
                             format_time_ns(p.added_ns), format_time_ns(p.predicted_ns.value),
                             format_time_ns(p.measured_ns.value), format_percent(p.error.value, 1),
                             format_percent(p.error.low, 1), format_percent(p.error.high, 1),
                             largest_residual(samples.points[i])));
  }
  if (samples.runs.disturbed > samples.runs.left_out) {
    findings.add(kDisturbedRuns, {}, samples.runs.disturbed - samples.runs.left_out);
  }
  return findings;
}

}  // namespace

const JsonType& declared_type(const ValidationJsonTag*) {
  return json_type_by<validation_object>();
}

Described<ValidationJson> describe(const Validation& v, const ValidationSamples& samples,
                                   const PredictedCurve& curve) {
  Described<ValidationJson> report{validation_object(v, samples)};
  report.findings = misses(v, samples);
  Section points{.id = "validation", .title = "Prediction against measurement", .items = {}};
  const std::string caution =
      disturbance_sentence(samples.runs, "the error is not attributable to the model");
  if (!caution.empty()) points.items.emplace_back(Paragraph{caution});
  points.items.insert(points.items.end(), {summary(v), kPoints.table(with_samples(v, samples)),
                                           figure(v, samples, curve)});
  report.sections.push_back(std::move(points));
  report.sections.push_back({.id = "tolerance",
                             .title = "Latency tolerance",
                             .items = {kToleranceFound.table(v.tolerances)}});
  report.sections.push_back({.id = "residuals",
                             .title = "Where model and run differ",
                             .items = {residual_table(samples)}});
  return report;
}

}  // namespace slackline
