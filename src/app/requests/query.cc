#include "app/requests/query.h"

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

auto describe(const QueryResult& result) {
  Table table{.id = "rows", .title = "", .columns = {}, .rows = {}};
  for (const std::string& name : result.columns) table.columns.push_back({name});
  for (const auto& row : result.rows) {
    std::vector<Value> values;
    for (const QueryValue& value : row) values.push_back(shown(value));
    table.rows.push_back(std::move(values));
  }
  Described report{rows_object(result)};
  Section section{.id = "query", .title = "Rows"};
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

std::string TraceQueries::answer(const std::string& sql, std::size_t most_rows,
                                 const StopReason& stop) {
  if (!opened_) opened_.emplace(open_for_queries(request_));
  const QueryResult result = query_run(*opened_, matching_of(*opened_), sql, {most_rows, stop});
  return json_text(Object{"complete"_key = result.complete, "result"_key = rows_object(result)});
}

void declare(OptionList& options, QueryRequest& request) {
  options.add("trace TRACE", request.trace, "Trace file or recording folder", {.required = true});
  options.add("sql SQL", request.sql,
              "SQL statement over calls, messages, collectives, regions, communicator_members, "
              "ranks, findings, waits, samples and critical_path",
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
