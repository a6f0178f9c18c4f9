#include <array>
#include <memory>
#include <utility>

#include "formats/sqlite/query.h"
#include "formats/tables/trace_tables.h"

namespace slackline {
namespace {

SqlValue cell(const TableColumn& column, const TableRows& row) {
  bool is_there = true;
  if (column.valid) column.valid(row, &is_there);
  if (!is_there) return {};
  std::array<char, sizeof(std::int64_t)> written;
  column.fill(row, written.data());
  const std::int64_t number = column.number(written.data());
  if (!column.texts) return number;
  return std::string_view(column.texts()[static_cast<std::size_t>(number)]);
}

/// A table whose cells are asked for row by row, by one thread.
struct ReadTable {
  TraceTable table;
  std::size_t row = SIZE_MAX;  // that was asked for last
  TableRows at{};              // where it is

  const TableRows& find(std::size_t wanted) {
    if (wanted != row) at = table.at(wanted);
    row = wanted;
    return at;
  }
};

SqlTable sql_table(TraceTable described) {
  const auto read = std::make_shared<ReadTable>(ReadTable{std::move(described)});
  const TraceTable& table = read->table;
  SqlTable made{
      .name = table.name, .rows = table.rows(), .key = table.key, .indices = table.indices};
  if (table.by_rank) made.first_row = table.first_row;
  for (const TableColumn& column : table.columns) {
    made.columns.push_back(
        {column.name, column.texts ? SqlType::text : SqlType::integer,
         [read, &column](std::size_t row) { return cell(column, read->find(row)); }});
  }
  return made;
}

}  // namespace

std::vector<SqlTable> sql_tables(const Trace& trace, const CallMatching& matching) {
  std::vector<SqlTable> tables;
  for (TraceTable& table : trace_tables(trace, matching)) {
    tables.push_back(sql_table(std::move(table)));
  }
  return tables;
}

}  // namespace slackline
