#pragma once

#include <cstdint>
#include <optional>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// When the members of a collective enter and leave it.
struct CollectiveTimes {
  std::int64_t first_begin_ns = 0;
  std::int64_t last_begin_ns = 0;
  std::int32_t last_rank = -1;                ///< the first of those that enter last
  std::optional<std::int64_t> last_end_ns{};  ///< nothing where a member never completes it
};

/// O(members).
CollectiveTimes collective_times(const Trace& trace, const CallMatching& matching,
                                 const CollectiveInstance& collective);

}  // namespace slackline
