#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/paths/call_activities.h"

namespace slackline {

/// What an activity has of the time of all ranks, as the critical path sees it (Scalasca's
/// performance impact). The parts of all activities add up to ranks times the length of the run.
/// Unlike in Scalasca, what a rank was late to start is an activity of its own, and not waiting.
struct ActivityImpact {
  Operation operation = Operation::none;  ///< none: computation
  PathId path = 0;
  bool late_start = false;           ///< before the rank's start; neither computation nor waiting
  std::int64_t critical_ns = 0;      ///< on each rank as much of it as the critical path has
  std::int64_t non_critical_ns = 0;  ///< what ranks have of it beyond that
  /// Waiting, over all ranks, because the path has more of it than they: each rank's waiting is
  /// shared out over such activities in proportion.
  double imbalance_ns = 0;

  std::int64_t busy_ns() const { return critical_ns + non_critical_ns; }
};

/// By ActivityId, and behind them the late start. `on_path_ns`: what the critical path has of each,
/// in ns, in that order. What comes after a rank's last call is computation. Ranks without calls do
/// not count. O(calls), ranks in threads; 80 bytes an activity, for up to 32 blocks of ranks.
std::vector<ActivityImpact> activity_impacts(const Activities& run, const CallActivities& names,
                                             std::span<const std::int64_t> on_path_ns);

}  // namespace slackline
