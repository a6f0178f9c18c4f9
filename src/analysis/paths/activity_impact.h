#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/paths/call_activities.h"
#include "base/keyed_rows.h"

namespace slackline {

struct RanksActivity {
  std::int32_t rank = 0;
  ActivityName of{};

  auto operator<=>(const RanksActivity&) const = default;
};
/// A rank's time in an activity without waiting, in ns.
using OwnTime = KeyedSum<RanksActivity, std::int64_t>;

/// Time of all ranks in everything, ascending; that of all parts of a run adds up to the run's.
/// What comes after a rank's last call is computation. O(calls), ranks in threads.
std::vector<OwnTime> own_times(const Activities& run, const CallActivities& names);

/// What an activity has of the time of all ranks, as the critical path sees it (Scalasca's
/// performance impact). The parts of all activities add up to ranks times the length of the run.
/// Unlike in Scalasca, what a rank was late to start is an activity of its own, and not waiting.
struct ActivityImpact {
  ActivityName activity{};
  std::int64_t critical_ns = 0;      ///< on each rank as much of it as the critical path has
  std::int64_t non_critical_ns = 0;  ///< what ranks have of it beyond that
  /// Waiting, over all ranks, because the path has more of it than they: each rank's waiting is
  /// shared out over such activities in proportion.
  double imbalance_ns = 0;

  std::int64_t busy_ns() const { return critical_ns + non_critical_ns; }
};

/// How much of the critical path an activity takes, in ns.
using ActivityOnPath = KeyedSum<ActivityName, std::int64_t>;

/// Ascending by activity. `own`: of a whole run, ascending; `ranks`: how many have calls. O(rows
/// log activities).
std::vector<ActivityImpact> activity_impacts(std::span<const OwnTime> own,
                                             std::span<const ActivityOnPath> on_path,
                                             std::int64_t ranks);

}  // namespace slackline
