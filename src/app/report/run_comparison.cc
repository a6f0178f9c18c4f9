#include "app/report/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analysis/paths/call_activities.h"
#include "analysis/runs/gap_parts.h"
#include "analysis/summary/judgement.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kRowsShown = 20;
constexpr int kPlotPoints = 200;
constexpr std::string_view kNoRegionKey = "(outside of any region)";
constexpr double kSame = 0.005;  // a difference under half a per cent is none

/// One figure of both runs.
struct Pair {
  std::string name;
  double a = 0;
  double b = 0;

  double difference() const { return b - a; }
};

/// What people read for a name that is a key of the result.
std::string label(const std::string& name) {
  static const std::map<std::string, std::string> kLabels{
      {"predicted makespan", "predicted run time"},
      {"computation, mean rank", "mean computation per rank"},
      {"waiting, mean rank", "mean wait time per rank"},
      {"inside MPI, mean rank", "mean MPI time per rank excl. waiting"},
      {"on an ideal network", "ideal-network run time"},
      {"rho_L", "latency share of run time (rho_L)"},
      {"serialisation", "serialisation efficiency"},
      {"transfer", "transfer efficiency"}};
  if (const auto known = kLabels.find(name); known != kLabels.end()) return known->second;
  return name.starts_with(kNoRegionKey) ? "(no region)" + name.substr(kNoRegionKey.size()) : name;
}

Value relative(const Pair& p) {
  if (p.a == 0) return {};
  return p.difference() / std::abs(p.a);
}

bool larger(const Pair& x, const Pair& y) {
  const double dx = std::abs(x.difference());
  const double dy = std::abs(y.difference());
  return dx != dy ? dx > dy : x.name < y.name;
}

Table table_of(std::string id, std::string title, std::string first, Unit unit,
               std::vector<Pair> pairs) {
  std::ranges::sort(pairs, larger);
  Table table{.id = std::move(id),
              .title = std::move(title),
              .columns = {{std::move(first)},
                          {"A", unit},
                          {"B", unit},
                          {"B - A", unit == Unit::ratio ? Unit::points : unit},
                          {"change", Unit::ratio, "of A's value"}},
              .rows = {}};
  for (const Pair& p : pairs) {
    if (table.rows.size() == kRowsShown) break;
    if (p.a == 0 && p.b == 0) continue;
    table.rows.push_back({label(p.name), p.a, p.b, p.difference(), relative(p)});
  }
  return table;
}

double makespan_ns(const ComparedRun& run) {
  return run.measured != nullptr ? static_cast<double>(run.measured->shares.length_ns)
                                 : run.model.prediction.makespan_ns;
}

bool both_measured(const ComparedRun& a, const ComparedRun& b) {
  return a.measured != nullptr && b.measured != nullptr;
}

/// Values of one run by name, in the order in which they are shown.
using NamedValues = std::vector<std::pair<std::string, double>>;

/// Those of both runs as far as both have them. `values_of(run, measured)`: of each run the same
/// names; measured ones if both were measured.
template <class ValuesOf>
std::vector<Pair> paired(const ComparedRun& a, const ComparedRun& b, ValuesOf values_of) {
  const bool measured = both_measured(a, b);
  const NamedValues x = values_of(a, measured);
  const NamedValues y = values_of(b, measured);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
    pairs.push_back({x[i].first, x[i].second, y[i].second});
  }
  return pairs;
}

NamedValues run_times(const ComparedRun& run, bool measured) {
  NamedValues times{{"predicted makespan", run.model.prediction.makespan_ns}};
  if (!measured) return times;
  const TimeShares& s = run.measured->shares;
  const auto mean = [&](std::int64_t sum) {
    return s.present == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(s.present);
  };
  times.insert(times.end(), {{"run time", static_cast<double>(s.length_ns)},
                             {"computation, mean rank", mean(s.sum_ns.compute)},
                             {"waiting, mean rank", mean(s.sum_ns.wait)},
                             {"inside MPI, mean rank", mean(s.sum_ns.mpi)},
                             {"on an ideal network", static_cast<double>(s.ideal_ns)}});
  return times;
}

