#include "analysis/simulation/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "analysis/runs/measured.h"
#include "base/text_parsing.h"
#include "base/units.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

auto simulated_rank_object(const Simulation& s, std::size_t rank) {
  const auto& times = s.ranks[rank];
  return Object{"end_ns"_key = ns_of_seconds(s.rank_end[rank]),
                "compute_ns"_key = ns_of_seconds(times.compute),
                "overhead_ns"_key = ns_of_seconds(times.overhead),
                "transfer_ns"_key = ns_of_seconds(times.transfer),
                "wait_ns"_key = ns_of_seconds(times.wait)};
}

auto simulated_rank_objects(const Simulation& s) {
  std::vector<ReturnedBy<simulated_rank_object>> ranks;
  for (std::size_t r = 0; r < s.ranks.size(); ++r) ranks.push_back(simulated_rank_object(s, r));
  return ranks;
}

auto totals_object(const Simulation& s) {
  const Contention& c = s.contention;
  return Object{"makespan_ns"_key = ns_of_seconds(s.makespan), "last_rank"_key = s.last_rank,
                "messages"_key = Object{"count"_key = c.messages, "slowed"_key = c.slowed,
                                        "alone_ns"_key = ns_of_seconds(c.alone_seconds),
                                        "actual_ns"_key = ns_of_seconds(c.actual_seconds),
                                        "worst_ratio"_key = c.worst_ratio}};
}

/// "1.09 x"
std::string factor(double value) {
  return fmt::format("{:.2f} x", value);
}

Facts key_facts(const Simulation& s) {
  const Contention& c = s.contention;
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  Facts facts;
  facts.facts.push_back({"simulated run time", ns_of_seconds(s.makespan), Unit::ns,
                         "from the start of the first rank to the end of the last"});
  facts.facts.push_back({"last rank", s.last_rank, Unit::none, "rank that ends last"});
  facts.facts.push_back({"messages", static_cast<std::int64_t>(c.messages), Unit::count,
                         "including those of collectives"});
  facts.facts.push_back({"messages delayed by contention", share(c.slowed, c.messages), Unit::ratio,
                         "over 1 % longer than without contention"});
  if (c.alone_seconds > 0) {
    facts.facts.push_back({"contention slowdown", factor(c.actual_seconds / c.alone_seconds),
                           Unit::none, "total transfer time with / without contention"});
  }
  return facts;
}

Table rank_table(const Simulation& s) {
  Table table{.id = "ranks",
              .title = "Simulated time per rank",
              .columns = {{"rank"},
                          {"compute", Unit::ns, "outside MPI"},
                          {"overhead", Unit::ns, "sending, receiving, polling and files"},
                          {"transfer", Unit::ns, "waiting for messages in transit"},
                          {"wait", Unit::ns, "waiting for the peer, or for the end of the run"}},
              .rows = {}};
  for (std::size_t r = 0; r < s.ranks.size(); ++r) {
    const RankTimes& t = s.ranks[r];
    table.rows.push_back({static_cast<std::int64_t>(r), ns_of_seconds(t.compute),
                          ns_of_seconds(t.overhead), ns_of_seconds(t.transfer),
                          ns_of_seconds(t.wait)});
  }
  return table;
}

Table operation_table(const Simulation& s) {
  Table table{.id = "operations",
              .title = "Time by operation, all ranks",
              .columns = {{"operation"},
                          {"calls", Unit::count},
                          {"time", Unit::ns, "sum over all ranks"},
                          {"mean", Unit::ns, "per call"}},
              .rows = {}};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < s.operations.size(); ++i) {
    if (s.operations[i].calls > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return s.operations[i].seconds; });
  for (const std::size_t i : order) {
    const OperationTimes& t = s.operations[i];
    table.rows.push_back({std::string(mpi_name(static_cast<Operation>(i))),
                          static_cast<std::int64_t>(t.calls), ns_of_seconds(t.seconds),
                          ns_of_seconds(t.seconds) / static_cast<double>(t.calls)});
  }
  return table;
}

