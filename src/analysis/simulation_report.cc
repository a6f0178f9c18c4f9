#include "analysis/simulation_report.h"

#include <fmt/format.h>

namespace slackline {
namespace {

constexpr double kNanos = 1e9;

double ns(double seconds) {
  return seconds * kNanos;
}

Json ranks_to_json(const Simulation& s) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < s.ranks.size(); ++r) {
    rows.push_back({{"end_ns", ns(s.rank_end[r])},
                    {"compute_ns", ns(s.ranks[r].compute)},
                    {"overhead_ns", ns(s.ranks[r].overhead)},
                    {"transfer_ns", ns(s.ranks[r].transfer)},
                    {"wait_ns", ns(s.ranks[r].wait)}});
  }
  return rows;
}

Json to_json(const Simulation& s) {
  const Contention& c = s.contention;
  Json result;
  result["makespan_ns"] = ns(s.makespan);
  result["last_rank"] = s.last_rank;
  result["messages"] = {{"count", c.messages},
                        {"slowed", c.slowed},
                        {"alone_ns", ns(c.alone_seconds)},
                        {"actual_ns", ns(c.actual_seconds)},
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
  facts.facts.push_back({"simulated makespan", ns(s.makespan), Unit::ns,
                         "from the start of the first rank to the end of the last"});
  facts.facts.push_back({"last rank", s.last_rank, Unit::count, "the one that ends last"});
  facts.facts.push_back({"messages", static_cast<std::int64_t>(c.messages), Unit::count,
                         "those of collectives included"});
  facts.facts.push_back({"slowed by others", share(c.slowed, c.messages), Unit::ratio,
                         "messages that took over 1 % longer than alone on the network"});
  if (c.alone_seconds > 0) {
    facts.facts.push_back({"transfer time / alone", c.actual_seconds / c.alone_seconds, Unit::ratio,
                           "all messages' transfer times against the same without contention"});
  }
  return facts;
}

Table rank_table(const Simulation& s) {
  Table table{.id = "ranks",
              .title = "Where each rank's time goes",
              .columns = {{"rank", Unit::count},
                          {"compute", Unit::ns, "outside of MPI"},
                          {"overhead", Unit::ns, "sending, receiving and polling"},
                          {"transfer", Unit::ns, "waiting for messages on their way"},
                          {"wait", Unit::ns, "waiting for the other side, or for the end"}},
              .rows = {}};
  for (std::size_t r = 0; r < s.ranks.size(); ++r) {
    const RankTimes& t = s.ranks[r];
    table.rows.push_back(
        {static_cast<std::int64_t>(r), ns(t.compute), ns(t.overhead), ns(t.transfer), ns(t.wait)});
  }
  return table;
}

}  // namespace

Report describe(const Simulation& simulation, const Trace& /*trace*/,
                const Platform& /*platform*/) {
  Report report;
  report.result = to_json(simulation);
  report.sections.push_back({"simulation", "Simulated run", {key_facts(simulation)}});
  report.sections.push_back({"ranks", "Ranks", {rank_table(simulation)}});
  return report;
}

}  // namespace slackline
