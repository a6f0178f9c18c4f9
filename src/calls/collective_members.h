#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Which members of a collective must have entered it before another one can leave.
enum class CollectiveShape : std::uint8_t {
  none,         ///< nobody waits for sure
  all_to_all,   ///< every member waits for all
  root_to_all,  ///< every member waits for the root
  all_to_root,  ///< the root waits for all
};

/// The shape of each of the matching's collectives; `none` for nonblocking ones, of
/// intercommunicators, where some member contributes or receives nothing, and where members do not
/// agree on operation and root: these have lost count, and order nothing. Linear in the members.
std::vector<CollectiveShape> collective_shapes(const Trace& trace, const CallMatching& matching);

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