double slowed_share(const Contention& contention) {
  if (contention.messages == 0) return 0;
  return static_cast<double>(contention.slowed) / static_cast<double>(contention.messages);
}

double mean_use(const Simulation& s, const Platform& platform, LinkId link) {
  if (s.makespan <= 0) return 0;
  return s.links->bytes(link) / (platform.link(link).bandwidth * s.makespan);
}

Section describe_links(const Simulation& s, const Platform& platform, std::size_t shown) {
  const std::vector<LinkId> links = most_contended_links(s, platform, shown);
  Table table{.id = "links",
              .title = "Most contended links",
              .columns = {{"link"},
                          {"group", Unit::none, "link group"},
                          {"bandwidth (B/s)"},
                          {"bytes", Unit::bytes, "including acknowledgements"},
                          {"mean utilisation", Unit::ratio, "of its bandwidth, over the whole run"},
                          {"peak utilisation", Unit::ratio, "in the busiest time window"},
                          {"contention delay", Unit::ns,
                           "delay of the messages for which this link was the bottleneck"}},
              .rows = {}};
  Series series{.id = "link-use",
                .title = "Utilisation of the most contended links over time",
                .x_name = "time",
                .x_unit = Unit::ns,
                .x = {},
                .lines = {},
                .zones = {}};
  for (const LinkId link : links) {
    const std::vector<double> use = link_use_over_time(s, platform, link);
    const double peak = use.empty() ? 0 : std::ranges::max(use);
    table.rows.push_back({platform.link_name(link), platform.group_of(link).name,
                          platform.link(link).bandwidth, s.links->bytes(link),
                          mean_use(s, platform, link), peak,
                          ns_of_seconds(s.links->lost_seconds(link))});
    if (use.empty()) continue;
    if (series.x.empty()) {
      for (std::size_t i = 0; i < use.size(); ++i) {
        series.x.push_back(ns_of_seconds(s.links->stretch_seconds()) * static_cast<double>(i));
      }
    }
    series.lines.push_back(
        {.name = platform.link_name(link), .unit = Unit::ratio, .y = use, .steps = true});
  }
  Section section{"links", "Links", {std::move(table)}};
  if (!series.lines.empty() && series.x.size() > 1) section.items.emplace_back(std::move(series));
  return section;
}

auto link_use_object(const Simulation& s, const Platform& platform, LinkId link) {
  return Object{"name"_key = platform.link_name(link), "group"_key = platform.group_of(link).name,
                "bytes"_key = s.links->bytes(link), "mean_use"_key = mean_use(s, platform, link),
                "lost_ns"_key = ns_of_seconds(s.links->lost_seconds(link))};
}

/// Nothing where their use was not kept or none are to be shown.
auto link_use_objects(const Simulation& s, const Platform& platform, std::size_t shown)
    -> std::optional<std::vector<ReturnedBy<link_use_object>>> {
  if (s.links == nullptr || shown == 0) return std::nullopt;
  return list_of(most_contended_links(s, platform, shown),
                 [&](LinkId link) { return link_use_object(s, platform, link); });
}

/// Makespan of the trace as it was measured, for comparison.
std::optional<std::int64_t> measured_ns(const Trace& trace) {
  const std::optional<MeasuredRun> run = measured_run(trace);
  if (!run || run->makespan_ns <= 0) return std::nullopt;
  return run->makespan_ns;
}

auto details_object(const Simulation& s, const Trace& trace, const Platform& platform,
                    std::size_t links_shown) {
  const auto slowed =
      list_of(s.slowed, [&](const SlowedMessage& m) { return JsonBy<kSlowedRows>(m, platform); });
  return Object{"work"_key = Object{"dates"_key = s.events, "rates"_key = s.solved_flows},
                "measured_ns"_key.when(measured_ns(trace)),
                "links"_key.when(link_use_objects(s, platform, links_shown)),
                "slowed"_key.when(!slowed.empty(), slowed)};
}

auto simulation_object(const SimulationParts& parts) {
  return Object{parts.totals, "ranks"_key = parts.ranks, parts.details};
}

