#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace slackline {

/// The gaps between one rank's calls, in program order. RankCalls looks for pauses at every gap;
/// who goes through all of them need not.
class GapWalk {
 public:
  struct Gap {
    std::int64_t useful_ns;     ///< RankCalls::useful_ns()
    std::int64_t outside_ns;    ///< RankCalls::outside_ns()
    std::int64_t recording_ns;  ///< RankCalls::recording_ns()
  };

  /// Keeps a reference.
  explicit GapWalk(const RankCalls& calls) : calls_(&calls), pauses_(calls.pauses()) {}

  /// The gap before the first call, then that before the second, ... after the last one.
  Gap next() {
    const std::size_t call = next_++;
    const bool paused = !pauses_.empty() && pauses_.front().before_call <= call;
    if (!paused && call < calls_->size()) {
      const std::int64_t before = call == 0 ? calls_->start_ns() : calls_->end_ns(call - 1);
      const std::int64_t gap = std::max<std::int64_t>(0, calls_->begin_ns(call) - before);
      const std::int64_t recording = std::min(gap, calls_->recording_cost_ns(call));
      return {gap - recording, gap, recording};
    }
    while (!pauses_.empty() && pauses_.front().before_call <= call) pauses_ = pauses_.subspan(1);
    return {calls_->useful_ns(call), calls_->outside_ns(call), calls_->recording_ns(call)};
  }

 private:
  const RankCalls* calls_;
  std::span<const Pause> pauses_;  // those before calls to come
  std::size_t next_ = 0;
};

}  // namespace slackline
