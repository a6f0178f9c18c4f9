#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/phases/monitor.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr double kVisiblyAboveOne = 1.0005;

constexpr std::size_t kOutliersShown = 5;

const Rows<WindowEfficiency> kWindowEfficiency{{"parallel", &WindowEfficiency::useful},
                                               {"load_balance", &WindowEfficiency::load_balance},
                                               {"serialisation", &WindowEfficiency::serialisation},
                                               {"transfer", &WindowEfficiency::transfer},
                                               {"openmp_parallel", &WindowEfficiency::openmp}};

bool of_program(const FocusInterval& r) {
  return r.kind != IntervalKind::startup && r.kind != IntervalKind::shutdown;
}

std::string phase_label(const FocusInterval& r) {
  return of_program(r) ? fmt::format("{}{}", r.phase + 1, r.representative ? " *" : "") : "";
}

/// Nothing is expected to be efficient outside of the program.
template <double WindowEfficiency::*part>
std::optional<double> efficiency_in(const FocusInterval& r) {
  return known_if(of_program(r), r.efficiency.*part);
}

const Rows<FocusInterval> kProgramPhases{{"begin_ns", &FocusInterval::begin_ns},
                                         {"end_ns", &FocusInterval::end_ns},
                                         {"kind", [](auto& r) { return to_string(r.kind); }}};

/// The intervals between MPI_Init and MPI_Finalize.
std::vector<FocusInterval> intervals_of_program(const Monitor& m) {
  std::vector<FocusInterval> intervals;
  std::ranges::copy_if(m.intervals, std::back_inserter(intervals), of_program);
  return intervals;
}

std::string_view metric_name(PhaseMetric metric) {
  switch (metric) {
    case PhaseMetric::structure:
      return "sequence of calls";
    case PhaseMetric::processors:
      return "time without a processor";
    case PhaseMetric::threads:
      return "idle time per thread";
    default:
      return identifier(metric);
  }
}

Value rank_cell(int rank) {
  return rank < 0 ? Value() : Value(std::to_string(rank));
}

NameOf named_metric(const auto& row) {
  return {identifier(row.metric), metric_name(row.metric)};
}
std::optional<std::int32_t> rank_of(const auto& row) {
  return known_if(row.rank >= 0, row.rank);
}

const Rows<IterationTrend> kIterationTrends{
    "iteration_trends",
    "Trends over the iterations",
    {{"metric", Unit::none, named_metric<IterationTrend>},
     {"rank", rank_of<IterationTrend>},
     {kShown, "rank", Unit::none, [](auto& t) { return rank_cell(t.rank); },
      "empty: mean of all ranks"},
     {kShown, "growth", Unit::ratio, &IterationTrend::growth,
      "per iteration, of the value in the first"},
     {"before_ns", "first", Unit::ns, &IterationTrend::first_ns, "per iteration"},
     {"after_ns", "last", Unit::ns, &IterationTrend::last_ns, "per iteration"},
     {"growth", &IterationTrend::growth}}};

std::string whose(std::int32_t rank) {
  return rank < 0 ? "mean of all ranks" : fmt::format("rank {}", rank);
}

/// The sequence of calls has no length.
std::optional<double> length_of(const IterationChange& c, double ns) {
  return known_if(c.metric != PhaseMetric::structure, ns);
}

const Rows<IterationChange> kIterationChanges{
    "iteration_changes",
    "Changes between iterations",
    {{"iteration", Unit::count, &IterationChange::iteration,
      "the first one after the change, from 0"},
     {"metric", Unit::none, named_metric<IterationChange>},
     {"rank", rank_of<IterationChange>},
     {kShown, "rank", Unit::none, [](auto& c) { return rank_cell(c.rank); },
      "empty: mean of all ranks"},
     {"before_ns", &IterationChange::before_ns},
     {kShown, "before", Unit::ns, [](auto& c) { return length_of(c, c.before_ns); },
      "per iteration"},
     {"after_ns", &IterationChange::after_ns},
     {kShown, "after", Unit::ns, [](auto& c) { return length_of(c, c.after_ns); },
      "per iteration"}}};