/// Against the case with the first number of ranks and the same values otherwise.
struct RankScaling {
  double speedup = 1;
  double efficiency = 1;  ///< 1: as many times faster as there are ranks
};

/// None where the number of ranks is the same in all.
std::optional<RankScaling> scaling_of(const std::vector<SweepCase>& cases,
                                      const std::vector<SweepAxis>& axes, std::size_t i) {
  if (axes.empty() || axes.front().name != kRanksAxis) return std::nullopt;
  const auto ranks = [](const SweepCase& c) {
    return number_in<double>(c.values.front()).value_or(1);
  };
  const SweepCase& base = cases[i - i % axes.front().values.size()];
  const double speedup = base.simulation.makespan / cases[i].simulation.makespan;
  return RankScaling{speedup, speedup * ranks(base) / ranks(cases[i])};
}

auto simulated_case_object(const std::vector<SweepCase>& cases, const std::vector<SweepAxis>& axes,
                           std::size_t i) {
  const std::optional<RankScaling> scaling = scaling_of(cases, axes, i);
  return Object{
      "values"_key = cases[i].values,
      "makespan_ns"_key = ns_of_seconds(cases[i].simulation.makespan),
      "speedup"_key.when(optional_of(scaling, [](const RankScaling& s) { return s.speedup; })),
      "scaling_efficiency"_key.when(
          optional_of(scaling, [](const RankScaling& s) { return s.efficiency; })),
      "slowed"_key = slowed_share(cases[i].simulation.contention)};
}

auto simulated_sweep_object(const std::vector<SweepCase>& cases,
                            const std::vector<SweepAxis>& axes) {
  std::vector<ReturnedBy<simulated_case_object>> objects;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    objects.push_back(simulated_case_object(cases, axes, i));
  }
  return Object{"axes"_key = list_of(axes, [](const SweepAxis& axis) { return axis.name; }),
                "cases"_key = objects};
}

auto simulated_tolerance_object(const SimulatedTolerance& t, const SimulatedTolerance& alone) {
  return Object{"degradation"_key = t.degradation, "factor"_key = t.factor,
                "beyond"_key = known_if(!t.unlimited, t.beyond),
                "without_contention"_key = known_if(!alone.unlimited, alone.factor)};
}

auto tolerance_search_object(const ToleranceSearch& search, const ToleranceSearch& alone) {
  std::vector<ReturnedBy<simulated_tolerance_object>> tolerances;
  for (std::size_t i = 0; i < search.tolerances.size(); ++i) {
    tolerances.push_back(simulated_tolerance_object(search.tolerances[i], alone.tolerances[i]));
  }
  return Object{
      "base_ns"_key = ns_of_seconds(search.base), "monotone"_key = search.monotone,
      "base_without_contention_ns"_key = ns_of_seconds(alone.base), "tolerances"_key = tolerances,
      "tried"_key = list_of(search.tried, [](const auto& tried) {
        return Object{"factor"_key = tried.first, "makespan_ns"_key = ns_of_seconds(tried.second)};
      })};
}

/// Computation and MPI of all ranks as the trace measured them, for comparison.
void add_measured(Facts& facts, const Simulation& s, const Trace& trace) {
  const std::optional<std::int64_t> makespan_ns = measured_ns(trace);
  if (!makespan_ns) return;
  const auto measured = static_cast<double>(*makespan_ns);
  facts.facts.push_back({"measured run time", measured, Unit::ns,
                         meaning(AnalysedExtent::program, run_span(trace).ends)});
  facts.facts.push_back({"simulated / measured", ns_of_seconds(s.makespan) / measured, Unit::ratio,
                         "simulated over recorded run time"});
}

std::string length_sentence(const Simulation& s, const Trace& trace) {
  const double simulated_ns = ns_of_seconds(s.makespan);
  std::string sentence = fmt::format("Simulated run time: {}", format_time_ns(simulated_ns));
  if (const auto measured = measured_ns(trace)) {
    const auto ns = static_cast<double>(*measured);
    sentence += fmt::format(" ({:+.1f} % relative to the measured {})",
                            100 * (simulated_ns / ns - 1), format_time_ns(ns));
  }
  return sentence + ".";
}

}  // namespace

