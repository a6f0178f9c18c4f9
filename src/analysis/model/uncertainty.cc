// How sure a tolerance is.
//
// From several runs: their tolerances are a sample, and the interval is Student's t for the mean.
//
// From one run: the bootstrap. What varies from run to run is the computation between calls, and
// the trace holds many occurrences of the same computation: those between the same two operations
// of a rank. A replicate draws each occurrence's length from all of them. Drawing every rank for
// itself would take apart what ranks share (a slow iteration is slow for all) and make the slowest
// rank of each iteration slower than it ever was; so all computation with equally many occurrences,
// which is mostly what an iteration has once, draws the same ones: whole iterations, as they were.
// The interval is that of the 2.5th to the 97.5th percentile. It knows nothing of what one run
// cannot show: other nodes, other days.

#include "analysis/model/uncertainty.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "base/error.h"
#include "base/parallel.h"
#include "base/units.h"
#include "timing/network/pair_cost.h"

namespace slackline {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// Computation between the same two operations of one rank: the vertices where it begins, in order.
struct Context {
  std::pair<Operation, Operation> between;
  std::vector<VertexId> begins;
};

/// A cost with other computation: `drawn` nanoseconds after each vertex where there were `own`.
class ResampledCost : public LinearCost {
 public:
  ResampledCost(const LinearCost& cost, const std::vector<std::int64_t>& own,
                const std::vector<std::int64_t>& drawn)
      : cost_(cost), own_(own), drawn_(drawn) {}

  std::int64_t tick_fs() const override { return cost_.tick_fs(); }
  std::int64_t base_fs() const override { return cost_.base_fs(); }
  bool depends_on_ranks() const override { return cost_.depends_on_ranks(); }
  LinearTerm term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const override {
    Edge other = e;
    const std::int64_t own = own_[e.from];
    if (e.kind == EdgeKind::compute) {
      other.nanoseconds = drawn_[e.from];
    } else if (e.nanoseconds > 0 && own > 0) {
      // Beside the main path, perhaps after a part of the computation.
      other.nanoseconds = static_cast<std::int64_t>(Int128{e.nanoseconds} * drawn_[e.from] / own);
    }
    return cost_.term(other, from_rank, to_rank);
  }

 private:
  const LinearCost& cost_;
  const std::vector<std::int64_t>& own_;
  const std::vector<std::int64_t>& drawn_;
};

Operation operation_at(const Trace& trace, const ExecutionGraph& graph, VertexId v) {
  const std::int32_t rank = graph.rank(v);
  if (trace.calls(rank).empty() || graph.in_degree(v) == 0) return Operation::none;
  return trace.calls(rank).operation(graph.call(v));
}

/// Computation of the main paths and tails.
class Computation {
 public:
  Computation(const Trace& trace, const ExecutionGraph& graph)
      : own_(graph.vertex_count(), 0), contexts_(static_cast<std::size_t>(graph.ranks())) {
    std::vector<std::map<std::pair<Operation, Operation>, std::size_t>> index(contexts_.size());
    const auto vertices = static_cast<VertexId>(graph.vertex_count());
    const auto add = [&](VertexId from, Operation end, std::int64_t ns) {
      own_[from] = ns;
      const auto rank = static_cast<std::size_t>(graph.rank(from));
      const std::pair between(operation_at(trace, graph, from), end);
      std::vector<Context>& mine = contexts_[rank];
      const auto [found, is_new] = index[rank].try_emplace(between, mine.size());
      if (is_new) mine.push_back({between, {}});
      mine[found->second].begins.push_back(from);
    };
    for (VertexId v = 0; v < vertices; ++v) {
      if (graph.in_degree(v) == 0 || !graph.on_main_path(v)) continue;
      const Edge e = graph.in_edge(v, 0);
      add(e.from, operation_at(trace, graph, v), e.nanoseconds);
    }
    for (std::int32_t r = 0; r < graph.ranks(); ++r) {
      add(graph.last_vertex(r), Operation::none, graph.tail_ns(r));
    }
  }

  const std::vector<std::int64_t>& own() const { return own_; }

  std::vector<std::int64_t> draw(std::mt19937_64& random) const {
    std::vector<std::int64_t> drawn = own_;
    std::map<std::size_t, std::vector<std::size_t>> choices;  // one for all with so many
    for (const std::vector<Context>& rank : contexts_) {
      for (const Context& c : rank) {
        std::vector<std::size_t>& chosen = choices[c.begins.size()];
        while (chosen.size() < c.begins.size()) chosen.push_back(random() % c.begins.size());
        for (std::size_t k = 0; k < c.begins.size(); ++k) {
          drawn[c.begins[k]] = own_[c.begins[chosen[k]]];
        }
      }
    }
    return drawn;
  }

 private:
  std::vector<std::int64_t> own_;  // by vertex where it begins
  std::vector<std::vector<Context>> contexts_;
};

std::optional<double> limited(double value) {
  return std::isinf(value) ? std::nullopt : std::optional(value);
}

/// By linear interpolation between the order statistics.
double percentile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  if (std::isinf(sorted[above]))
    return at > static_cast<double>(below) ? kUnlimited : sorted[below];
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Student's t, 97.5 %, by degrees of freedom; beyond the table the next smaller entry (wider).
double student_t(std::size_t freedom) {
  constexpr std::array kTable{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                              2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                              2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                              2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  return kTable[std::min(freedom, kTable.size()) - 1];
}

ToleranceIntervals::Row interval_of_means(std::int64_t ppm, const std::vector<double>& values) {
  ToleranceIntervals::Row row{ppm, std::nullopt, std::nullopt, std::nullopt};
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double v : values) mean += v / n;
  if (std::isinf(mean)) return row;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double half = student_t(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return {ppm, mean - half, mean, mean + half};
}

double value_or_unlimited(const std::optional<double>& value) {
  return value.value_or(kUnlimited);
}

}  // namespace

ToleranceIntervals bootstrap_tolerances(const Trace& trace, const ExecutionGraph& graph,
                                        const ModelChoice& choice, const VariedParameter& parameter,
                                        const std::vector<std::int64_t>& degradations_ppm,
                                        std::size_t replicates, std::uint64_t seed) {
  const Computation computation(trace, graph);
  std::vector<std::vector<double>> values(degradations_ppm.size(), std::vector<double>(replicates));
  with_cost(graph, choice, parameter, [&](const LinearCost& cost) {
    parallel_for(replicates, [&](std::size_t replicate) {
      std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + replicate);
      const std::vector<std::int64_t> drawn = computation.draw(random);
      MakespanFunction makespan(graph, ResampledCost(cost, computation.own(), drawn));
      for (std::size_t d = 0; d < degradations_ppm.size(); ++d) {
        const Tolerance t = find_tolerance(makespan, degradations_ppm[d]);
        values[d][replicate] = t.value ? makespan.to_ns(*t.value) : kUnlimited;
      }
    });
  });
  ToleranceIntervals result{ToleranceIntervals::Method::bootstrap, replicates, parameter, {}, {}};
  for (std::size_t d = 0; d < degradations_ppm.size(); ++d) {
    std::ranges::sort(values[d]);
    result.rows.push_back({degradations_ppm[d], limited(percentile(values[d], 0.025)),
                           limited(percentile(values[d], 0.5)),
                           limited(percentile(values[d], 0.975))});
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
