#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/model_path.h"
#include "analysis/paths/critical_path.h"
#include "analysis/waits/wait_states.h"
#include "page/codes.h"
#include "page/drawn_calls.h"
#include "page/drawn_timeline.h"
#include "page/run_times.h"

namespace slackline {

/// A segment of a critical path; times from the run's start.
struct PathPiece {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::int32_t rank;
  std::uint32_t call;    ///< of computation the call that ends it
  Operation operation;   ///< none: computation
  bool message = false;  ///< on its way
};

/// The segments of a timed run's critical path, but for a late start.
std::vector<PathPiece> path_pieces(const CriticalPath& path);
/// The segments of the model's path, whose Schedule begins `offset_ns` after the run's start.
std::vector<PathPiece> path_pieces(const ModelPath& path, std::int64_t offset_ns);

/// Columns as in doc/formats/page.md. Of more than `most` pieces those that touch and are of one
/// kind on one rank are joined, and then the shortest are left out.
Timeline::Events path_events(std::vector<PathPiece> pieces, const TimelineCodes& codes,
                             TickScale ticks, std::size_t most);

/// The `most` longest of what ranks really waited for, longest first.
Timeline::Events wait_events(const DrawnCalls& calls, const RunTimes& times,
                             const WaitStates& waits, const TimelineCodes& codes, TickScale ticks,
                             std::size_t most);

}  // namespace slackline
