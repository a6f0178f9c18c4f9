#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/phases/monitor.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kOutliersShown = 5;

Json to_json(const WindowEfficiency& e) {
  return {{"parallel", e.useful},
          {"load_balance", e.load_balance},
          {"serialisation", e.serialisation},
          {"transfer", e.transfer}};
}

bool of_program(const FocusInterval& r) {
  return r.kind != IntervalKind::startup && r.kind != IntervalKind::shutdown;
}

std::string phase_label(const FocusInterval& r) {
  return of_program(r) ? fmt::format("{}{}", r.phase + 1, r.representative ? " *" : "") : "";
}

Json to_json(const FocusInterval& r) {
  Json json{{"begin_ns", r.begin_ns},
            {"end_ns", r.end_ns},
            {"kind", to_string(r.kind)},
            {"confidence", r.confidence},
            {"phase", of_program(r) ? Json(r.phase) : Json()},
            {"representative", r.representative},
            {"waiting_ns", r.waiting_ns},
            {"main_pattern", r.main_pattern ? Json(identifier(*r.main_pattern)) : Json()},
            {"late_rank", r.late_rank < 0 ? Json() : Json(r.late_rank)},
            {"late_share", r.late_share},
            {"path_rank", r.path_rank},
            {"path_share", r.path_share}};
  json["efficiency"] = to_json(r.efficiency);
  return json;
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
  return fmt::format(
      "{} longer than the median of the phase: {}{}.", count_of(run.outliers.size(), "iteration"),
      run.outliers.size() > longest.size() ? "the longest are " : "", enumeration(parts));
}

/// Iterations and what changes between them.
void add_iterations(const RunIterations& run, Section& section) {
  section.items.emplace_back(Facts{
      {{"iterations", static_cast<std::int64_t>(run.count), Unit::count, "of the longest loop"},
       {"iteration length", run.period_ns, Unit::ns, "median"},
       {"first iteration begins", run.begin_ns, Unit::ns},
       {"last iteration ends", run.end_ns, Unit::ns}}});
  section.items.emplace_back(Paragraph{outlier_sentence(run)});
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
                          structure ? "sequence of calls" : std::string(identifier(c.metric)),
                          c.rank < 0 ? Value() : Value(std::to_string(c.rank)),
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

Json intervals_to_json(const Monitor& m) {
  Json intervals = Json::array();
  for (const FocusInterval& r : m.intervals) intervals.push_back(to_json(r));
  return intervals;
}

Json phases_to_json(const Monitor& m) {
  Json phases = Json::array();
  for (const FocusInterval& r : m.intervals) {
    if (!of_program(r)) continue;
    phases.push_back({{"begin_ns", r.begin_ns}, {"end_ns", r.end_ns}, {"kind", to_string(r.kind)}});
  }
  return phases;
}

Json iterations_to_json(const Monitor& m) {
  if (!m.iterations) return {};
  const RunIterations& run = *m.iterations;
  Json json{{"period_ns", run.period_ns}, {"count", run.count},
            {"begin_ns", run.begin_ns},   {"end_ns", run.end_ns},
            {"outliers", Json::array()},  {"outlier_factors", Json::array()},
            {"changes", Json::array()}};
  for (const RunIterations::Outlier& o : run.outliers) {
    json["outliers"].push_back(o.iteration);
    json["outlier_factors"].push_back(o.factor);
  }
  for (const IterationChange& c : run.changes) {
    json["changes"].push_back({{"iteration", c.iteration},
                               {"metric", identifier(c.metric)},
                               {"rank", c.rank < 0 ? Json() : Json(c.rank)},
                               {"before_ns", c.before_ns},
                               {"after_ns", c.after_ns}});
  }
  return json;
}

Json windows_to_json(const Monitor& m) {
  Json windows = Json::array();
  for (std::size_t i = 0; i < m.windows.size(); ++i) {
    Json window = to_json(m.windows[i]);
    window["begin_ns"] = m.border_ns[i];
    window["end_ns"] = m.border_ns[i + 1];
    windows.push_back(std::move(window));
  }
  return windows;
}

Report describe(const Monitor& m) {
  Report report;
  report.findings = m.findings;
  report.result = {{"rank", m.rank},
                   {"length_ns", m.length_ns},
                   {"phases", phases_to_json(m)},
                   {"iterations", iterations_to_json(m)},
                   {"regions", intervals_to_json(m)},
                   {"windows", windows_to_json(m)},
                   {"monitor",
                    {{"time_ns", m.transfer.time_ns},
                     {"local", m.transfer.local},
                     {"longer_pairs", m.transfer.longer_pairs},
                     {"cumulative", m.transfer.cumulative}}}};
  report.sections.push_back(monitor_section(m, true));
  return report;
}

}  // namespace slackline