std::string contention_sentence(const Simulation& s, const Platform& platform) {
  const Contention& c = s.contention;
  if (c.slowed == 0) return "No message was delayed by contention.";
  std::string sentence = fmt::format(
      "{} of {} messages were delayed by contention, by a factor of up to {:.3g}; the total "
      "transfer time is {} that without contention",
      format_percent(static_cast<double>(c.slowed) / static_cast<double>(c.messages)),
      format_count(c.messages), c.worst_ratio,
      factor(c.alone_seconds > 0 ? c.actual_seconds / c.alone_seconds : 1.0));
  if (s.links == nullptr) return sentence + ".";
  const std::vector<LinkId> worst = most_contended_links(s, platform, 1);
  if (worst.empty() || s.links->lost_seconds(worst.front()) <= 0) return sentence + ".";
  return sentence + fmt::format("; largest contention delay: {} at link {}.",
                                format_time_ns(ns_of_seconds(s.links->lost_seconds(worst.front()))),
                                platform.link_name(worst.front()));
}

std::vector<LinkId> most_contended_links(const Simulation& s, const Platform& platform,
                                         std::size_t shown) {
  std::vector<LinkId> links;
  for (LinkId link = 0; link < platform.link_count(); ++link) {
    if (s.links->bytes(link) > 0) links.push_back(link);
  }
  const auto key = [&](LinkId link) {
    return std::pair(s.links->lost_seconds(link),
                     s.links->bytes(link) / platform.link(link).bandwidth);
  };
  const std::size_t kept = std::min(shown, links.size());
  std::ranges::partial_sort(links, links.begin() + static_cast<std::ptrdiff_t>(kept),
                            std::greater<>(), key);
  links.resize(kept);
  return links;
}

std::vector<double> link_use_over_time(const Simulation& s, const Platform& platform, LinkId link) {
  std::vector<double> use;
  const double full = platform.link(link).bandwidth * s.links->stretch_seconds();
  double at = 0;
  for (const float bytes : s.links->stretches(link)) {
    if (at >= s.makespan) break;
    use.push_back(static_cast<double>(bytes) / full);
    at += s.links->stretch_seconds();
  }
  return use;
}

const JsonType& declared_type(const SimulationTotalsJsonTag*) {
  return json_type_by<totals_object>();
}

const JsonType& declared_type(const SimulatedRanksJsonTag*) {
  return json_type_by<simulated_rank_objects>();
}

const JsonType& declared_type(const SimulationDetailsJsonTag*) {
  return json_type_by<details_object>();
}

SimulationParts parts_of(const Simulation& simulation, const Trace& trace, const Platform& platform,
                         std::size_t links_shown) {
  return {totals_object(simulation), simulated_rank_objects(simulation),
          details_object(simulation, trace, platform, links_shown)};
}

const JsonType& declared_type(const SimulationJsonTag*) {
  return json_type_by<simulation_object>();
}

Described<SimulationJson> describe(const Simulation& simulation, const Trace& trace,
                                   const Platform& platform, std::size_t links_shown) {
  Described<SimulationJson> report{
      simulation_object(parts_of(simulation, trace, platform, links_shown))};
  Facts facts = key_facts(simulation);
  add_measured(facts, simulation, trace);
  Paragraph said{length_sentence(simulation, trace) + " " +
                 contention_sentence(simulation, platform)};
  report.sections.push_back({"simulation", "Simulated run", {std::move(said), std::move(facts)}});
  report.sections.push_back({"operations", "Operations", {operation_table(simulation)}});
  if (simulation.links != nullptr && links_shown > 0) {
    report.sections.push_back(describe_links(simulation, platform, links_shown));
  }
  if (!simulation.slowed.empty()) {
    report.sections.push_back(
        {"slowed", "Delayed messages", {kSlowedRows.table(simulation.slowed, platform)}});
  }
  report.sections.push_back({"ranks", "Ranks", {rank_table(simulation)}});
  return report;
}

const JsonType& declared_type(const SweepJsonTag*) {
  return json_type_by<simulated_sweep_object>();
}

