#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/options/reading_options.h"
#include "base/stop_reason.h"
#include "formats/open/open.h"

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
  /// At most `most_rows` rows, as text of JSON: `complete`, and `result` as `query` has it. Throws
  /// Error, with `stop`'s reason for a statement that was stopped.
  std::string answer(const std::string& sql, std::size_t most_rows, const StopReason& stop);

 private:
  QueryRequest request_;
  std::optional<OpenedTrace> opened_;
};

}  // namespace slackline
