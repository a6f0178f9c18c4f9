#include "analysis/model/loggops_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

}  // namespace

Report describe(const LogGOPSRun& run) {
  Report report;
  const auto last = std::ranges::max_element(run.finish_ns);
  const auto last_rank =
      last == run.finish_ns.end() ? 0 : static_cast<std::int64_t>(last - run.finish_ns.begin());
  Json ranks = Json::array();
  for (const double finish : run.finish_ns) ranks.push_back({{"finish_ns", finish}});
  report.result = {{"makespan_ns", run.makespan_ns},
                   {"last_rank", last_rank},
                   {"convex", false},
                   {"events", run.events},
                   {"ranks", std::move(ranks)}};
  Facts facts;
  facts.facts.push_back({"predicted run time", run.makespan_ns, Unit::ns, "end of the last rank"});
  facts.facts.push_back({"exact value", exact_ns(run.makespan_ns), Unit::none, "in nanoseconds"});
  facts.facts.push_back({"last rank", last_rank});
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

Report describe(const LogGOPSSweep& sweep) {
  Report report;
  Json points = Json::array();
  Series series{.id = "makespan",
                .title = "Predicted run time vs. latency L",
                .x_name = "L",
                .x_unit = Unit::ns,
                .x = {},
                .lines = {{.name = "T", .unit = Unit::ns, .y = {}}},
                .zones = {}};
  Table table{.id = "points",
              .title = "Predicted run time by latency",
              .columns = {{"L", Unit::ns}, {"T", Unit::ns}, {"T exact (ns)"}},
              .rows = {}};
  for (const auto& [latency, makespan] : sweep.points) {
    points.push_back({{"value_ns", latency}, {"makespan_ns", makespan}});
    series.x.push_back(latency);
    series.lines.front().y.push_back(makespan);
    table.rows.push_back({latency, makespan, exact_ns(makespan)});
  }
  report.result = {{"parameter", "L"},
                   {"base_ns", sweep.base_ns},
                   {"convex", false},
                   {"points", std::move(points)}};
  report.sections.push_back({"sensitivity",
                             "Predicted run time (LogGOPS)",
                             {not_convex(), std::move(series), std::move(table)},
                             {}});
  return report;
}

Json to_json(const LogGOPS& model) {
  const std::uint64_t threshold = model.eager_threshold_bytes;
  return {{"model", "loggops"},
          {"L_ns", ns_of_fs(model.latency_fs)},
          {"o_ns", ns_of_fs(model.overhead_fs)},
          {"g_ns", ns_of_fs(model.gap_fs)},
          {"G_ns_per_byte", ns_of_fs(model.gap_per_byte_fs)},
          {"O_ns_per_byte", ns_of_fs(model.overhead_per_byte_fs)},
          {"S_bytes", threshold == std::numeric_limits<std::uint64_t>::max() ? Json("unlimited")
                                                                             : Json(threshold)},
          {"noise_interruptions", model.noise.interruptions.size()},
          {"noise_seed", model.noise.seed},
          {"loggopsim_flaws", model.loggopsim_deviations}};
}

}  // namespace slackline
