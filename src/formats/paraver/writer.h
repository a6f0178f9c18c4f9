#pragma once

#include <filesystem>

#include "base/findings.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Writes `trace` as a Paraver trace: `path` (x.prv), and beside it x.pcf, x.row and two ready
/// Paraver configurations (x.mpi_calls.cfg, x.useful_duration.cfg). Reading it back gives the same
/// calls, less what the format cannot hold; that is returned as Findings, and listed in
/// doc/formats/paraver.md. Linear, but for a merge of as many streams as there are threads.
Findings write_paraver(const Trace& trace, const CallMatching& matching,
                       const std::filesystem::path& path);

}  // namespace slackline
