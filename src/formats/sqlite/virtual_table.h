#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/sqlite/database.h"

namespace slackline {

/// NULL, a number, or text that lives as long as the table.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string_view>;

enum class SqlType : std::uint8_t { integer, real, text };

struct SqlColumn {
  std::string name;
  SqlType type = SqlType::integer;
  std::function<SqlValue(std::size_t row)> value;
};

/// A table that is computed cell by cell when it is asked for.
struct SqlTable {
  std::string name;
  std::size_t rows = 0;
  std::vector<SqlColumn> columns{};
  /// Given where the first two columns are a rank and a number from 0 on, and rows stand in their
  /// order: where each rank's rows begin, and where the last one's end. A search for a rank, or for
  /// a rank and a number, then takes constant time.
  std::vector<std::size_t> first_row{};
  /// In files: columns of the primary key, and of an index each.
  std::string key{};
  std::vector<std::string> indices{};
};

/// "rank INTEGER, operation TEXT": the declarations of the columns.
std::string column_declarations(const SqlTable& table);

/// Makes `table` a table of the database, `prefix` before its name, without a copy of anything. It
/// must outlive the connection's use.
void register_table(SqlDatabase& database, const SqlTable& table, std::string_view prefix = "");

/// A table with a row for each element of a list, which it keeps. Columns are functions of an
/// element.
template <class Element>
class ListTable {
 public:
  ListTable(std::string name, std::vector<Element> rows)
      : rows_(std::make_shared<const std::vector<Element>>(std::move(rows))) {
    table_.name = std::move(name);
    table_.rows = rows_->size();
  }
  template <class Value>
  ListTable& integer(std::string name, Value value) {
    return add(std::move(name), SqlType::integer, value);
  }
  template <class Value>
  ListTable& real(std::string name, Value value) {
    return add(std::move(name), SqlType::real, value);
  }
  template <class Value>
  ListTable& text(std::string name, Value value) {
    return add(std::move(name), SqlType::text, value);
  }
  SqlTable take() { return std::move(table_); }

 private:
  template <class Value>
  ListTable& add(std::string name, SqlType type, Value value) {
    table_.columns.push_back({std::move(name), type, [rows = rows_, value](std::size_t row) {
                                return SqlValue(value((*rows)[row]));
                              }});
    return *this;
  }

  std::shared_ptr<const std::vector<Element>> rows_;
  SqlTable table_{};
};

}  // namespace slackline