NamedValues run_ratios(const ComparedRun& run, bool measured) {
  NamedValues ratios{{"rho_L", run.model.prediction.rho_latency}};
  if (!measured) return ratios;
  const EfficiencyFactors f =
      factors(efficiency_inputs(run.measured->shares), EfficiencyVariant::multiplicative);
  ratios.insert(ratios.end(), {{"parallel efficiency", f.parallel},
                               {"load balance", f.load_balance},
                               {"communication efficiency", f.communication},
                               {"serialisation", f.serialisation},
                               {"transfer", f.transfer}});
  return ratios;
}

std::vector<Pair> by_rank(const ComparedRun& a, const ComparedRun& b,
                          std::int64_t RankTime::*part) {
  return paired(a, b, [&](const ComparedRun& run, bool) {
    NamedValues values;
    for (const RankTime& time : run.measured->shares.ranks_ns) {
      values.emplace_back(std::to_string(values.size()), static_cast<double>(time.*part));
    }
    return values;
  });
}

/// Sums of a measured run by name.
using Sums = std::map<std::string, double>;

/// Those of both runs, in alphabetical order.
std::vector<Pair> paired_sums(const ComparedRun& a, const ComparedRun& b,
                              Sums (*sums_of)(const ComparedRun&)) {
  std::map<std::string, Pair> pairs;
  for (const auto& [name, sum] : sums_of(a)) pairs[name].a = sum;
  for (const auto& [name, sum] : sums_of(b)) pairs[name].b = sum;
  return list_of(pairs, [](const auto& p) { return Pair{p.first, p.second.a, p.second.b}; });
}

std::string path_name(const CallPaths& paths, PathId path) {
  const std::string name = paths.name(path);
  return name.empty() ? std::string(kNoRegionKey) : name;
}

Sums waiting_by_pattern(const ComparedRun& run) {
  Sums sums;
  for (const PatternSummary& p : run.measured->waits.patterns) {
    sums[std::string(name(p.pattern))] += static_cast<double>(p.sum_ns);
  }
  return sums;
}

Sums by_operation(const ComparedRun& run) {
  Sums sums;
  for (const TimeShares::OfCalls& c : run.measured->shares.calls) {
    sums[std::string(mpi_name(c.operation))] += static_cast<double>(c.time_ns);
  }
  return sums;
}

std::string activity_at(const ComparedRun& run, PathId path, Operation operation) {
  return fmt::format("{}: {}", path_name(run.paths, path), activity_name(operation));
}

/// Calls visit(path, ns of the mean rank) for all paths with computation.
template <class Visit>
void for_computation(const ComparedRun& run, Visit visit) {
  const std::vector<std::int64_t> computation = computation_by_path(run.trace, run.paths);
  const auto ranks = static_cast<double>(std::max<std::size_t>(1, run.measured->shares.present));
  for (PathId path = 0; path < computation.size(); ++path) {
    if (computation[path] > 0) visit(path, static_cast<double>(computation[path]) / ranks);
  }
}

/// Time without waiting of the mean rank, over the whole run.
Sums by_path(const ComparedRun& run) {
  Sums sums;
  for_computation(
      run, [&](PathId path, double ns) { sums[activity_at(run, path, Operation::none)] += ns; });
  for (const ActivityShare& s : run.measured->path.activities) {
    if (s.operation != Operation::none) sums[activity_at(run, s.path, s.operation)] += s.mean_ns;
  }
  return sums;
}

/// The same of MPI calls in the analysed interval.
Sums mpi_by_path(const ComparedRun& run) {
  Sums sums;
  const TimeShares& shares = run.measured->shares;
  for (const TimeShares::OfCalls& c : shares.calls) {
    sums[activity_at(run, c.path, c.operation)] +=
        static_cast<double>(c.inside_ns()) / static_cast<double>(shares.present);
  }
  return sums;
}

