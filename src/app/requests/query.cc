#include "app/requests/query.h"

#include <utility>
#include <variant>

#include "app/load/input.h"
#include "formats/sqlite/query.h"
#include "report/report.h"

namespace slackline {
namespace {

Value shown(const QueryValue& value) {
  return std::visit([](const auto& held) { return Value(held); }, value);
}

Json in_json(const QueryValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

Json rows_in_json(const QueryResult& result) {
  Json rows = Json::array();
  for (const auto& row : result.rows) {
    Json values = Json::array();
    for (const QueryValue& value : row) values.push_back(in_json(value));
    rows.push_back(std::move(values));
  }
  return rows;
}

Report describe(const QueryResult& result) {
  Table table{.id = "rows", .title = "", .columns = {}, .rows = {}};
  for (const std::string& name : result.columns) table.columns.push_back({name});
  for (const auto& row : result.rows) {
    std::vector<Value> values;
    for (const QueryValue& value : row) values.push_back(shown(value));
    table.rows.push_back(std::move(values));
  }
  Report report;
  report.result = {{"columns", result.columns}, {"rows", rows_in_json(result)}};
  Section section{.id = "query", .title = "Rows"};
  section.items.emplace_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace

Report execute(const QueryRequest& request) {
  OpenedTrace opened = open_input(
      request.trace,
      {.clocks = request.clocks.policy(ClockPolicy::when_needed), .keep_matching = true});
  const CallMatching& matching = matching_of(opened);
  return with_context(describe(query_trace(opened.trace, matching, request.sql)), "query", opened,
                      {{"sql", request.sql}});
}

}  // namespace slackline
