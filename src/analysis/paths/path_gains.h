#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/paths/activity_name.h"
#include "analysis/paths/call_activities.h"

namespace slackline {

/// Questions that are answered in one walk.
inline constexpr std::size_t kGainsAsked = 5;

struct PathGains {
  std::array<std::int64_t, kGainsAsked>
      makespan_ns{};  ///< without each activity that was asked for
  /// Moments that every path goes through: where all ranks that have calls are synchronised and
  /// nothing is under way.
  std::uint64_t synchronisations = 0;

  // The sums of all parts of a run are those of the run.
  int key() const { return 0; }
  void add(const PathGains& other);
};

/// How long the run would be if an activity took no time anywhere. O(calls + members of
/// collectives); 44 bytes a call that another one waits for.
PathGains path_gains(const Activities& run, const CallActivities& names, const CallSet& sources,
                     std::span<const ActivityName> asked);

}  // namespace slackline
