#pragma once

#include <optional>
#include <string>

#include "app/options/reading_options.h"
#include "formats/open/open.h"
#include "formats/sqlite/query.h"

namespace slackline {

class OptionList;
struct Report;

/// Rows of a trace's tables, by SQL.
struct QueryRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{bytes_per_call::kQuery};
  std::string sql{};  ///< one statement of SQLite's over the tables of doc/formats/sqlite.md
};
void declare(OptionList& options, QueryRequest& request);

/// Throws Error.
Report execute(const QueryRequest& request);

/// A trace for several statements. It is read when the first one is asked.
class TraceQueries {
 public:
  /// `request.sql` does not matter. `request.trace` must be given: the newest recording may have
  /// become another one when the first statement is asked.
  explicit TraceQueries(QueryRequest request);
  /// Text of JSON: `result` as `query` has it, and `note`, which says what was left out for the
  /// limits, or nothing. Throws Error, with `limits.stop`'s reason for a statement that was
  /// stopped.
  std::string answer(const std::string& sql, const QueryLimits& limits);
  /// What statements can be about, as text of JSON: `tables` with `name` and `columns`. Reads
  /// nothing.
  static std::string tables();

 private:
  QueryRequest request_;
  std::optional<OpenedTrace> opened_;
};

}  // namespace slackline
