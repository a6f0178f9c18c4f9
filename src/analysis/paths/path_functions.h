#pragma once

#include <cstdint>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "calls/computation_code.h"
#include "calls/run_span.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// A place in the code, whatever the way to it, and the path's time there.
struct PathFunction {
  FrameId frame = 0;  ///< one of those at that place; 0: not known
  std::int64_t time_ns = 0;
};

/// Where the path runs in an interval of the run, longest first: calls of MPI where they were made;
/// computation by function where samples tell it (`frame` then has the line with most of it), else
/// in the function that both calls around it have in common, at the line where it ends. Without
/// MPI_Init and MPI_Finalize if `inner`. O(segments log places).
std::vector<PathFunction> path_functions(const CriticalPath& path, const Trace& trace,
                                         const ComputationCode& code, const TimeInterval& interval,
                                         bool inner);

/// Adds `functions` to the description of `path`.
void describe_functions(const std::vector<PathFunction>& functions, const CriticalPath& path,
                        const Trace& trace, Report& report);

/// Function, file and line of a frame into an object; null what is not known.
void add_location(Json& json, const CallTree& tree, FrameId frame);

}  // namespace slackline
