#pragma once

#include <filesystem>

#include "base/findings.h"
#include "trace/timeline_extras.h"
#include "trace/trace.h"

namespace slackline {

/// Writes Perfetto's protobuf (doc/formats/perfetto.md): ranks as processes, their threads' MPI
/// calls and user regions as slices. Throws Error when the file cannot be written. Linear.
Findings write_perfetto(const Trace& trace, const std::filesystem::path& path,
                        const TimelineExtras& extras = {});

/// Chrome's JSON of the same, about 150 bytes a call; without flows and counters.
Findings write_chrome_json(const Trace& trace, const std::filesystem::path& path);

/// One line for each call: rank, number, operation, begin and end, and its fields.
Findings write_operations_csv(const Trace& trace, const std::filesystem::path& path);

}  // namespace slackline
