#pragma once

#include <string>

#include "app/options/reading_options.h"

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

}  // namespace slackline
