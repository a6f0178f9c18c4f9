#pragma once

#include <filesystem>
#include <vector>

#include "base/findings.h"
#include "calls/call_matching.h"
#include "formats/sqlite/virtual_table.h"
#include "trace/trace.h"

namespace slackline {

/// Writes tables with their keys and indices as a new SQLite database, whose PRAGMA user_version
/// is `version`, the version of the columns and their meaning. Throws Error when the file cannot be
/// written.
void write_sqlite(const std::vector<SqlTable>& tables, int version,
                  const std::filesystem::path& path);

/// Writes the trace's tables with indices as a new SQLite database (doc/formats/sqlite.md). Throws
/// Error when the file cannot be written. About a microsecond and 100 bytes a call.
Findings write_sqlite(const Trace& trace, const CallMatching& matching,
                      const std::filesystem::path& path);

}  // namespace slackline
