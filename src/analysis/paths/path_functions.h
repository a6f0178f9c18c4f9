#pragma once

#include "analysis/paths/critical_path.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// Adds to the description of a critical path which functions it runs in, by the trace's call tree:
/// calls where they were made, computation in the function that both calls around it have in
/// common, at the line where it ends. O(segments).
void describe_functions(const CriticalPath& path, const Trace& trace, Report& report);

/// Function, file and line of a frame into an object; null what is not known.
void add_location(Json& json, const CallTree& tree, FrameId frame);

}  // namespace slackline
