#include "formats/sqlite/query.h"

#include <sqlite3.h>

#include <algorithm>
#include <iterator>

namespace slackline {
namespace {

QueryValue value_at(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return {};
    default: {
      const auto* const text =
          reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return text == nullptr ? std::string() : std::string(text);
    }
  }
}

/// Bytes of the values of all columns, as value_at() gives them, and of their list.
std::size_t bytes_of_row(sqlite3_stmt* statement, int columns) {
  std::size_t bytes = sizeof(std::vector<QueryValue>);
  for (int i = 0; i < columns; ++i) {
    bytes += sizeof(QueryValue);
    const int type = sqlite3_column_type(statement, i);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
      bytes += static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
    }
  }
  return bytes;
}

std::string list_of(const std::vector<SqlTable>& tables) {
  std::string text = "The tables are ";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == tables.size() ? " and " : ", ") + tables[i].name;
  }
  return text + "; 'slackline query --help' shows examples.";
}

}  // namespace

QueryResult query_trace(const Trace& trace, const CallMatching& matching, std::string_view sql,
                        std::vector<SqlTable> more, const QueryLimits& limits) {
  std::vector<SqlTable> tables = sql_tables(trace, matching);
  std::ranges::move(more, std::back_inserter(tables));
  SqlDatabase database;
  for (const SqlTable& table : tables) register_table(database, table);
  database.allow_reading_only();
  database.stop_for(limits.stop);
  const SqlMemoryLimit memory(limits.most_working_bytes);
  SqlStatement statement(database, sql, list_of(tables));
  QueryResult result;
  const int columns = sqlite3_column_count(statement.handle());
  for (int i = 0; i < columns; ++i) {
    result.columns.emplace_back(sqlite3_column_name(statement.handle(), i));
  }
  std::size_t bytes = 0;
  while (statement.step()) {
    if (result.rows.size() == limits.most_rows) {
      result.complete = false;
      break;
    }
    const std::size_t row_bytes = bytes_of_row(statement.handle(), columns);
    if (row_bytes > limits.most_bytes - bytes) {
      result.complete = false;
      break;
    }
    bytes += row_bytes;
    auto& row = result.rows.emplace_back();
    row.reserve(static_cast<std::size_t>(columns));
    for (int i = 0; i < columns; ++i) row.push_back(value_at(statement.handle(), i));
  }
  return result;
}

}  // namespace slackline