/// The same of computation in regions, which are between MPI_Init and MPI_Finalize.
Sums computation_by_region(const ComparedRun& run) {
  Sums sums;
  for_computation(run, [&](PathId path, double ns) {
    if (!run.paths.name(path).empty()) sums[activity_at(run, path, Operation::none)] += ns;
  });
  return sums;
}

double makespan_at(const Sensitivity& s, double x) {
  for (const Sensitivity::Piece& p : s.pieces) {
    if (x <= p.to_ns || &p == &s.pieces.back()) {
      return p.makespan_at_from_ns + (x - p.from_ns) * static_cast<double>(p.lambda);
    }
  }
  return 0;
}

/// T(L) of both as far as both are known.
Series latency_series(const ComparedRun& a, const ComparedRun& b) {
  Series series{.id = "comparison-latency",
                .title = "Predicted run time vs. latency L",
                .x_name = "latency L",
                .x_unit = Unit::ns,
                .x = {},
                .lines = {{"T of A", Unit::ns, {}, false, 0}, {"T of B", Unit::ns, {}, false, 0}},
                .zones = {}};
  if (a.model.sensitivity.pieces.empty() || b.model.sensitivity.pieces.empty()) return series;
  const double end =
      std::min(a.model.sensitivity.pieces.back().to_ns, b.model.sensitivity.pieces.back().to_ns);
  for (int i = 0; i <= kPlotPoints; ++i) {
    const double x = end * i / kPlotPoints;
    series.x.push_back(x);
    series.lines[0].y.push_back(makespan_at(a.model.sensitivity, x));
    series.lines[1].y.push_back(makespan_at(b.model.sensitivity, x));
  }
  return series;
}

std::string speed_sentence(const ComparedRun& a, const ComparedRun& b) {
  const double x = makespan_ns(a);
  const double y = makespan_ns(b);
  const std::string both = fmt::format("A ({}) takes {}, B ({}) takes {}", a.name,
                                       format_time_ns(x), b.name, format_time_ns(y));
  if (x <= 0 || y <= 0) return both + ".";
  const double change = y / x - 1;
  if (std::abs(change) < kSame) return both + ": difference below 0.5 %.";
  return fmt::format("{}: B takes {} {} time (speed-up {:.2f}).", both,
                     format_percent(std::abs(change)), change < 0 ? "less" : "more", x / y);
}

/// Which part of the mean rank's time changed most.
std::string cause_sentence(const ComparedRun& a, const ComparedRun& b) {
  std::vector<Pair> parts;
  for (Pair& p : paired(a, b, run_times)) {
    if (p.name.ends_with(", mean rank")) parts.push_back(std::move(p));
  }
  const auto sign = [](const Pair& p) { return p.difference() < 0 ? "-" : "+"; };
  const Pair& most = *std::ranges::min_element(parts, larger);
  std::string sentence = fmt::format("Main difference: {}, {}{} ({} to {})", label(most.name),
                                     sign(most), format_time_ns(std::abs(most.difference())),
                                     format_time_ns(most.a), format_time_ns(most.b));
  std::vector<Pair> paths;
  if (most.name.starts_with("inside MPI")) paths = paired_sums(a, b, mpi_by_path);
  if (most.name.starts_with("computation")) paths = paired_sums(a, b, computation_by_region);
  if (!paths.empty()) {
    const Pair& path = *std::ranges::min_element(paths, larger);
    sentence += fmt::format("; largest single change: {}, {}{}", label(path.name), sign(path),
                            format_time_ns(std::abs(path.difference())));
  }
  return sentence + ".";
}

auto pair_object(const Pair& pair) {
  return Object{"a"_key = pair.a, "b"_key = pair.b};
}

/// By name.
using Figures = JsonMap<ReturnedBy<pair_object>>;

/// Adds the figures as a table of the section. Returns all.
Figures add_figures(Section& section, std::vector<Pair> pairs, std::string id, std::string title,
                    std::string first, Unit unit = Unit::ns) {
  Figures figures;
  for (const Pair& p : pairs) figures.add(p.name, pair_object(p));
  section.items.emplace_back(
      table_of(std::move(id), std::move(title), std::move(first), unit, std::move(pairs)));
  return figures;
}