const Rows<TransferMonitor> kTransferMonitor{{"time_ns", &TransferMonitor::time_ns},
                                             {"local", &TransferMonitor::local},
                                             {"longer_pairs", &TransferMonitor::longer_pairs},
                                             {"cumulative", &TransferMonitor::cumulative}};

auto window_object(const Monitor& m, std::size_t window) {
  return Object{JsonBy<kWindowEfficiency>(m.windows[window]), "begin_ns"_key = m.border_ns[window],
                "end_ns"_key = m.border_ns[window + 1]};
}

auto window_objects(const Monitor& m) {
  std::vector<ReturnedBy<window_object>> windows;
  for (std::size_t i = 0; i < m.windows.size(); ++i) windows.push_back(window_object(m, i));
  return windows;
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

std::string processors_sentence(const RunIterations& run) {
  return fmt::format(
      "Ranks lacked a processor for {} of the loop's time outside MPI: computation is compared by "
      "CPU time{}.",
      format_percent(run.off_processor_share),
      run.times_in_mpi_count ? "" : ", and times in MPI are not compared");
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
  if (!run.trends.empty()) section.items.emplace_back(kIterationTrends.table(run.trends));
  if (!run.changes.empty()) section.items.emplace_back(kIterationChanges.table(run.changes));
}

/// With OpenMP's efficiency, of runs that have it.
Table interval_table(const Monitor& m) {
  Table table = kFocusIntervals.table(m.intervals);
  if (!m.whole.openmp) return table;
  table.columns.push_back({"OpenMP eff.", Unit::ratio, "work over thread time outside MPI"});
  for (std::size_t i = 0; i < m.intervals.size(); ++i) {
    const FocusInterval& r = m.intervals[i];
    const bool known = of_program(r) && r.efficiency.openmp;
    table.rows[i].push_back(known ? Value(*r.efficiency.openmp) : Value());
  }
  return table;
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
  Line openmp{"OpenMP", Unit::ratio, {}};
  for (const WindowEfficiency& w : m.windows) {
    if (w.openmp) openmp.y.push_back(*w.openmp);
  }
  for (Line* line : {&useful, &balance, &serial, &transfer, &openmp}) {
    if (line->y.empty()) continue;
    line->steps = true;
    series.lines.push_back(std::move(*line));
  }
  return series;
}

}  // namespace

std::string change_sentence(const IterationChange& c) {
  if (c.metric == PhaseMetric::structure) {
    return fmt::format("From iteration {} on, the sequence of calls is another one.", c.iteration);
  }
  return fmt::format("From iteration {} on, {} ({}) is {} per iteration instead of {}.",
                     c.iteration, metric_name(c.metric), whose(c.rank), format_time_ns(c.after_ns),
                     format_time_ns(c.before_ns));
}

std::string trend_sentence(const IterationTrend& t) {
  return fmt::format("Trend: {} ({}) {} steadily by {} per iteration, from {} to {}.",
                     metric_name(t.metric), whose(t.rank), t.growth < 0 ? "declines" : "grows",
                     format_percent(std::abs(t.growth), 2), format_time_ns(t.first_ns),
                     format_time_ns(t.last_ns));
}

Section monitor_section(const Monitor& m, bool calls) {
  Section section{.id = "monitor", .title = "Phases"};
  section.items.emplace_back(Paragraph{
      "Intervals with the same phase number behave similarly; * marks the representative one."});
  section.items.emplace_back(interval_table(m));
  if (m.iterations) add_iterations(*m.iterations, section);
  if (calls && !m.transfer.time_ns.empty()) {
    section.items.emplace_back(transfer_series(m));
    if (std::ranges::any_of(m.transfer.cumulative, [](double e) { return e > kVisiblyAboveOne; })) {
      section.items.emplace_back(Paragraph{
          "Where the cumulative efficiency exceeds one, the rank has waited longer on the "
          "ideal network than in the run so far: large blocking sends wait for their "
          "receives there (--rendezvous-from), or the ranks' clocks differ, which counts in the "
          "first calls."});
    }
  }
  if (!m.windows.empty()) section.items.emplace_back(window_series(m));
  return section;
}

