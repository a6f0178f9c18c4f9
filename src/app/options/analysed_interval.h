#pragma once

#include <optional>
#include <string>

#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// --interval: "common" (or empty; from the last return from MPI_Init to the first entry into
/// MPI_Finalize), "program" (from the first return to the last entry), "run" (all of it), or
/// "1.5s..2s" from the start of the run. In the trace's own time; nothing for "common". Throws
/// usage Error.
std::optional<TimeInterval> resolve_interval(const std::string& text, const Trace& trace);
std::optional<TimeInterval> resolve_interval(const std::string& text, const RunSpan& run);

}  // namespace slackline
