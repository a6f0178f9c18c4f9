// How long runs of a program take, and not only the recorded one.
//
// A sample is a run: its computation drawn from the recorded one, each of its messages late by a
// draw from the noise that was measured. T of a sample is convex and grows with the parameter, so
// the value at which it passes a bound says all of the bound: the probability to exceed it at any
// value is the share of samples that have passed it before, and the tolerance with a probability of
// 95 % is the 5 % quantile of these values.

#include "analysis/model/run_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "analysis/model/interval.h"
#include "analysis/model/resampled_computation.h"
#include "base/parallel.h"
#include "base/sentences.h"
#include "base/units.h"
#include "timing/sampled_makespan.h"

namespace slackline {
namespace {

constexpr int kPoints = 11;
constexpr double kConfidence = 0.95;

/// What the messages of one sample take more than the model says.
class NoiseDraw {
 public:
  NoiseDraw(const std::vector<double>& percentiles, std::uint64_t seed, std::size_t sample)
      : percentiles_(percentiles), random_((seed + 1) * 0x9E3779B97F4A7C15u + sample) {}
  double next() { return percentile(percentiles_, std::generate_canonical<double, 53>(random_)); }

 private:
  const std::vector<double>& percentiles_;
  std::mt19937_64 random_;
};

/// Eight samples from number `first` on.
SampledMakespan sampled_makespan(const ExecutionGraph& graph, const LinearCost& cost,
                                 const ResampledComputation& computation,
                                 const std::vector<double>& noise_ns, std::uint64_t seed,
                                 std::size_t first) {
  std::vector<std::vector<std::int64_t>> drawn;
  std::vector<NoiseDraw> noise;
  for (std::size_t k = 0; k < passes::kLanes; ++k) {
    drawn.push_back(computation.draw(seed, first + k));
    noise.emplace_back(noise_ns, seed, first + k);
  }
  return {graph, cost, [&](const Edge& e, Lanes& ns) {
            for (std::size_t k = 0; k < ns.size(); ++k) {
              ns[k] +=
                  static_cast<double>(resampled_ns(e, computation.own(), drawn[k]) - e.nanoseconds);
              if (e.latencies > 0 && !noise_ns.empty()) ns[k] += noise[k].next();
            }
          }};
}

/// By sample: T at each point, and where T passes each bound.
struct SampledValues {
  std::vector<std::vector<double>> makespan_ns;
  std::vector<std::vector<double>> within_ns;
};

void add_samples(const SampledMakespan& makespan, const RunDistribution& d, std::size_t first,
                 SampledValues& samples) {
  const std::size_t count = std::min(passes::kLanes, d.samples - first);
  const auto keep = [&](const Lanes& lanes, std::vector<double>& values) {
    std::copy_n(lanes.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(first));
  };
  for (std::size_t i = 0; i < d.points.size(); ++i) {
    Lanes x;
    x.fill(d.points[i].value_ns);
    keep(makespan.at(x).makespan_ns, samples.makespan_ns[i]);
  }
  std::optional<Lanes> beyond;
  for (std::size_t t = d.tolerances.size(); t-- > 0;) {
    const double bound = d.tolerances[t].bound_ns;
    beyond = beyond ? makespan.largest_within(bound, *beyond) : makespan.largest_within(bound);
    keep(*beyond, samples.within_ns[t]);
  }
}

/// The share of the samples whose T exceeds a bound at `value_ns`; `within_ns` ascends.
double exceeding(const std::vector<double>& within_ns, double value_ns) {
  const auto later = std::ranges::lower_bound(within_ns, value_ns);
  return static_cast<double>(later - within_ns.begin()) / static_cast<double>(within_ns.size());
}

void set_points(RunDistribution& d, double from_ns, double to_ns) {
  std::vector<double> values{d.base_ns};
  for (int i = 0; i < kPoints; ++i) {
    values.push_back(std::lerp(from_ns, to_ns, i / double{kPoints - 1}));
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  for (const double value : values) d.points.push_back({.value_ns = value});
}

void summarise(RunDistribution& d, SampledValues samples) {
  for (std::size_t t = 0; t < d.tolerances.size(); ++t) {
    std::vector<double>& within = samples.within_ns[t];
    std::ranges::sort(within);
    d.tolerances[t].exceeding_at_base = exceeding(within, d.base_ns);
    d.tolerances[t].value_ns = percentile(within, 1 - kConfidence);
    for (auto& point : d.points) point.exceeding.push_back(exceeding(within, point.value_ns));
  }
  for (std::size_t i = 0; i < d.points.size(); ++i) {
    std::vector<double>& makespans = samples.makespan_ns[i];
    std::ranges::sort(makespans);
    std::ranges::transform(RunDistribution::kQuantiles, d.points[i].makespan_ns.begin(),
                           [&](double q) { return percentile(makespans, q); });
  }
}

using PointOfRuns = RunDistribution::Point;
const Rows<PointOfRuns> kPointRows{"distribution",
                                   "",
                                   {{"value_ns", &PointOfRuns::value_ns},
                                    {"low_ns", [](auto& p) { return p.makespan_ns[0]; }},
                                    {"median_ns", [](auto& p) { return p.makespan_ns[1]; }},
                                    {"high_ns", [](auto& p) { return p.makespan_ns[2]; }},
                                    {"exceeding", &PointOfRuns::exceeding}}};

double share_of_ppm(std::int64_t ppm) {
  return static_cast<double>(ppm) / 1e6;
}

using ToleranceOfRuns = RunDistribution::Tolerance;
std::optional<double> known_value(const ToleranceOfRuns& t) {
  return std::isfinite(t.value_ns) && t.value_ns >= 0 ? std::optional(t.value_ns) : std::nullopt;
}
Value shown_value(const ToleranceOfRuns& t) {
  if (t.value_ns < 0) return std::string("none");
  return std::isfinite(t.value_ns) ? Value(t.value_ns) : Value(std::string("unlimited"));
}

const Rows<ToleranceOfRuns> kToleranceOfRuns{
    "distribution_tolerance",
    "",
    {{"degradation", "slower by", Unit::ratio,
      [](auto& t) { return share_of_ppm(t.degradation_ppm); }},
     {"makespan_ns", "run time", Unit::ns, &ToleranceOfRuns::bound_ns},
     {"exceeding_at_base", "P at present", Unit::ratio, &ToleranceOfRuns::exceeding_at_base,
      "probability of a longer run at the present value"},
     {"value_ns", known_value},
     {kShown, "maximum", Unit::ns, shown_value,
      "largest value at which the run is no longer with a probability of 95 %"}}};

std::string exceeding_name(const RunDistribution& d, std::size_t t) {
  return fmt::format("P(T > {:g} T0)", 1 + share_of_ppm(d.tolerances[t].degradation_ppm));
}

Table points_table(const RunDistribution& d) {
  const std::string parameter = d.parameter.name();
  Table table{.id = "distribution",
              .title = fmt::format("Run time by {} ({} samples)", parameter, d.samples),
              .columns = {{parameter, Unit::ns},
                          {"T, 5 %", Unit::ns},
                          {"T, median", Unit::ns},
                          {"T, 95 %", Unit::ns}},
              .rows = {}};
  for (std::size_t t = 0; t < d.tolerances.size(); ++t) {
    table.columns.push_back({exceeding_name(d, t), Unit::ratio});
  }
  for (const PointOfRuns& p : d.points) {
    std::vector<Value> row{p.value_ns};
    row.insert(row.end(), p.makespan_ns.begin(), p.makespan_ns.end());
    row.insert(row.end(), p.exceeding.begin(), p.exceeding.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Series series_of(const RunDistribution& d) {
  Series series{
      .id = "distribution",
      .title = fmt::format("Distribution of the run time vs. {}", d.parameter.name()),
      .x_name = d.parameter.name(),
      .x_unit = Unit::ns,
      .x = {},
      .lines = {{"T, 5 %", Unit::ns, {}}, {"T, median", Unit::ns, {}}, {"T, 95 %", Unit::ns, {}}},
      .zones = {},
      .now = d.base_ns};
  for (std::size_t t = 0; t < d.tolerances.size(); ++t) {
    series.lines.push_back({exceeding_name(d, t), Unit::ratio, {}, false, 1});
  }
  for (const PointOfRuns& p : d.points) {
    series.x.push_back(p.value_ns);
    auto line = series.lines.begin();
    for (const double value : p.makespan_ns) line++->y.push_back(value);
    for (const double value : p.exceeding) line++->y.push_back(value);
  }
  return series;
}

}  // namespace

RunDistribution run_distribution(const Trace& trace, const ExecutionGraph& graph,
                                 const ModelChoice& choice, const VariedParameter& parameter,
                                 std::int64_t from_fs, std::int64_t to_fs,
                                 const std::vector<std::int64_t>& degradations_ppm,
                                 std::size_t samples, std::uint64_t seed) {
  expects(samples > 0, "a distribution needs a sample");
  RunDistribution d{.parameter = full_parameter(choice, parameter),
                    .samples = samples,
                    .noise = !choice.noise_ns.empty()};
  MakespanFunction plain = makespan_function(graph, choice, parameter);
  d.base_ns = plain.to_ns(plain.base());
  d.makespan_ns = plain.value_ns(plain.line_at(plain.base()), plain.base());
  set_points(d, ns_of_fs(from_fs), ns_of_fs(to_fs));
  for (const std::int64_t ppm : degradations_ppm) {
    d.tolerances.push_back({ppm, d.makespan_ns * (1 + share_of_ppm(ppm)), 0, 0});
  }
  SampledValues all{std::vector(d.points.size(), std::vector<double>(samples)),
                    std::vector(d.tolerances.size(), std::vector<double>(samples))};
  const ResampledComputation computation(trace, graph);
  with_cost(graph, choice, parameter, [&](const LinearCost& cost) {
    parallel_for((samples + passes::kLanes - 1) / passes::kLanes, [&](std::size_t batch) {
      const std::size_t first = batch * passes::kLanes;
      add_samples(sampled_makespan(graph, cost, computation, choice.noise_ns, seed, first), d,
                  first, all);
    });
  });
  summarise(d, std::move(all));
  return d;
}

const Rows<RunDistribution> kRunDistribution{
    {"parameter", [](auto& d) { return d.parameter.name(); }},
    {"samples", &RunDistribution::samples},
    {"message_noise", &RunDistribution::noise},
    {"confidence", [](auto&) { return kConfidence; }},
    {"points", &RunDistribution::points, kPointRows},
    {"tolerance", &RunDistribution::tolerances, kToleranceOfRuns}};

Described<RunDistributionJson> describe(const RunDistribution& d) {
  Described<RunDistributionJson> report{RunDistributionJson(d)};
  Section section{.id = "distribution", .title = "Distribution of the run time"};
  section.items.emplace_back(Paragraph{fmt::format(
      "Computation resampled from the run{}. T0 = {}: the run time predicted at the present {}.",
      d.noise ? ", messages with the machine's noise" : "", format_time_ns(d.makespan_ns),
      d.parameter.name())});
  section.items.emplace_back(series_of(d));
  section.items.emplace_back(points_table(d));
  Table tolerance = kToleranceOfRuns.table(d.tolerances);
  tolerance.title = fmt::format("Tolerance to {} with 95 % probability", d.parameter.name());
  section.items.emplace_back(std::move(tolerance));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
