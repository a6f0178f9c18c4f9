#pragma once

#include <cstdint>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/paths/longest_activity_path.h"
#include "calls/call_matching.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

/// One activity of a path through a measured run.
struct RunStep {
  enum class Kind : std::uint8_t {
    computation,  ///< before `call`
    call,         ///< the part of it that is no waiting
    tail          ///< computation after `call`, the rank's last one
  };
  Kind kind = Kind::computation;
  std::int32_t rank = 0;
  CallIndex call = 0;
  std::int64_t ns = 0;
  /// Whose begin a call follows on the path; its own when it did not wait.
  CallSource source{};
};

/// Appends the activities that led to the end of a call, newest first, back to the start of the
/// run: from a call that waited to the source that came last. O(steps).
void walk_back(const Activities& run, std::int32_t rank, CallIndex call,
               std::vector<RunStep>& steps);

/// A longest path from the start of the run to its end, which is the run itself; early to late.
std::vector<RunStep> critical_steps(const Activities& run);

/// The same of a path that was found in the written graph.
std::vector<RunStep> steps_of(const ActivityGraph& graph, const ActivityPath& path);

/// Where a run's critical path goes from one rank to another, as arrows from the call that was
/// waited for to the one that waited, early to late. O(steps).
std::vector<TimelineFlow> critical_path_flows(const std::vector<RunStep>& steps);

/// Every message of the trace, from the call that sends it to the one that completes its receive
/// (or posts it, if none does), in the order of receivers and of posting. O(n log n).
std::vector<TimelineFlow> message_flows(const CallMatching& matching);

}  // namespace slackline
