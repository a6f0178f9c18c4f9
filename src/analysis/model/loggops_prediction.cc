#include "analysis/model/loggops_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analysis/model/model_choice.h"
#include "base/parallel.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kRanksShown = 64;

/// All digits, for whoever compares with another simulator.
std::string exact_ns(double value) {
  return fmt::format("{}", value);
}

Paragraph not_convex() {
  return {
      "LogGOPS serialises the work of each processor and network card, so the run time is not "
      "convex in L: it has values, but no exact linear pieces or tolerances. Use --model loggps "
      "for those."};
}

std::size_t last_to_end(const LogGOPSRun& run) {
  if (run.finish_ns.empty()) return 0;
  return static_cast<std::size_t>(std::ranges::max_element(run.finish_ns) - run.finish_ns.begin());
}

const Rows<double> kFinish{{"finish_ns", [](auto& ns) { return ns; }}};

using SweepPoint = std::pair<double, double>;
const Rows<SweepPoint> kSweepPoints{
    "points",
    "Predicted run time by latency",
    {{"value_ns", "L", Unit::ns, &SweepPoint::first},
     {"makespan_ns", "T", Unit::ns, &SweepPoint::second},
     {kShown, "T exact (ns)", Unit::none, [](auto& p) { return exact_ns(p.second); }}}};

}  // namespace

const Rows<LogGOPSRun> kLogGOPSRun{{"makespan_ns", &LogGOPSRun::makespan_ns},
                                   {"last_rank", last_to_end},
                                   {"convex", [](auto&) { return false; }},
                                   {"events", &LogGOPSRun::events},
                                   {"ranks", &LogGOPSRun::finish_ns, kFinish}};

Described<LogGOPSRunJson> describe(const LogGOPSRun& run) {
  Described<LogGOPSRunJson> report{LogGOPSRunJson(run)};
  Facts facts;
  facts.facts.push_back({"predicted run time", run.makespan_ns, Unit::ns, "end of the last rank"});
  facts.facts.push_back({"exact value", exact_ns(run.makespan_ns), Unit::none, "in nanoseconds"});
  facts.facts.push_back({"last rank", cell_of(last_to_end(run))});
  facts.facts.push_back({"events", static_cast<std::int64_t>(run.events), Unit::count,
                         "operations and messages processed"});
  Table table{.id = "ranks",
              .title = "End time per rank",
              .columns = {{"rank"}, {"finish", Unit::ns}, {"exact (ns)"}},
              .rows = {}};
  for (std::size_t r = 0; r < std::min(kRanksShown, run.finish_ns.size()); ++r) {
    table.rows.push_back(
        {static_cast<std::int64_t>(r), run.finish_ns[r], exact_ns(run.finish_ns[r])});
  }
  Section section{"prediction", "Prediction (LogGOPS)", {std::move(facts), not_convex()}, {}};
  section.items.emplace_back(std::move(table));
  if (run.finish_ns.size() > kRanksShown) {
    section.items.emplace_back(Paragraph{"First 64 ranks only; --format json lists all."});
  }
  report.sections.push_back(std::move(section));
  return report;
}

LogGOPSSweep sweep_latency(const GoalProgram& program, const LogGOPS& model, std::int64_t from_fs,
                           std::int64_t to_fs, std::size_t count, std::string_view name) {
  LogGOPSSweep sweep;
  sweep.base_ns = ns_of_fs(model.latency_fs);
  sweep.points.resize(count);
  parallel_for(count, [&](std::size_t i) {
    LogGOPS at = model;
    const std::int64_t step =
        count > 1 ? (to_fs - from_fs) / static_cast<std::int64_t>(count - 1) : 0;
    at.latency_fs = i + 1 == count ? to_fs : from_fs + step * static_cast<std::int64_t>(i);
    sweep.points[i] = {ns_of_fs(at.latency_fs), simulate_loggops(program, at, name).makespan_ns};
  });
  return sweep;
}

const Rows<LogGOPSSweep> kLogGOPSSweep{{"parameter", [](auto&) { return "L"; }},
                                       {"base_ns", &LogGOPSSweep::base_ns},
                                       {"convex", [](auto&) { return false; }},
                                       {"points", &LogGOPSSweep::points, kSweepPoints}};

Described<LogGOPSSweepJson> describe(const LogGOPSSweep& sweep) {
  Described<LogGOPSSweepJson> report{LogGOPSSweepJson(sweep)};
  Series series{.id = "makespan",
                .title = "Predicted run time vs. latency L",
                .x_name = "L",
                .x_unit = Unit::ns,
                .x = {},
                .lines = {{.name = "T", .unit = Unit::ns, .y = {}}},
                .zones = {}};
  for (const auto& [latency, makespan] : sweep.points) {
    series.x.push_back(latency);
    series.lines.front().y.push_back(makespan);
  }
  report.sections.push_back({"sensitivity",
                             "Predicted run time (LogGOPS)",
                             {not_convex(), std::move(series), kSweepPoints.table(sweep.points)},
                             {}});
  return report;
}

const Rows<LogGOPS> kLogGOPS{
    {"model", [](auto&) { return "loggops"; }},
    {"L_ns", [](auto& m) { return ns_of_fs(m.latency_fs); }},
    {"o_ns", [](auto& m) { return ns_of_fs(m.overhead_fs); }},
    {"g_ns", [](auto& m) { return ns_of_fs(m.gap_fs); }},
    {"G_ns_per_byte", [](auto& m) { return ns_of_fs(m.gap_per_byte_fs); }},
    {"O_ns_per_byte", [](auto& m) { return ns_of_fs(m.overhead_per_byte_fs); }},
    {"S_bytes", [](auto& m) { return threshold_json(m.eager_threshold_bytes); }},
    {"noise_interruptions", [](auto& m) { return m.noise.interruptions.size(); }},
    {"noise_seed", [](auto& m) { return m.noise.seed; }},
    {"loggopsim_flaws", &LogGOPS::loggopsim_deviations}};

}  // namespace slackline
