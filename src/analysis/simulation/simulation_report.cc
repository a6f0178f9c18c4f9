#include "analysis/simulation/simulation_report.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "analysis/runs/measured.h"
#include "analysis/simulation/slowed_report.h"
#include "base/units.h"

namespace slackline {
namespace {

Json ranks_to_json(const Simulation& s) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < s.ranks.size(); ++r) {
    rows.push_back({{"end_ns", ns_of_seconds(s.rank_end[r])},
                    {"compute_ns", ns_of_seconds(s.ranks[r].compute)},
                    {"overhead_ns", ns_of_seconds(s.ranks[r].overhead)},
                    {"transfer_ns", ns_of_seconds(s.ranks[r].transfer)},
                    {"wait_ns", ns_of_seconds(s.ranks[r].wait)}});
  }
  return rows;
}

Json to_json(const Simulation& s) {
  const Contention& c = s.contention;
  Json result;
  result["makespan_ns"] = ns_of_seconds(s.makespan);
  result["last_rank"] = s.last_rank;
  result["messages"] = {{"count", c.messages},
                        {"slowed", c.slowed},
                        {"alone_ns", ns_of_seconds(c.alone_seconds)},
                        {"actual_ns", ns_of_seconds(c.actual_seconds)},
                        {"worst_ratio", c.worst_ratio}};
  result["ranks"] = ranks_to_json(s);
  result["work"] = {{"dates", s.events}, {"rates", s.solved_flows}};
  return result;
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
    facts.facts.push_back({"contention slowdown", c.actual_seconds / c.alone_seconds, Unit::ratio,
                           "total transfer time with / without contention"});
  }
  return facts;
}

Table rank_table(const Simulation& s) {
  Table table{.id = "ranks",
              .title = "Simulated time per rank",
              .columns = {{"rank"},
                          {"compute", Unit::ns, "outside MPI"},
                          {"overhead", Unit::ns, "sending, receiving and polling"},
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

Json links_to_json(const Simulation& s, const Platform& platform, std::size_t shown) {
  Json rows = Json::array();
  for (const LinkId link : most_contended_links(s, platform, shown)) {
    rows.push_back({{"name", platform.link_name(link)},
                    {"group", platform.group_of(link).name},
                    {"bytes", s.links->bytes(link)},
                    {"mean_use", mean_use(s, platform, link)},
                    {"lost_ns", ns_of_seconds(s.links->lost_seconds(link))}});
  }
  return rows;
}

/// Computation and MPI of all ranks as the trace measured them, for comparison.
void add_measured(Facts& facts, Json& result, const Simulation& s, const Trace& trace) {
  const std::optional<MeasuredRun> run = measured_run(trace);
  if (!run || run->makespan_ns <= 0) return;
  const auto measured = static_cast<double>(run->makespan_ns);
  result["measured_ns"] = run->makespan_ns;
  facts.facts.push_back(
      {"measured run time", measured, Unit::ns,
       "from the first return from MPI_Init to the last entry into MPI_Finalize"});
  facts.facts.push_back({"simulated / measured", ns_of_seconds(s.makespan) / measured, Unit::ratio,
                         "simulated over recorded run time"});
}

}  // namespace

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

Report describe(const Simulation& simulation, const Trace& trace, const Platform& platform,
                std::size_t links_shown) {
  Report report;
  report.result = to_json(simulation);
  Facts facts = key_facts(simulation);
  add_measured(facts, report.result, simulation, trace);
  report.sections.push_back({"simulation", "Simulated run", {std::move(facts)}});
  report.sections.push_back({"operations", "Operations", {operation_table(simulation)}});
  if (simulation.links != nullptr && links_shown > 0) {
    report.result["links"] = links_to_json(simulation, platform, links_shown);
    report.sections.push_back(describe_links(simulation, platform, links_shown));
  }
  if (!simulation.slowed.empty()) {
    report.result["slowed"] = to_json(simulation.slowed, platform);
    report.sections.push_back(
        {"slowed", "Delayed messages", {table_of(simulation.slowed, platform)}});
  }
  report.sections.push_back({"ranks", "Ranks", {rank_table(simulation)}});
  return report;
}

Report describe(const std::vector<SweepCase>& cases, const std::vector<SweepAxis>& axes) {
  Table table{.id = "sweep", .title = "Simulated run times", .columns = {}, .rows = {}};
  for (const SweepAxis& axis : axes) table.columns.push_back({axis.name});
  table.columns.push_back({"run time", Unit::ns});
  table.columns.push_back({"relative to first", Unit::ratio, "run time relative to the first row"});
  table.columns.push_back(
      {"messages delayed", Unit::ratio, "over 1 % longer than without contention"});
  Report report;
  report.result["axes"] = Json::array();
  for (const SweepAxis& axis : axes) report.result["axes"].push_back(axis.name);
  report.result["cases"] = Json::array();
  for (const SweepCase& c : cases) {
    const Contention& contention = c.simulation.contention;
    const double slowed = contention.messages == 0 ? 0
                                                   : static_cast<double>(contention.slowed) /
                                                         static_cast<double>(contention.messages);
    std::vector<Value> row(c.values.begin(), c.values.end());
    row.emplace_back(ns_of_seconds(c.simulation.makespan));
    row.emplace_back(c.simulation.makespan / cases.front().simulation.makespan);
    row.emplace_back(slowed);
    table.rows.push_back(std::move(row));
    report.result["cases"].push_back({{"values", c.values},
                                      {"makespan_ns", ns_of_seconds(c.simulation.makespan)},
                                      {"slowed", slowed}});
  }
  report.sections.push_back({"sweep", "Sweep", {std::move(table)}});
  return report;
}

Report describe(const ToleranceSearch& search, const ToleranceSearch& alone,
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
  Report report;
  report.result["base_ns"] = ns_of_seconds(search.base);
  report.result["monotone"] = search.monotone;
  report.result["base_without_contention_ns"] = ns_of_seconds(alone.base);
  report.result["tolerances"] = Json::array();
  for (std::size_t i = 0; i < search.tolerances.size(); ++i) {
    const SimulatedTolerance& t = search.tolerances[i];
    const SimulatedTolerance& without = alone.tolerances[i];
    const Value beyond = t.unlimited ? Value("none tried") : Value(t.beyond);
    const Value without_factor = without.unlimited ? Value("unlimited") : Value(without.factor);
    table.rows.push_back({t.degradation, t.factor, beyond, without_factor});
    report.result["tolerances"].push_back(
        {{"degradation", t.degradation},
         {"factor", t.factor},
         {"beyond", t.unlimited ? Json(nullptr) : Json(t.beyond)},
         {"without_contention", without.unlimited ? Json(nullptr) : Json(without.factor)}});
  }
  report.result["tried"] = Json::array();
  for (const auto& [factor, seconds] : search.tried) {
    series.x.push_back(factor);
    series.lines[0].y.push_back(ns_of_seconds(seconds));
    report.result["tried"].push_back({{"factor", factor}, {"makespan_ns", ns_of_seconds(seconds)}});
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
