#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/interrupt.h"
#include "calls/call_matching.h"
#include "formats/sqlite/virtual_table.h"
#include "trace/trace.h"

namespace slackline {

/// NULL, a whole number, a number, or text.
using QueryValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<QueryValue>> rows;
  bool complete = true;  ///< false: there are more rows than were wanted
};

struct QueryLimits {
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();  ///< that the rows take
  /// That SQLite may take meanwhile, of all connections of the process together; 0: any.
  std::size_t most_working_bytes = 0;
  StopReason stop{};  ///< empty: none
};

/// The tables of a trace (doc/formats/sqlite.md), in the order in which files have them. They refer
/// to both. O(region events + members of communicators); cells are computed when they are asked
/// for.
std::vector<SqlTable> sql_tables(const Trace& trace, const CallMatching& matching);

/// The rows that a statement of SQL gives over the trace's tables (doc/formats/sqlite.md), which
/// are not copied, and over `more` tables. It can only read. Throws usage Error with what SQLite
/// says of a wrong one, and Error with the reason for one that was stopped or needs too much
/// memory.
QueryResult query_trace(const Trace& trace, const CallMatching& matching, std::string_view sql,
                        std::vector<SqlTable> more = {}, const QueryLimits& limits = {});

}  // namespace slackline
