// Rows that a statement of SQL gives, as columns. SQLite's values have types of their own; a column
// of whole numbers stays one, one of numbers becomes float64, and any text in it makes all of it
// text.

#include <algorithm>
#include <unordered_map>
#include <variant>

#include "app/load/analysis_tables.h"
#include "bindings/tables.h"
#include "formats/sqlite/query.h"

namespace slackline::python {
namespace {

using QueriedRow = std::size_t;

std::string text_of(const QueryValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

double number_of(const QueryValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  const auto* const number = std::get_if<double>(&value);
  return number == nullptr ? 0 : *number;
}

std::int64_t whole_number_of(const QueryValue& value) {
  const auto* const number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? 0 : *number;
}

/// Names of a result's columns, each once: as SQLite calls those of a subquery, the second "a" is
/// "a:1".
std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string given = name;
    for (int i = 1; std::ranges::find(result, given) != result.end(); ++i) {
      given = name + ":" + std::to_string(i);
    }
    result.push_back(std::move(given));
  }
  return result;
}

/// One column of the result.
class QueriedColumn {
 public:
  QueriedColumn(const QueryResult& result, std::size_t column) : rows_(result.rows), at_(column) {
    for (const auto& row : rows_) {
      const std::size_t kind = row[at_].index();
      holes_ = holes_ || kind == kNull;
      most_general_ = std::max(most_general_, kind);
    }
  }

  Column made(std::string name) const {
    Column column;
    if (most_general_ == kText) {
      fill_texts(column);
    } else if (most_general_ == kInteger) {
      column.values = computed<std::int64_t>(
          rows_.size(), [&](QueriedRow i) { return whole_number_of(rows_[i][at_]); });
    } else {
      column.values =
          computed<double>(rows_.size(), [&](QueriedRow i) { return number_of(rows_[i][at_]); });
    }
    column.name = std::move(name);
    if (holes_) {
      column.valid = computed<bool>(rows_.size(),
                                    [&](QueriedRow i) { return rows_[i][at_].index() != kNull; });
    }
    return column;
  }

 private:
  // The order of QueryValue's alternatives, each more general than those before.
  static constexpr std::size_t kNull = 0, kInteger = 1, kText = 3;

  void fill_texts(Column& column) const {
    std::unordered_map<std::string, std::int32_t> codes;
    std::vector<std::string> texts;
    NewBuffer<std::int32_t> made = new_buffer<std::int32_t>(rows_.size());
    for (QueriedRow i = 0; i < rows_.size(); ++i) {
      std::string text = text_of(rows_[i][at_]);
      const auto [found, fresh] = codes.try_emplace(text, static_cast<std::int32_t>(texts.size()));
      if (fresh) texts.push_back(std::move(text));
      made.values[i] = found->second;
    }
    column.values = std::move(made.buffer);
    column.categories = std::move(texts);
  }

  const std::vector<std::vector<QueryValue>>& rows_;
  std::size_t at_;
  std::size_t most_general_ = kNull;
  bool holes_ = false;
};

}  // namespace

Columns query_table(const Opened& opened, const std::string& sql) {
  const QueryResult result = query_run(opened.opened(), opened.matching(), sql);
  const std::vector<std::string> names = distinct(result.columns);
  Columns columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns.push_back(QueriedColumn(result, i).made(names[i]));
  }
  return columns;
}

}  // namespace slackline::python
