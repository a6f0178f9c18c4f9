#pragma once

#include <filesystem>

#include "base/findings.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Writes the trace's tables with indices as a new SQLite database (doc/formats/sqlite.md). Throws
/// Error when the file cannot be written. About a microsecond and 100 bytes a call.
Findings write_sqlite(const Trace& trace, const CallMatching& matching,
                      const std::filesystem::path& path);

}  // namespace slackline
