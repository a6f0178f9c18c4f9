#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/phases/monitor.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kOutliersShown = 5;

auto window_efficiency_object(const WindowEfficiency& e) {
  return Object{"parallel"_key = e.useful, "load_balance"_key = e.load_balance,
                "serialisation"_key = e.serialisation, "transfer"_key = e.transfer};
}

bool of_program(const FocusInterval& r) {
  return r.kind != IntervalKind::startup && r.kind != IntervalKind::shutdown;
}

std::string phase_label(const FocusInterval& r) {
  return of_program(r) ? fmt::format("{}{}", r.phase + 1, r.representative ? " *" : "") : "";
}

auto focus_interval_object(const FocusInterval& r) {
  return Object{
      "begin_ns"_key = r.begin_ns,
      "end_ns"_key = r.end_ns,
      "kind"_key = to_string(r.kind),
      "confidence"_key = r.confidence,
      "phase"_key = known_if(of_program(r), r.phase),
      "representative"_key = r.representative,
      "waiting_ns"_key = r.waiting_ns,
      "main_pattern"_key = optional_of(r.main_pattern, [](WaitPattern p) { return identifier(p); }),
      "late_rank"_key = known_if(r.late_rank >= 0, r.late_rank),
      "late_share"_key = r.late_share,
      "path_rank"_key = r.path_rank,
      "path_share"_key = r.path_share,
      "efficiency"_key = window_efficiency_object(r.efficiency)};
}

auto focus_interval_objects(const Monitor& m) {
  return list_of(m.intervals, focus_interval_object);
}

auto phase_object(const FocusInterval& r) {
  return Object{"begin_ns"_key = r.begin_ns, "end_ns"_key = r.end_ns,
                "kind"_key = to_string(r.kind)};
}

/// The intervals between MPI_Init and MPI_Finalize.
auto phase_objects(const Monitor& m) {
  std::vector<ReturnedBy<phase_object>> phases;
  for (const FocusInterval& r : m.intervals) {
    if (of_program(r)) phases.push_back(phase_object(r));
  }
  return phases;
}

auto change_object(const IterationChange& c) {
  return Object{"iteration"_key = c.iteration, "metric"_key = identifier(c.metric),
                "rank"_key = known_if(c.rank >= 0, c.rank), "before_ns"_key = c.before_ns,
                "after_ns"_key = c.after_ns};
}

auto trend_object(const IterationTrend& t) {
  return Object{"metric"_key = identifier(t.metric), "rank"_key = known_if(t.rank >= 0, t.rank),
                "before_ns"_key = t.first_ns, "after_ns"_key = t.last_ns, "growth"_key = t.growth};
}

auto iterations_object(const RunIterations& run) {
  using Outlier = RunIterations::Outlier;
  return Object{
      "period_ns"_key = run.period_ns,
      "count"_key = run.count,
      "begin_ns"_key = run.begin_ns,
      "end_ns"_key = run.end_ns,
      "outliers"_key = list_of(run.outliers, [](const Outlier& o) { return o.iteration; }),
      "outlier_factors"_key = list_of(run.outliers, [](const Outlier& o) { return o.factor; }),
      "changes"_key = list_of(run.changes, change_object),
      "trends"_key = list_of(run.trends, trend_object),
      "off_processor_share"_key = run.off_processor_share};
}

auto window_object(const Monitor& m, std::size_t window) {
  return Object{window_efficiency_object(m.windows[window]), "begin_ns"_key = m.border_ns[window],
                "end_ns"_key = m.border_ns[window + 1]};
}

auto window_objects(const Monitor& m) {
  std::vector<ReturnedBy<window_object>> windows;
  for (std::size_t i = 0; i < m.windows.size(); ++i) windows.push_back(window_object(m, i));
  return windows;
}

auto transfer_object(const Monitor& m) {
  return Object{"time_ns"_key = m.transfer.time_ns, "local"_key = m.transfer.local,
                "longer_pairs"_key = m.transfer.longer_pairs,
                "cumulative"_key = m.transfer.cumulative};
}

auto monitor_object(const Monitor& m) {
  return Object{"rank"_key = m.rank,
                "length_ns"_key = m.length_ns,
                "phases"_key = phase_objects(m),
                "iterations"_key = iterations_to_json(m),
                "regions"_key = focus_interval_objects(m),
                "windows"_key = window_objects(m),
                "monitor"_key = transfer_object(m)};
}

