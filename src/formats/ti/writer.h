#pragma once

#include <filesystem>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

/// Writes `trace` as one time-independent trace of SimGrid: every rank's actions, rank after rank.
/// Computation becomes flops at kTiFlopsPerSecond (formats/ti/reader.h). Returns what the
/// format cannot hold (doc/formats/ti.md). Linear; memory: the requests under way.
Findings write_ti(const Trace& trace, const std::filesystem::path& path);

}  // namespace slackline
