#pragma once

#include <cstdint>
#include <vector>

#include "analysis/paths/scenario_times.h"
#include "analysis/waits/wait_states.h"
#include "trace/trace.h"

namespace slackline {

/// Polls that found nothing, as waiting to their end, or until what they asked for came. 32 bytes a
/// poll.
class FailedPolls {
 public:
  /// O(waits).
  FailedPolls(const Trace& trace, const WaitStates& waits);

  /// No wait of other calls. Logarithmic in the polls of the rank.
  PolledWait of(std::int32_t rank, CallIndex call) const;

 private:
  struct Poll {
    CallIndex call;
    PolledWait wait;
  };
  std::vector<std::vector<Poll>> by_rank_;  // in program order
};

}  // namespace slackline
