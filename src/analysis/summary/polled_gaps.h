#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/computation_code.h"
#include "trace/trace.h"

namespace slackline {

/// Computation between two polls of which the first found nothing, in a function that the program
/// runs nowhere else: what it does to pass the time is waiting, too. Without samples or call paths
/// there is none.
class PolledGaps {
 public:
  /// `own_frames`: of every frame of the call tree. O(calls) where there are such polls.
  PolledGaps(const Trace& trace, const WaitStates& waits, const ComputationCode& code,
             const std::vector<FrameId>& own_frames);

  /// Whether the gap before a call is one.
  bool contains(std::int32_t rank, CallIndex call) const {
    return !by_rank_.empty() &&
           std::ranges::binary_search(by_rank_[static_cast<std::size_t>(rank)], call);
  }
  /// All of them together.
  double sum_ns() const { return sum_ns_; }

 private:
  std::vector<std::vector<CallIndex>> by_rank_;
  double sum_ns_ = 0;
};

}  // namespace slackline