Described<SweepJson> describe(const std::vector<SweepCase>& cases,
                              const std::vector<SweepAxis>& axes) {
  Table table{.id = "sweep", .title = "Simulated run times", .columns = {}, .rows = {}};
  for (const SweepAxis& axis : axes) table.columns.push_back({axis.name});
  table.columns.push_back({"run time", Unit::ns});
  table.columns.push_back({"relative to first", Unit::ratio, "run time relative to the first row"});
  if (scaling_of(cases, axes, 0)) {
    table.columns.push_back(
        {"speed-up", Unit::none, "against the first number of ranks, all else the same"});
    table.columns.push_back(
        {"efficiency", Unit::ratio, "speed-up divided by the increase of the number of ranks"});
  }
  table.columns.push_back(
      {"messages delayed", Unit::ratio, "over 1 % longer than without contention"});
  Described<SweepJson> report{simulated_sweep_object(cases, axes)};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const SweepCase& c = cases[i];
    std::vector<Value> row(c.values.begin(), c.values.end());
    row.emplace_back(ns_of_seconds(c.simulation.makespan));
    row.emplace_back(c.simulation.makespan / cases.front().simulation.makespan);
    if (const std::optional<RankScaling> scaling = scaling_of(cases, axes, i)) {
      row.emplace_back(scaling->speedup);
      row.emplace_back(scaling->efficiency);
    }
    row.emplace_back(slowed_share(c.simulation.contention));
    table.rows.push_back(std::move(row));
  }
  report.sections.push_back({"sweep", "Sweep", {std::move(table)}});
  return report;
}

const JsonType& declared_type(const ToleranceSearchJsonTag*) {
  return json_type_by<tolerance_search_object>();
}

Described<ToleranceSearchJson> describe(const ToleranceSearch& search, const ToleranceSearch& alone,
                                        const std::string& what) {
  Table table{
      .id = "tolerance",
      .title = "Tolerance to reduced link performance",
      .columns =
          {{"slower by", Unit::ratio},
           {"factor", Unit::none, "largest factor found within the limit"},
           {"exceeded at", Unit::none, "smallest factor found beyond the limit"},
           {"without contention", Unit::none,
            "largest factor without contention, from the convex run time of the execution graph"}},
      .rows = {}};
  Series series{.id = "makespan",
                .title = "Simulated run time",
                .x_name = what,
                .x = {},
                .lines = {{.name = "run time", .unit = Unit::ns, .y = {}}},
                .zones = {}};
  Described<ToleranceSearchJson> report{tolerance_search_object(search, alone)};
  for (std::size_t i = 0; i < search.tolerances.size(); ++i) {
    const SimulatedTolerance& t = search.tolerances[i];
    const SimulatedTolerance& without = alone.tolerances[i];
    const Value beyond = t.unlimited ? Value("none tried") : Value(t.beyond);
    const Value without_factor = without.unlimited ? Value("unlimited") : Value(without.factor);
    table.rows.push_back({t.degradation, t.factor, beyond, without_factor});
  }
  for (const auto& [factor, seconds] : search.tried) {
    series.x.push_back(factor);
    series.lines[0].y.push_back(ns_of_seconds(seconds));
  }
  Facts facts{
      {{"simulated run time", ns_of_seconds(search.base), Unit::ns, "of the unchanged machine"},
       {"without contention", ns_of_seconds(alone.base), Unit::ns, "run time without contention"},
       {"varied quantity", what, Unit::none, "multiplied by the factor"},
       {"simulations", static_cast<std::int64_t>(search.tried.size()), Unit::count}}};
  Paragraph caveat{
      "With contention the run time is neither convex nor always monotone in this factor: the "
      "tolerance is the first crossing found by doubling steps and bisection."};
  if (!search.monotone) {
    caveat.text += " Here a larger factor shortened the run at least once; see the curve.";
  }
  report.sections.push_back(
      {"tolerance",
       "Tolerance by simulation",
       {std::move(facts), std::move(table), std::move(caveat), std::move(series)}});
  return report;
}

}  // namespace slackline