const Rows<FocusInterval> kFocusIntervals{
    "focus_regions",
    "Phase intervals",
    {{"begin_ns", "begin", Unit::ns, &FocusInterval::begin_ns},
     {"end_ns", "end", Unit::ns, &FocusInterval::end_ns},
     {"kind", "dominant factor", Unit::none,
      [](auto& r) {
        return NameOf{to_string(r.kind), name(r.kind)};
      }},
     {"confidence", &FocusInterval::confidence},
     {"phase", [](auto& r) { return known_if(of_program(r), r.phase); }},
     {kShown, "phase", Unit::none, phase_label},
     {"representative", &FocusInterval::representative},
     {kShown, "parallel eff.", Unit::ratio, efficiency_in<&WindowEfficiency::useful>,
      "parallel efficiency"},
     {kShown, "load balance", Unit::ratio, efficiency_in<&WindowEfficiency::load_balance>},
     {kShown, "serial. eff.", Unit::ratio, efficiency_in<&WindowEfficiency::serialisation>,
      "serialisation efficiency"},
     {kShown, "transfer eff.", Unit::ratio, efficiency_in<&WindowEfficiency::transfer>,
      "transfer efficiency"},
     {"waiting_ns", "wait time", Unit::ns, &FocusInterval::waiting_ns, "sum over all ranks"},
     {kShown, "confidence", Unit::ratio, &FocusInterval::confidence,
      "of the change point at its begin"},
     {"main_pattern",
      [](auto& r) { return optional_of(r.main_pattern, [](auto p) { return identifier(p); }); }},
     {"late_rank", [](auto& r) { return known_if(r.late_rank >= 0, r.late_rank); }},
     {"late_share", &FocusInterval::late_share},
     {"path_rank", &FocusInterval::path_rank},
     {"path_share", &FocusInterval::path_share},
     {"efficiency", &FocusInterval::efficiency, kWindowEfficiency}}};

const JsonType& declared_type(const WindowsJsonTag*) {
  return json_type_by<window_objects>();
}

WindowsJson windows_to_json(const Monitor& m) {
  return window_objects(m);
}

const Rows<RunIterations> kIterations{
    {"period_ns", &RunIterations::period_ns},
    {"count", &RunIterations::count},
    {"begin_ns", &RunIterations::begin_ns},
    {"end_ns", &RunIterations::end_ns},
    {"outliers",
     [](auto& run) { return list_of(run.outliers, [](auto& o) { return o.iteration; }); }},
    {"outlier_factors",
     [](auto& run) { return list_of(run.outliers, [](auto& o) { return o.factor; }); }},
    {"changes", &RunIterations::changes, kIterationChanges},
    {"trends", &RunIterations::trends, kIterationTrends},
    {"off_processor_share", &RunIterations::off_processor_share}};

const Rows<Monitor> kMonitorRows{{"rank", &Monitor::rank},
                                 {"length_ns", &Monitor::length_ns},
                                 {"phases", intervals_of_program, kProgramPhases},
                                 {"iterations", &Monitor::iterations, kIterations},
                                 {"regions", &Monitor::intervals, kFocusIntervals},
                                 {"windows", windows_to_json},
                                 {"monitor", &Monitor::transfer, kTransferMonitor}};

Described<MonitorJson> describe(const Monitor& m) {
  Described<MonitorJson> report{MonitorJson(m)};
  report.findings = m.findings;
  report.sections.push_back(monitor_section(m, true));
  return report;
}

}  // namespace slackline
