// How sure a tolerance is.
//
// From several runs: their tolerances are a sample, and the interval is Student's t for the mean.
//
// From one run: the bootstrap over its computation (resampled_computation.h). The interval is that
// of the 2.5th to the 97.5th percentile. It knows nothing of what one run cannot show: other nodes,
// other days.

#include "analysis/model/uncertainty.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "analysis/model/interval.h"
#include "analysis/model/resampled_computation.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

std::optional<double> limited(double value) {
  return std::isinf(value) ? std::nullopt : std::optional(value);
}

ToleranceIntervals::Row interval_of_means(std::int64_t ppm, const std::vector<double>& values) {
  const Interval mean = interval_of_mean(values);
  if (std::isinf(mean.middle)) return {ppm, std::nullopt, std::nullopt, std::nullopt};
  return {ppm, mean.low, mean.middle, mean.high};
}

double value_or_unlimited(const std::optional<double>& value) {
  return value.value_or(kUnlimited);
}

auto tolerance_interval_object(const ToleranceIntervals::Row& row, IntervalMethod method) {
  return Object{"degradation"_key = static_cast<double>(row.degradation_ppm) / 1e6,
                "low_ns"_key = row.low_ns,
                "median_ns"_key.when(method == IntervalMethod::bootstrap, row.middle_ns),
                "mean_ns"_key.when(method == IntervalMethod::runs, row.middle_ns),
                "predicted_ns"_key.when(method == IntervalMethod::calibration, row.middle_ns),
                "high_ns"_key = row.high_ns};
}

auto tolerance_intervals_object(const ToleranceIntervals& intervals) {
  return Object{
      "method"_key = words_of(intervals.method, intervals.samples).name,
      "samples"_key.when(intervals.samples > 0, intervals.samples), "confidence"_key = 0.95,
      "rows"_key = list_of(intervals.rows,
                           [&](const ToleranceIntervals::Row& row) {
                             return tolerance_interval_object(row, intervals.method);
                           }),
      "tolerances_ns"_key.when(intervals.method == IntervalMethod::runs, intervals.of_traces)};
}

}  // namespace

ToleranceIntervals bootstrap_tolerances(const Trace& trace, const ExecutionGraph& graph,
                                        const ModelChoice& choice, const VariedParameter& parameter,
                                        const std::vector<std::int64_t>& degradations_ppm,
                                        std::size_t replicates, std::uint64_t seed) {
  const ResampledComputation computation(trace, graph);
  std::vector<std::vector<double>> values(degradations_ppm.size(), std::vector<double>(replicates));
  with_cost(graph, choice, parameter, [&](const LinearCost& cost) {
    parallel_for(replicates, [&](std::size_t replicate) {
      const std::vector<std::int64_t> drawn = computation.draw(seed, replicate);
      MakespanFunction makespan(graph, ResampledCost(cost, computation.own(), drawn));
      for (std::size_t d = 0; d < degradations_ppm.size(); ++d) {
        const Tolerance t = find_tolerance(makespan, degradations_ppm[d]);
        values[d][replicate] = t.value ? makespan.to_ns(*t.value) : kUnlimited;
      }
    });
  });
  ToleranceIntervals result{IntervalMethod::bootstrap, replicates, parameter, {}, {}};
  for (std::size_t d = 0; d < degradations_ppm.size(); ++d) {
    const Interval interval = percentile_interval(std::move(values[d]));
    result.rows.push_back({degradations_ppm[d], limited(interval.low), limited(interval.middle),
                           limited(interval.high)});
  }
  return result;
}

ToleranceIntervals calibrated_tolerances(const Tolerances& found, const ExecutionGraph& graph,
                                         const ModelChoice& choice) {
  expects(choice.bounds.has_value(), "no parameters were measured");
  std::vector<std::int64_t> ppm;
  for (const Tolerances::Row& row : found.rows) ppm.push_back(row.degradation_ppm);
  std::vector<Tolerances> all{found};
  for (const LogGPS& model : {choice.bounds->low, choice.bounds->high}) {
    all.push_back(tolerances(graph, with_model(choice, model), found.parameter, ppm));
  }
  ToleranceIntervals result{IntervalMethod::calibration, 0, found.parameter, {}, {}};
  for (std::size_t d = 0; d < ppm.size(); ++d) {
    const auto [low, high] =
        std::ranges::minmax(all | std::views::transform([&](const Tolerances& t) {
                              return value_or_unlimited(t.rows[d].value_ns);
                            }));
    result.rows.push_back({ppm[d], limited(low), found.rows[d].value_ns, limited(high)});
  }
  return result;
}

ToleranceIntervals intervals_of_runs(const std::vector<Tolerances>& runs) {
  expects(runs.size() >= 2, "an interval needs two runs");
  ToleranceIntervals result{IntervalMethod::runs, runs.size(), runs.front().parameter, {}, {}};
  for (const Tolerances& run : runs) {
    result.of_traces.emplace_back();
    for (const Tolerances::Row& row : run.rows) result.of_traces.back().push_back(row.value_ns);
  }
  for (std::size_t d = 0; d < runs.front().rows.size(); ++d) {
    std::vector<double> values;
    for (const Tolerances& run : runs) values.push_back(value_or_unlimited(run.rows[d].value_ns));
    result.rows.push_back(interval_of_means(runs.front().rows[d].degradation_ppm, values));
  }
  return result;
}

const JsonType& declared_type(const ToleranceIntervalsJsonTag*) {
  return json_type_by<tolerance_intervals_object>();
}

ToleranceIntervalsJson add_intervals(std::vector<Section>& sections,
                                     const ToleranceIntervals& intervals) {
  IntervalWords words = words_of(intervals.method, intervals.samples,
                                 fmt::format(" of the maximum {}", intervals.parameter.name()));
  const auto cell = [](const std::optional<double>& v) {
    return v ? Value(*v) : Value(std::string("unlimited"));
  };
  Table table{.id = std::string(words.name),
              .title = std::move(words.table),
              .columns = {{"slower by", Unit::ratio},
                          {"from", Unit::ns},
                          {std::string(words.middle), Unit::ns},
                          {"to", Unit::ns}},
              .rows = {}};
  for (const ToleranceIntervals::Row& row : intervals.rows) {
    const double degradation = static_cast<double>(row.degradation_ppm) / 1e6;
    table.rows.push_back({degradation, cell(row.low_ns), cell(row.middle_ns), cell(row.high_ns)});
  }
  sections.push_back({.id = std::string(words.name),
                      .title = std::move(words.section),
                      .items = {std::move(table)}});
  return tolerance_intervals_object(intervals);
}

}  // namespace slackline
