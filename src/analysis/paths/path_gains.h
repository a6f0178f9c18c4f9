#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/paths/call_activities.h"

namespace slackline {

/// So many questions are answered in one walk.
inline constexpr std::size_t kGainsAsked = 5;

struct PathGains {
  std::array<std::int64_t, kGainsAsked>
      makespan_ns{};  ///< without each activity that was asked for
  /// Pieces between moments that every path goes through: where all ranks that have calls are
  /// synchronised and nothing is under way.
  std::size_t parts = 1;
};

/// How long the run would be if an activity took no time anywhere. O(calls + members of
/// collectives); 44 bytes a call that another one waits for.
PathGains path_gains(const Activities& run, const CallActivities& names, const CallSet& sources,
                     std::span<const ActivityId> asked);

}  // namespace slackline
