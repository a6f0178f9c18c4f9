#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "base/keyed_rows.h"
#include "calls/computation_code.h"
#include "calls/run_span.h"
#include "report/object.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// A place in the code, whatever the way to it, and the path's time there.
struct PathFunction {
  FrameId frame = 0;  ///< one of those at that place; 0: not known
  std::int64_t time_ns = 0;
};

/// A frame of the path, and whether its line tells more than its function.
struct PathFrame {
  bool by_line;
  FrameId frame;
  auto operator<=>(const PathFrame&) const = default;
};
/// The path's time at it, in ns.
using PathFrameTime = KeyedSum<PathFrame, std::int64_t>;

/// Where the path runs in an interval of the run: calls of MPI where they were made; computation by
/// function where samples tell it, else in the function that both calls around it have in common,
/// at the line where it ends. Without MPI_Init and MPI_Finalize if `inner`. `segments`: with calls
/// of `trace`; of a part of a run it is a part of the run's. Ascending; nothing without call paths.
/// O(segments log frames).
std::vector<PathFrameTime> path_frames(std::span<const ActivitySegment> segments,
                                       const Trace& trace, const ComputationCode& code,
                                       const TimeInterval& interval, bool inner);
/// By function, longest first: its frame is the one with most of the time. O(frames log frames).
std::vector<PathFunction> path_functions(std::span<const PathFrameTime> frames,
                                         const CallTree& tree);
/// The same where the trace is a whole run.
std::vector<PathFunction> path_functions(const CriticalPath& path, const Trace& trace,
                                         const ComputationCode& code, const TimeInterval& interval,
                                         bool inner);

using PathFunctionsJson = JsonOf<struct PathFunctionsJsonTag>;
const JsonType& declared_type(const PathFunctionsJsonTag*);
/// Adds a table of `functions` to the section that describes `path`. Returns all of them.
PathFunctionsJson describe_functions(const std::vector<PathFunction>& functions,
                                     const CriticalPath& path, const Trace& trace,
                                     Section& section);

using LocationJson = JsonOf<struct LocationJsonTag>;
const JsonType& declared_type(const LocationJsonTag*);
/// Function, file and line of a frame; null what is not known.
LocationJson location_to_json(const CallTree& tree, FrameId frame);
/// The functions on the way to a frame, outermost first; nothing of an unknown one.
std::optional<std::vector<std::string>> functions_to(const CallTree& tree, FrameId frame);

}  // namespace slackline