Table interval_table(const Monitor& m) {
  Table table{"focus_regions",
              "Phase intervals",
              {{"begin", Unit::ns},
               {"end", Unit::ns},
               {"dominant factor"},
               {"phase"},
               {"parallel eff.", Unit::ratio, "parallel efficiency"},
               {"load balance", Unit::ratio},
               {"serial. eff.", Unit::ratio, "serialisation efficiency"},
               {"transfer eff.", Unit::ratio, "transfer efficiency"},
               {"wait time", Unit::ns, "sum over all ranks"},
               {"confidence", Unit::ratio, "of the change point at its begin"}},
              {}};
  for (const FocusInterval& r : m.intervals) {
    std::vector<Value> row{r.begin_ns, r.end_ns, std::string(name(r.kind)), phase_label(r)};
    if (of_program(r)) {
      row.insert(row.end(), {r.efficiency.useful, r.efficiency.load_balance,
                             r.efficiency.serialisation, r.efficiency.transfer});
    } else {
      row.resize(row.size() + 4);  // nothing is expected to be efficient there
    }
    row.insert(row.end(), {r.waiting_ns, r.confidence});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string outlier_sentence(const RunIterations& run) {
  std::vector<RunIterations::Outlier> longest = run.outliers;
  if (longest.empty()) return "No outliers among the iterations.";
  std::ranges::stable_sort(longest, std::greater{}, &RunIterations::Outlier::factor);
  longest.resize(std::min(longest.size(), kOutliersShown));
  std::vector<std::string> parts;
  for (const RunIterations::Outlier& o : longest) {
    parts.push_back(fmt::format("iteration {} ({:.1f} x, at {})", o.iteration, o.factor,
                                format_time_ns(static_cast<double>(o.begin_ns))));
  }
  return fmt::format("{} longer than the median of those around: {}{}.",
                     count_of(run.outliers.size(), "iteration"),
                     run.outliers.size() > longest.size() ? "the longest are " : "",
                     enumeration(parts));
}

std::string_view metric_name(PhaseMetric metric) {
  switch (metric) {
    case PhaseMetric::structure:
      return "sequence of calls";
    case PhaseMetric::processors:
      return "time without a processor";
    default:
      return identifier(metric);
  }
}

std::string processors_sentence(const RunIterations& run) {
  return fmt::format(
      "Ranks lacked a processor for {} of the loop's time outside MPI: computation is compared by "
      "CPU time{}.",
      format_percent(run.off_processor_share),
      run.times_in_mpi_count ? "" : ", and times in MPI are not compared");
}

Value rank_cell(int rank) {
  return rank < 0 ? Value() : Value(std::to_string(rank));
}

Table trend_table(const std::vector<IterationTrend>& trends) {
  Table table{"iteration_trends",
              "Trends over the iterations",
              {{"metric"},
               {"rank", {}, "empty: mean of all ranks"},
               {"growth", Unit::ratio, "per iteration, of the value in the first"},
               {"first", Unit::ns, "per iteration"},
               {"last", Unit::ns, "per iteration"}},
              {}};
  for (const IterationTrend& t : trends) {
    table.rows.push_back(
        {std::string(metric_name(t.metric)), rank_cell(t.rank), t.growth, t.first_ns, t.last_ns});
  }
  return table;
}

/// Iterations and what changes between them.
void add_iterations(const RunIterations& run, Section& section) {
  section.items.emplace_back(Facts{
      {{"iterations", static_cast<std::int64_t>(run.count), Unit::count, "of the longest loop"},
       {"iteration length", run.period_ns, Unit::ns, "median"},
       {"first iteration begins", run.begin_ns, Unit::ns},
       {"last iteration ends", run.end_ns, Unit::ns}}});
  if (run.off_processor_share > 0) {
    section.items.emplace_back(Paragraph{processors_sentence(run)});
  }
  section.items.emplace_back(Paragraph{outlier_sentence(run)});
  if (!run.trends.empty()) section.items.emplace_back(trend_table(run.trends));
  if (run.changes.empty()) return;
  Table table{"iteration_changes",
              "Changes between iterations",
              {{"iteration", Unit::count, "the first one after the change, from 0"},
               {"metric"},
               {"rank", {}, "empty: mean of all ranks"},
               {"before", Unit::ns, "per iteration"},
               {"after", Unit::ns, "per iteration"}},
              {}};
  for (const IterationChange& c : run.changes) {
    const bool structure = c.metric == PhaseMetric::structure;
    table.rows.push_back({static_cast<std::int64_t>(c.iteration),
                          std::string(metric_name(c.metric)), rank_cell(c.rank),
                          structure ? Value() : Value(c.before_ns),
                          structure ? Value() : Value(c.after_ns)});
  }
  section.items.emplace_back(std::move(table));
}

Series transfer_series(const Monitor& m) {
  Series series{"transfer_monitor",
                fmt::format("Transfer efficiency of rank {}, per call", m.rank),
                "time",
                Unit::ns,
                {},
                {},
                {}};
  for (const std::int64_t t : m.transfer.time_ns) series.x.push_back(static_cast<double>(t));
  series.lines.push_back({"cumulative", Unit::ratio, m.transfer.cumulative});
  series.lines.push_back({"local", Unit::ratio, m.transfer.local});
  for (const FocusInterval& r : m.intervals) {
    series.zones.push_back({std::string(name(r.kind)), static_cast<double>(r.begin_ns),
                            static_cast<double>(r.end_ns)});
  }
  return series;
}

Series window_series(const Monitor& m) {
  Series series{"windows", "Efficiencies over time, all ranks", "time", Unit::ns, {}, {}, {}};
  Line useful{"parallel efficiency", Unit::ratio, {}};
  Line balance{"load balance", Unit::ratio, {}};
  Line serial{"serialisation", Unit::ratio, {}};
  Line transfer{"transfer", Unit::ratio, {}};
  for (std::size_t i = 0; i < m.windows.size(); ++i) {
    series.x.push_back(static_cast<double>(m.border_ns[i]));
    useful.y.push_back(m.windows[i].useful);
    balance.y.push_back(m.windows[i].load_balance);
    serial.y.push_back(m.windows[i].serialisation);
    transfer.y.push_back(m.windows[i].transfer);
  }
  for (Line* line : {&useful, &balance, &serial, &transfer}) {
    line->steps = true;
    series.lines.push_back(std::move(*line));
  }
  return series;
}

}  // namespace

std::string trend_sentence(const IterationTrend& t) {
  const std::string whose = t.rank < 0 ? "mean of all ranks" : fmt::format("rank {}", t.rank);
  return fmt::format("Trend: {} ({}) {} steadily by {} per iteration, from {} to {}.",
                     metric_name(t.metric), whose, t.growth < 0 ? "declines" : "grows",
                     format_percent(std::abs(t.growth), 2), format_time_ns(t.first_ns),
                     format_time_ns(t.last_ns));
}

Section monitor_section(const Monitor& m, bool calls) {
  Section section{.id = "monitor", .title = "Phases"};
  section.items.emplace_back(Paragraph{
      "Intervals with the same phase number behave similarly; * marks the representative one."});
  section.items.emplace_back(interval_table(m));
  if (m.iterations) add_iterations(*m.iterations, section);
  if (calls && !m.transfer.time_ns.empty()) section.items.emplace_back(transfer_series(m));
  if (!m.windows.empty()) section.items.emplace_back(window_series(m));
  return section;
}

const JsonType& declared_type(const FocusIntervalsJsonTag*) {
  return json_type_by<focus_interval_objects>();
}

FocusIntervalsJson intervals_to_json(const Monitor& m) {
  return focus_interval_objects(m);
}

const JsonType& declared_type(const WindowsJsonTag*) {
  return json_type_by<window_objects>();
}

WindowsJson windows_to_json(const Monitor& m) {
  return window_objects(m);
}

const JsonType& declared_type(const IterationsJsonTag*) {
  return json_type_by<iterations_object>();
}

std::optional<IterationsJson> iterations_to_json(const Monitor& m) {
  if (!m.iterations) return std::nullopt;
  return iterations_object(*m.iterations);
}

const JsonType& declared_type(const MonitorJsonTag*) {
  return json_type_by<monitor_object>();
}

Described<MonitorJson> describe(const Monitor& m) {
  Described<MonitorJson> report{monitor_object(m)};
  report.findings = m.findings;
  report.sections.push_back(monitor_section(m, true));
  return report;
}

}  // namespace slackline
