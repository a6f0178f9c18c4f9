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

auto parameters_object(const LogGOPS& model) {
  return Object{"model"_key = "loggops",
                "L_ns"_key = ns_of_fs(model.latency_fs),
                "o_ns"_key = ns_of_fs(model.overhead_fs),
                "g_ns"_key = ns_of_fs(model.gap_fs),
                "G_ns_per_byte"_key = ns_of_fs(model.gap_per_byte_fs),
                "O_ns_per_byte"_key = ns_of_fs(model.overhead_per_byte_fs),
                "S_bytes"_key = threshold_json(model.eager_threshold_bytes),
                "noise_interruptions"_key = model.noise.interruptions.size(),
                "noise_seed"_key = model.noise.seed,
                "loggopsim_flaws"_key = model.loggopsim_deviations};
}

auto finish_object(double finish_ns) {
  return Object{"finish_ns"_key = finish_ns};
}

auto loggops_run_object(const LogGOPSRun& run, std::int64_t last_rank) {
  return Object{"makespan_ns"_key = run.makespan_ns, "last_rank"_key = last_rank,
                "convex"_key = false, "events"_key = run.events,
                "ranks"_key = list_of(run.finish_ns, finish_object)};
}

auto loggops_sweep_object(const LogGOPSSweep& sweep) {
  return Object{"parameter"_key = "L", "base_ns"_key = sweep.base_ns, "convex"_key = false,
                "points"_key = list_of(sweep.points, [](const auto& point) {
                  return Object{"value_ns"_key = point.first, "makespan_ns"_key = point.second};
                })};
}

}  // namespace

const JsonType& declared_type(const LogGOPSRunJsonTag*) {
  return json_type_by<loggops_run_object>();
}

Described<LogGOPSRunJson> describe(const LogGOPSRun& run) {
  const auto last = std::ranges::max_element(run.finish_ns);
  const auto last_rank =
      last == run.finish_ns.end() ? 0 : static_cast<std::int64_t>(last - run.finish_ns.begin());
  Described<LogGOPSRunJson> report{loggops_run_object(run, last_rank)};
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

const JsonType& declared_type(const LogGOPSSweepJsonTag*) {
  return json_type_by<loggops_sweep_object>();
}

Described<LogGOPSSweepJson> describe(const LogGOPSSweep& sweep) {
  Described<LogGOPSSweepJson> report{loggops_sweep_object(sweep)};
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
    series.x.push_back(latency);
    series.lines.front().y.push_back(makespan);
    table.rows.push_back({latency, makespan, exact_ns(makespan)});
  }
  report.sections.push_back({"sensitivity",
                             "Predicted run time (LogGOPS)",
                             {not_convex(), std::move(series), std::move(table)},
                             {}});
  return report;
}

const JsonType& declared_type(const LogGOPSJsonTag*) {
  return json_type_by<parameters_object>();
}

LogGOPSJson to_json(const LogGOPS& model) {
  return parameters_object(model);
}

}  // namespace slackline
