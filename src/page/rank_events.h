#pragma once

#include <cstdint>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "page/drawn_calls.h"
#include "page/run_times.h"

namespace slackline {

/// From when on a rank is in which call path.
struct PathChange {
  std::int64_t at_ns;
  PathId path;
};

/// Regions per rank, in order of time; nothing where there is only one path. The measured run's
/// begin and end of regions; in other runs a region changes where the calls do.
std::vector<std::vector<PathChange>> path_changes(const Trace& trace, const CallPaths& paths,
                                                  const RunTimes& times, bool measured);

/// The same where paths are known at each call.
std::vector<std::vector<PathChange>> path_changes(const DrawnCalls& calls, const RunTimes& times);

/// What each of `ranks` really waited for, in program order: the effective states.
std::vector<std::vector<WaitState>> waits_by_rank(std::int32_t ranks, const WaitStates& waits);

}  // namespace slackline
