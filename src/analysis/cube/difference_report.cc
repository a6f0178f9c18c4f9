#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "analysis/cube/difference.h"
#include "base/units.h"
#include "report/rows.h"

namespace slackline {
namespace {

constexpr std::size_t kDifferencesShown = 20;

Unit unit_of(const SeverityCube::Key& key) {
  if (key.metric == "calls") return Unit::count;
  return key.metric == "bytes" ? Unit::bytes : Unit::ns;
}

/// "late sender" for "late_sender".
std::string label_of(const std::string& metric) {
  return metric == "mpi" ? "MPI excl. waiting" : spaced(metric);
}

std::string path_of(const std::string& call_path) {
  return call_path.empty() ? "(no region)" : call_path;
}

Value significance(const ComparedValue& value) {
  const std::optional<bool> significant = value.significant();
  if (!significant) return {};
  return std::string(*significant ? "yes" : "no");
}

const char* const kSignificant = "more than varies between the runs of A and B";

/// The columns of a ComparedValue, of which those of a third run are there if it is.
void add_columns(Table& table, const RunDifference& difference, Unit unit) {
  const Unit of_difference = unit == Unit::ratio ? Unit::points : unit;
  std::vector<Column>& columns = table.columns;
  columns.insert(columns.end(), {{"A", unit}, {"B", unit}});
  if (difference.c) columns.push_back({"C", unit});
  columns.push_back({"B - A", of_difference});
  if (difference.c) columns.push_back({"C - A", of_difference});
  columns.push_back({"significant", Unit::none, kSignificant});
}

void add_values(std::vector<Value>& row, const ComparedValue& value) {
  row.insert(row.end(), {value.a, value.b});
  if (value.c) row.emplace_back(*value.c);
  row.emplace_back(value.difference());
  if (value.c) row.emplace_back(value.difference_of_c());
  row.push_back(significance(value));
}

/// The run time, or the efficiencies: columns have one unit.
Table metrics_table(const RunDifference& difference, Unit unit) {
  const bool time = unit == Unit::ns;
  Table table{.id = time ? "difference-run-time" : "difference-efficiencies",
              .title = time ? "Run time (analysed interval)" : "Efficiencies (analysed interval)",
              .columns = {{"metric"}},
              .rows = {}};
  add_columns(table, difference, unit);
  for (std::size_t m = 0; m < kRunMetrics.size(); ++m) {
    if ((m == 0) != time) continue;
    table.rows.push_back({label_of(std::string(kRunMetrics[m]))});
    add_values(table.rows.back(), difference.metrics[m]);
  }
  return table;
}

/// Those of one unit, so that columns have one.
Table table_of(const RunDifference& difference, Unit unit, std::string id, std::string title) {
  Table table{.id = std::move(id),
              .title = std::move(title),
              .columns = {{"metric"}, {"call path"}, {"rank"}},
              .rows = {}};
  add_columns(table, difference, unit);
  for (const SeverityDifference& d : difference.differences) {
    if (table.rows.size() == kDifferencesShown) break;
    if (unit_of(d.key) != unit) continue;
    table.rows.push_back({label_of(d.key.metric), path_of(d.key.call_path),
                          d.rank < 0 ? Value("all") : Value(std::int64_t{d.rank})});
    add_values(table.rows.back(), d.value);
  }
  return table;
}

const Rows<WaitMigration> kWaits{
    "difference-waits",
    "Wait time by pattern, all ranks",
    {{"pattern", Unit::none, [](auto& w) { return NameOf(w.pattern, label_of(w.pattern)); }},
     {"a_ns", "A", Unit::ns, &WaitMigration::a},
     {"b_ns", "B", Unit::ns, &WaitMigration::b},
     {"c_ns", "C", Unit::ns, &WaitMigration::c},
     {"vanished_ns", "vanished", Unit::ns, &WaitMigration::vanished,
      "where B waits less than A (call path and rank)"},
     {"appeared_ns", "appeared", Unit::ns, &WaitMigration::appeared, "where B waits more than A"}}};

const Rows<WaitMigration> kWaitsByPath{{"call_path", &WaitMigration::call_path},
                                       {kSpliced, std::identity{}, kWaits}};

/// Sums over all ranks by pattern and call path, of which the first are shown.
Table waits_by_path_table(const RunDifference& difference) {
  Table table = kWaits.table(difference.waits_by_path, kDifferencesShown);
  table.id = "difference-waits-by-path";
  table.title = "Wait time by call path, all ranks";
  table.columns.insert(table.columns.begin() + 1, {"call path"});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<Value>& row = table.rows[i];
    row.insert(row.begin() + 1, path_of(difference.waits_by_path[i].call_path));
  }
  return table;
}

/// "3 of 214 tested quantities differ significantly", where several runs are compared.
std::string tested_text(const RunDifference& difference) {
  if (difference.tested == 0) return {};
  std::size_t marked = 0;
  const auto count = [&](const ComparedValue& v) { marked += v.significant().value_or(false); };
  for (const ComparedValue& value : difference.metrics) count(value);
  for (const SeverityDifference& d : difference.differences) count(d.value);
  return fmt::format(
      " {} of {} tested quantities differ significantly (at most {} of the marks are expected to "
      "be "
      "false).",
      format_count(marked), format_count(difference.tested),
      format_percent(kFalseDiscoveryRate, 0));
}

Paragraph headline(const RunDifference& difference) {
  const std::string third = difference.c ? fmt::format(", C is {}", *difference.c) : "";
  const std::string runs = fmt::format("A is {}, B is {}{}.", difference.a, difference.b, third);
  if (difference.differences.empty()) return {runs + " They do not differ."};
  const SeverityDifference& d = difference.differences.front();
  const std::string place = d.key.call_path.empty() ? "outside regions" : "in " + d.key.call_path;
  const auto formatted = [&](double value) {
    return unit_of(d.key) == Unit::ns ? format_time_ns(value) : fmt::format("{}", value);
  };
  const std::string a_and_b = fmt::format("{} in A{} {} in B", formatted(d.value.a),
                                          d.value.c ? "," : " and", formatted(d.value.b));
  const std::string and_c = d.value.c ? fmt::format(" and {} in C", formatted(*d.value.c)) : "";
  return {fmt::format("{}{} Largest difference: {} {}{}, {}{}.", runs, tested_text(difference),
                      label_of(d.key.metric), place,
                      d.rank < 0 ? std::string() : fmt::format(" on rank {}", d.rank), a_and_b,
                      and_c)};
}

auto value_object(const ComparedValue& value) {
  return Object{"a"_key = value.a,
                "b"_key = value.b,
                "c"_key = value.c,
                "difference"_key = value.difference(),
                "adjusted_p"_key = value.adjusted_p,
                "significant"_key = value.significant()};
}

auto severity_object(const SeverityDifference& d) {
  return Object{"metric"_key = d.key.metric, "call_path"_key = d.key.call_path,
                "rank"_key = known_if(d.rank >= 0, d.rank), value_object(d.value)};
}

auto metric_object(std::string_view name, const ComparedValue& value) {
  return Object{"metric"_key = name, value_object(value)};
}

auto metric_objects(const RunDifference& difference) {
  std::vector<ReturnedBy<metric_object>> metrics;
  for (std::size_t m = 0; m < kRunMetrics.size(); ++m) {
    metrics.push_back(metric_object(kRunMetrics[m], difference.metrics[m]));
  }
  return metrics;
}

auto difference_object(const RunDifference& difference, std::size_t count) {
  std::vector<SeverityDifference> largest = difference.differences;
  largest.resize(std::min(count, largest.size()));
  return Object{
      "a"_key = difference.a,
      "b"_key = difference.b,
      "c"_key = difference.c,
      "metrics"_key = metric_objects(difference),
      "tested"_key = difference.tested,
      "count"_key = difference.differences.size(),
      "differences"_key = list_of(largest, severity_object),
      "waits"_key = list_of(difference.waits, kJsonBy<kWaits>),
      "waits_by_call_path"_key = list_of(difference.waits_by_path, kJsonBy<kWaitsByPath>)};
}

}  // namespace

const JsonType& declared_type(const DifferenceJsonTag*) {
  return json_type_by<difference_object>();
}

Described<DifferenceJson> describe(const RunDifference& difference, std::size_t count) {
  Described<DifferenceJson> report{difference_object(difference, count)};
  Section section{.id = "difference", .title = "Differences"};
  section.items.emplace_back(headline(difference));
  if (!difference.by_rank) {
    section.items.emplace_back(Paragraph{
        "The runs have different numbers of ranks, or are known by their summaries; sums over "
        "ranks are compared."});
  }
  section.items.emplace_back(metrics_table(difference, Unit::ns));
  section.items.emplace_back(metrics_table(difference, Unit::ratio));
  section.items.emplace_back(table_of(difference, Unit::ns, "difference-times", "Times"));
  for (Table waits : {kWaits.table(difference.waits), waits_by_path_table(difference)}) {
    if (!difference.c) remove_column(waits, "C");
    section.items.emplace_back(std::move(waits));
  }
  section.items.emplace_back(
      table_of(difference, Unit::count, "difference-calls", "Numbers of calls"));
  section.items.emplace_back(table_of(difference, Unit::bytes, "difference-bytes", "Bytes"));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