std::vector<Judgement> judgement(const ComparedRun& a, const ComparedRun& b) {
  const std::vector<std::string> evidence{"comparison-times"};
  std::vector<Judgement> sentences{{JudgementAspect::limit, speed_sentence(a, b), evidence}};
  const double change = makespan_ns(a) > 0 ? makespan_ns(b) / makespan_ns(a) - 1 : 0;
  if (both_measured(a, b) && std::abs(change) >= kSame) {
    sentences.push_back({JudgementAspect::cause, cause_sentence(a, b), evidence});
  }
  return sentences;
}

auto add_metrics(Section& section, const ComparedRun& a, const ComparedRun& b) {
  return Object{"times_ns"_key = add_figures(section, paired(a, b, run_times), "comparison-times",
                                             "Times", "time"),
                "ratios"_key = add_figures(section, paired(a, b, run_ratios), "comparison-ratios",
                                           "Efficiencies and shares", "ratio", Unit::ratio)};
}

auto add_places(Section& section, const ComparedRun& a, const ComparedRun& b) {
  return Object{
      "operations_ns"_key =
          add_figures(section, paired_sums(a, b, by_operation), "comparison-operations",
                      "MPI time, all ranks", "operation"),
      "activities_ns"_key =
          add_figures(section, paired_sums(a, b, by_path), "comparison-paths",
                      "Mean time per rank excl. waiting, by call path, whole run", "where"),
      "waiting_ns"_key = add_figures(section, paired_sums(a, b, waiting_by_pattern),
                                     "comparison-waits", "Wait time, all ranks", "pattern")};
}

auto add_ranks(Section& section, const ComparedRun& a, const ComparedRun& b) {
  return Object{
      "rank_compute_ns"_key = add_figures(section, by_rank(a, b, &RankTime::compute),
                                          "comparison-rank-compute", "Computation", "rank"),
      "rank_waiting_ns"_key = add_figures(section, by_rank(a, b, &RankTime::wait),
                                          "comparison-rank-waiting", "Wait time", "rank")};
}

Paragraph different_ranks(const ComparedRun& a, const ComparedRun& b) {
  return {fmt::format("A has {} and B has {}: they cannot be compared rank by rank.",
                      count_of(static_cast<std::uint64_t>(a.trace.ranks()), "rank"),
                      count_of(static_cast<std::uint64_t>(b.trace.ranks()), "rank"))};
}

auto comparison_object(const JudgementJson& judgement, const ReturnedBy<add_metrics>& metrics,
                       const std::optional<ReturnedBy<add_places>>& places,
                       const std::optional<ReturnedBy<add_ranks>>& ranks) {
  return Object{"judgement"_key = judgement, metrics, places, ranks};
}

}  // namespace

const JsonType& declared_type(const RunComparisonJsonTag*) {
  return json_type_by<comparison_object>();
}

Described<RunComparisonJson> compare_runs(const ComparedRun& a, const ComparedRun& b) {
  std::vector<Section> sections;
  const auto sentences = add_judgement(judgement(a, b), sections);
  Section metrics{.id = "comparison", .title = "By metric"};
  const auto all_metrics = add_metrics(metrics, a, b);
  metrics.items.emplace_back(latency_series(a, b));
  sections.push_back(std::move(metrics));
  std::optional<ReturnedBy<add_places>> all_places;
  std::optional<ReturnedBy<add_ranks>> all_ranks;
  if (both_measured(a, b)) {
    Section places{.id = "comparison-places", .title = "By operation and region"};
    all_places = add_places(places, a, b);
    sections.push_back(std::move(places));
    Section ranks{.id = "comparison-ranks", .title = "By rank"};
    if (a.trace.ranks() == b.trace.ranks()) {
      all_ranks = add_ranks(ranks, a, b);
    } else {
      ranks.items.emplace_back(different_ranks(a, b));
    }
    sections.push_back(std::move(ranks));
  }
  return {comparison_object(*sentences, all_metrics, all_places, all_ranks), std::move(sections)};
}

}  // namespace slackline
