#pragma once

#include <filesystem>
#include <vector>

#include "analysis/regression/history.h"

namespace slackline {

/// Whether a file of this name holds a table of runs: OpenMetrics (.prom) or SQLite (.sqlite, .db).
bool names_table_of_runs(const std::filesystem::path& path);

/// Writes runs as OpenMetrics or SQLite (doc/formats/summary.md), by the extension of `path`; the
/// file appears whole or not at all. Throws usage Error for other extensions, and Error.
void write_runs(const std::vector<HistoryEntry>& entries, const std::filesystem::path& path);

}  // namespace slackline
