#include "app/requests/query.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/load/analysis_tables.h"
#include "app/load/input.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/units.h"
#include "formats/sqlite/query.h"
#include "report/report.h"

namespace slackline {
namespace {

Value shown(const QueryValue& value) {
  return std::visit([](const auto& held) { return Value(held); }, value);
}

using QueryCell = std::optional<std::variant<std::int64_t, double, std::string>>;

QueryCell cell_of(const QueryValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::nullopt;
}

auto rows_object(const QueryResult& result) {
  return Object{"columns"_key = result.columns,
                "rows"_key = list_of(result.rows, [](const std::vector<QueryValue>& row) {
                  return list_of(row, cell_of);
                })};
}

/// What is missing; empty for complete rows.
std::string note_of(const QueryResult& result, const QueryLimits& limits) {
  if (result.complete) return {};
  return fmt::format(
      "Incomplete, {}: an answer has at most {} rows and {}. Select less with LIMIT, WHERE or "
      "GROUP "
      "BY; 'slackline query' prints all rows.",
      count_of(result.rows.size(), "row"), format_count(limits.most_rows),
      format_bytes(static_cast<double>(limits.most_bytes)));
}

auto describe(const QueryResult& result) {
  Table table{.id = "rows", .title = "", .columns = {}, .rows = {}};
  for (const std::string& name : result.columns) table.columns.push_back({name});
  for (const auto& row : result.rows) {
    std::vector<Value> values;
    for (const QueryValue& value : row) values.push_back(shown(value));
    table.rows.push_back(std::move(values));
  }
  Described report{rows_object(result)};
  Section section{.id = "query", .title = "Rows (whole run)"};
  section.items.emplace_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

auto query_report(const QueryRequest& request, const OpenedTrace& opened,
                  const QueryResult& result) {
  return with_context(describe(result), "query", opened, Object{"sql"_key = request.sql});
}

OpenedTrace open_for_queries(const QueryRequest& request) {
  return open_input(request.trace, open_options(request.reading, ClockPolicy::when_needed, true));
}
using QueryReports = CommandReports<ReturnedBy<query_report>>;

}  // namespace

TraceQueries::TraceQueries(QueryRequest request) : request_(std::move(request)) {
  expects(!request_.trace.empty(), "statements are about a trace that is named");
}

std::string TraceQueries::answer(const std::string& sql, const QueryLimits& limits) {
  if (!opened_) opened_.emplace(open_for_queries(request_));
  const QueryResult result = query_run(*opened_, matching_of(*opened_), sql, limits);
  return json_text(
      Object{"note"_key = note_of(result, limits), "result"_key = rows_object(result)});
}

std::string TraceQueries::tables() {
  const auto table = [](const SqlTable& t) {
    return Object{"name"_key = t.name,
                  "columns"_key = list_of(t.columns, [](const SqlColumn& c) { return c.name; })};
  };
  return json_text(Object{"tables"_key = list_of(query_tables(), table)});
}

void declare(OptionList& options, QueryRequest& request) {
  options.add("trace TRACE", request.trace, "Trace file or recording folder", {.required = true});
  options.add("sql SQL", request.sql,
              "SQL statement over calls, messages, collectives, regions, communicator_members, "
              "ranks, findings, waits, samples, blocking_calls and critical_path",
              {.required = true});
  declare_clocks(options, request.reading);
  declare_memory(options, request.reading);
}

Report execute(const QueryRequest& request) {
  OpenedTrace opened = open_for_queries(request);
  const CallMatching& matching = matching_of(opened);
  return QueryReports::untyped(
      query_report(request, opened, query_run(opened, matching, request.sql)));
}

CommandSchema query_schema() {
  return QueryReports::schema();
}

}  // namespace slackline
