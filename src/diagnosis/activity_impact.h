#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "diagnosis/activities.h"
#include "diagnosis/call_activities.h"

namespace slackline {

/// What an activity has of the time of all ranks, as the critical path sees it (Scalasca's
/// performance impact). The parts of all activities add up to ranks times the length of the run.
struct ActivityImpact {
  Operation operation = Operation::none;  ///< none: computation
  PathId path = 0;
  std::int64_t critical_ns = 0;      ///< on each rank as much of it as the critical path has
  std::int64_t non_critical_ns = 0;  ///< what ranks have of it beyond that
  /// Waiting, over all ranks, because the path has more of it than they: each rank's waiting is
  /// shared out over such activities in proportion.
  double imbalance_ns = 0;

  std::int64_t busy_ns() const { return critical_ns + non_critical_ns; }
};

/// By ActivityId. `on_path_ns`: what the critical path has of each, in ns. A rank's time that is no
/// activity is waiting, what comes before its first call and after its last one is computation.
/// Ranks without calls do not count. O(calls), ranks in threads; 40 bytes an activity a thread.
std::vector<ActivityImpact> activity_impacts(const Activities& run, const CallActivities& names,
                                             std::span<const std::int64_t> on_path_ns);

}  // namespace slackline
