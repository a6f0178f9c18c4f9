#include "analysis/model/prediction_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/model/resampled_computation.h"
#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

auto quantity_interval_object(const Interval& i, IntervalMethod method) {
  return Object{"low"_key = i.low, "median"_key.when(method == IntervalMethod::bootstrap, i.middle),
                "mean"_key.when(method == IntervalMethod::runs, i.middle),
                "value"_key.when(method == IntervalMethod::calibration, i.middle),
                "high"_key = i.high};
}

auto prediction_intervals_object(const PredictionIntervals& intervals) {
  const auto object = [&](const Interval& i) {
    return quantity_interval_object(i, intervals.method);
  };
  return Object{"method"_key = words_of(intervals.method, intervals.samples).name,
                "samples"_key.when(intervals.samples > 0, intervals.samples),
                "confidence"_key = 0.95,
                "makespan_ns"_key = object(intervals.makespan_ns),
                "measured_ns"_key.when(optional_of(intervals.measured_ns, object)),
                "lambda_L"_key = object(intervals.lambda_latency),
                "rho_L"_key = object(intervals.rho_latency)};
}

template <typename Value>
Interval interval_over(const std::vector<Prediction>& runs, Value value) {
  std::vector<double> values;
  for (const Prediction& run : runs) values.push_back(static_cast<double>(value(run)));
  return interval_of_mean(values);
}

}  // namespace

PredictionIntervals bootstrap_prediction(const Trace& trace, const ExecutionGraph& graph,
                                         const ModelChoice& choice, std::size_t replicates,
                                         std::uint64_t seed) {
  expects(replicates > 0, "an interval needs a replicate");
  const ResampledComputation computation(trace, graph);
  std::vector<double> makespans(replicates);
  std::vector<double> lambdas(replicates);
  std::vector<double> rhos(replicates);
  with_cost(graph, choice, Parameter::latency, [&](const LinearCost& cost) {
    parallel_for(replicates, [&](std::size_t i) {
      const std::vector<std::int64_t> drawn = computation.draw(seed, i);
      MakespanFunction makespan(graph, ResampledCost(cost, computation.own(), drawn));
      const PathLine line = makespan.line_at(makespan.base());
      makespans[i] = makespan.value_ns(line, makespan.base());
      lambdas[i] = static_cast<double>(line.slope);
      rhos[i] = makespans[i] == 0 ? 0 : lambdas[i] * makespan.to_ns(makespan.base()) / makespans[i];
    });
  });
  return {IntervalMethod::bootstrap,
          replicates,
          percentile_interval(std::move(makespans)),
          percentile_interval(std::move(lambdas)),
          percentile_interval(std::move(rhos)),
          {}};
}

PredictionIntervals calibrated_prediction(const Prediction& prediction, const ExecutionGraph& graph,
                                          const ModelChoice& choice) {
  expects(choice.bounds.has_value(), "no parameters were measured");
  PredictionIntervals result{IntervalMethod::calibration, 0, {}, {}, {}, {}};
  const auto spread = [](Interval& i, double value) {
    i.low = std::min(i.low, value);
    i.high = std::max(i.high, value);
  };
  const auto at = [](double value) { return Interval{value, value, value}; };
  result.makespan_ns = at(prediction.makespan_ns);
  result.lambda_latency = at(static_cast<double>(prediction.lambda_latency));
  result.rho_latency = at(prediction.rho_latency);
  for (const LogGPS& model : {choice.bounds->low, choice.bounds->high}) {
    MakespanFunction makespan =
        makespan_function(graph, with_model(choice, model), {Parameter::latency});
    const PathLine line = makespan.line_at(makespan.base());
    const double run_ns = makespan.value_ns(line, makespan.base());
    const auto crossings = static_cast<double>(line.slope);
    spread(result.makespan_ns, run_ns);
    spread(result.lambda_latency, crossings);
    spread(result.rho_latency,
           run_ns == 0 ? 0 : crossings * makespan.to_ns(makespan.base()) / run_ns);
  }
  return result;
}

PredictionIntervals intervals_of_predictions(const std::vector<Prediction>& runs) {
  expects(runs.size() >= 2, "an interval needs two runs");
  PredictionIntervals result{
      IntervalMethod::runs,
      runs.size(),
      interval_over(runs, [](const Prediction& p) { return p.makespan_ns; }),
      interval_over(runs, [](const Prediction& p) { return p.lambda_latency; }),
      interval_over(runs, [](const Prediction& p) { return p.rho_latency; }),
      {}};
  if (std::ranges::all_of(runs, [](const Prediction& p) { return p.measured.has_value(); })) {
    result.measured_ns =
        interval_over(runs, [](const Prediction& p) { return p.measured->makespan_ns; });
  }
  return result;
}

const JsonType& declared_type(const PredictionIntervalsJsonTag*) {
  return json_type_by<prediction_intervals_object>();
}

PredictionIntervalsJson add_intervals(std::vector<Section>& sections,
                                      const PredictionIntervals& intervals) {
  IntervalWords words = words_of(intervals.method, intervals.samples);
  Table table{.id = std::string(words.name),
              .title = std::move(words.table),
              .columns = {{"value"}},
              .rows = {{std::string("from")}, {std::string(words.middle)}, {std::string("to")}}};
  const auto add = [&](const char* name, Unit unit, const Interval& i) {
    table.columns.push_back({name, unit});
    table.rows[0].emplace_back(i.low);
    table.rows[1].emplace_back(i.middle);
    table.rows[2].emplace_back(i.high);
  };
  add("predicted run time T", Unit::ns, intervals.makespan_ns);
  if (intervals.measured_ns) add("measured run time", Unit::ns, *intervals.measured_ns);
  add("lambda_L", Unit::none, intervals.lambda_latency);
  add("rho_L", Unit::ratio, intervals.rho_latency);
  sections.push_back({.id = std::string(words.name),
                      .title = std::move(words.section),
                      .items = {std::move(table)}});
  return prediction_intervals_object(intervals);
}

}  // namespace slackline
