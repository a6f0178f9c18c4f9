// How sure a tolerance is.
//
// From several runs: their tolerances are a sample, and the interval is Student's t for the mean.
//
// From one run: the bootstrap over its computation (resampled_computation.h). The interval is that
// of the 2.5th to the 97.5th percentile. It knows nothing of what one run cannot show: other nodes,
// other days.

#include "analysis/model/uncertainty.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
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
  ToleranceIntervals result{ToleranceIntervals::Method::bootstrap, replicates, parameter, {}, {}};
  for (std::size_t d = 0; d < degradations_ppm.size(); ++d) {
    const Interval interval = percentile_interval(std::move(values[d]));
    result.rows.push_back({degradations_ppm[d], limited(interval.low), limited(interval.middle),
                           limited(interval.high)});
  }
  return result;
}

ToleranceIntervals intervals_of_runs(const std::vector<Tolerances>& runs) {
  expects(runs.size() >= 2, "an interval needs two runs");
  ToleranceIntervals result{
      ToleranceIntervals::Method::traces, runs.size(), runs.front().parameter, {}, {}};
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

void add_intervals(Report& report, const ToleranceIntervals& intervals) {
  const bool bootstrap = intervals.method == ToleranceIntervals::Method::bootstrap;
  const auto json = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  const auto cell = [](const std::optional<double>& v) {
    return v ? Value(*v) : Value(std::string("unlimited"));
  };
  Table table{
      .id = bootstrap ? "bootstrap" : "runs",
      .title = bootstrap ? fmt::format("95 % intervals of the maximum {} ({} bootstrap replicates)",
                                       intervals.parameter.name(), intervals.samples)
                         : fmt::format("95 % intervals of the maximum {} ({} runs)",
                                       intervals.parameter.name(), intervals.samples),
      .columns = {{"slower by", Unit::ratio},
                  {"from", Unit::ns},
                  {bootstrap ? "median" : "mean", Unit::ns},
                  {"to", Unit::ns}},
      .rows = {}};
  Json rows = Json::array();
  for (const ToleranceIntervals::Row& row : intervals.rows) {
    const double degradation = static_cast<double>(row.degradation_ppm) / 1e6;
    table.rows.push_back({degradation, cell(row.low_ns), cell(row.middle_ns), cell(row.high_ns)});
    rows.push_back({{"degradation", degradation},
                    {"low_ns", json(row.low_ns)},
                    {bootstrap ? "median_ns" : "mean_ns", json(row.middle_ns)},
                    {"high_ns", json(row.high_ns)}});
  }
  Json of_traces = Json::array();
  for (const auto& values : intervals.of_traces) {
    Json one = Json::array();
    for (const auto& v : values) one.push_back(json(v));
    of_traces.push_back(std::move(one));
  }
  Json entry{{"method", bootstrap ? "bootstrap" : "runs"},
             {"samples", intervals.samples},
             {"confidence", 0.95},
             {"rows", std::move(rows)}};
  if (!bootstrap) entry["tolerances_ns"] = std::move(of_traces);
  report.result["intervals"].push_back(std::move(entry));
  report.sections.push_back(
      {.id = bootstrap ? "bootstrap" : "runs",
       .title = bootstrap ? "Uncertainty (bootstrap of this run)" : "Uncertainty (several runs)",
       .items = {std::move(table)}});
}

}  // namespace slackline
