#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/cube/difference.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kRowsShown = 20;

Unit unit_of(const SeverityCube::Key& key) {
  if (key.metric == "calls") return Unit::count;
  return key.metric == "bytes" ? Unit::bytes : Unit::ns;
}

/// "late sender" for "late_sender".
std::string label_of(std::string metric) {
  if (metric == "mpi") return "MPI excl. waiting";
  std::ranges::replace(metric, '_', ' ');
  return metric;
}

Value significance(const SeverityDifference& d) {
  if (!d.significant) return {};
  return std::string(*d.significant ? "yes" : "no");
}

/// Those of one unit, so that columns have one.
Table table_of(const RunDifference& difference, Unit unit, std::string id, std::string title) {
  Table table{
      .id = std::move(id),
      .title = std::move(title),
      .columns = {{"metric"},
                  {"call path"},
                  {"rank"},
                  {"A", unit},
                  {"B", unit},
                  {"B - A", unit},
                  {"significant", Unit::none, "more than varies between the runs of A and B"}},
      .rows = {}};
  for (const SeverityDifference& d : difference.differences) {
    if (table.rows.size() == kRowsShown) break;
    if (unit_of(d.key) != unit) continue;
    table.rows.push_back({label_of(d.key.metric),
                          d.key.call_path.empty() ? std::string("(no region)") : d.key.call_path,
                          d.rank < 0 ? Value("all") : Value(std::int64_t{d.rank}), d.a, d.b,
                          d.difference(), significance(d)});
  }
  return table;
}

Table waits_table(const RunDifference& difference) {
  Table table{.id = "difference-waits",
              .title = "Wait time by pattern, all ranks",
              .columns = {{"pattern"},
                          {"A", Unit::ns},
                          {"B", Unit::ns},
                          {"vanished", Unit::ns, "where B waits less than A (call path and rank)"},
                          {"appeared", Unit::ns, "where B waits more than A"}},
              .rows = {}};
  for (const WaitMigration& wait : difference.waits) {
    table.rows.push_back({label_of(wait.pattern), wait.a, wait.b, wait.vanished, wait.appeared});
  }
  return table;
}

Paragraph headline(const RunDifference& difference) {
  const std::string runs = fmt::format("A is {}, B is {}.", difference.a, difference.b);
  if (difference.differences.empty()) return {runs + " They do not differ."};
  const SeverityDifference& d = difference.differences.front();
  const std::string place = d.key.call_path.empty() ? "outside regions" : "in " + d.key.call_path;
  const auto formatted = [&](double value) {
    return unit_of(d.key) == Unit::ns ? format_time_ns(value) : fmt::format("{}", value);
  };
  return {fmt::format("{} Largest difference: {} {}{}, {} in A and {} in B.", runs,
                      label_of(d.key.metric), place,
                      d.rank < 0 ? std::string() : fmt::format(" on rank {}", d.rank),
                      formatted(d.a), formatted(d.b))};
}

Json to_json(const SeverityDifference& d) {
  return {{"metric", d.key.metric},
          {"call_path", d.key.call_path},
          {"rank", d.rank < 0 ? Json(nullptr) : Json(d.rank)},
          {"a", d.a},
          {"b", d.b},
          {"difference", d.difference()},
          {"significant", d.significant ? Json(*d.significant) : Json(nullptr)}};
}

Json to_json(const WaitMigration& wait) {
  return {{"pattern", wait.pattern},
          {"a_ns", wait.a},
          {"b_ns", wait.b},
          {"vanished_ns", wait.vanished},
          {"appeared_ns", wait.appeared}};
}

}  // namespace

Report describe(const RunDifference& difference, std::size_t count) {
  Report report;
  Json list = Json::array();
  for (const SeverityDifference& d : difference.differences) {
    if (list.size() == count) break;
    list.push_back(to_json(d));
  }
  Json waits = Json::array();
  for (const WaitMigration& wait : difference.waits) waits.push_back(to_json(wait));
  report.result = {{"a", difference.a},
                   {"b", difference.b},
                   {"count", difference.differences.size()},
                   {"differences", std::move(list)},
                   {"waits", std::move(waits)}};
  Section section{.id = "difference", .title = "Differences"};
  section.items.emplace_back(headline(difference));
  if (!difference.by_rank) {
    section.items.emplace_back(
        Paragraph{"The runs have different numbers of ranks; sums over ranks are compared."});
  }
  section.items.emplace_back(table_of(difference, Unit::ns, "difference-times", "Times"));
  section.items.emplace_back(waits_table(difference));
  section.items.emplace_back(
      table_of(difference, Unit::count, "difference-calls", "Numbers of calls"));
  section.items.emplace_back(table_of(difference, Unit::bytes, "difference-bytes", "Bytes"));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
