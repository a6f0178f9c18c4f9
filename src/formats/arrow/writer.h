#pragma once

#include <filesystem>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

/// Writes the table of calls (doc/formats/arrow.md) as a file of Arrow's IPC format. Throws Error
/// when the file cannot be written. About 60 bytes a call; memory is bounded whatever the trace's
/// length, but for names.
Findings write_arrow(const Trace& trace, const std::filesystem::path& path);

}  // namespace slackline
