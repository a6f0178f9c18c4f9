#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace slackline {

/// The gaps between the calls of one rank's main thread, in program order: the rank's time outside
/// of MPI. Calls of other threads have no gap before them, and interrupt none: the main thread goes
/// on meanwhile. Of ranks without such calls, what RankCalls says of every gap, which looks for
/// pauses at each; who goes through all of them need not.
class GapWalk {
 public:
  struct Gap {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    std::int64_t useful_ns;     ///< RankCalls::useful_ns()
    std::int64_t outside_ns;    ///< RankCalls::outside_ns()
    std::int64_t recording_ns;  ///< RankCalls::recording_ns()
  };

  /// Keeps a reference.
  explicit GapWalk(const RankCalls& calls)
      : calls_(&calls), pauses_(calls.pauses()), before_ns_(calls.start_ns()) {}

  /// The gap before the first call, then that before the second, ... after the last one.
  Gap next() {
    const std::size_t call = next_++;
    if (call < calls_->size() && calls_->thread(call) != 0)
      return {before_ns_, before_ns_, 0, 0, 0};
    const std::int64_t end =
        call < calls_->size() ? calls_->begin_ns(call) : std::max(before_ns_, calls_->stop_ns());
    const std::int64_t length = std::max<std::int64_t>(0, end - before_ns_);
    std::int64_t paused = 0;
    std::int64_t in_mpi = 0;
    for (; !pauses_.empty() && pauses_.front().before_call <= call; pauses_ = pauses_.subspan(1)) {
      const std::int64_t ns = pauses_.front().end_ns - pauses_.front().begin_ns;
      paused += ns;
      if (pauses_.front().kind == PauseKind::in_mpi) in_mpi += ns;
    }
    const std::int64_t unpaused = std::max<std::int64_t>(0, length - paused);
    const std::int64_t recording = std::min(unpaused, recording_cost_ns(call));
    const Gap gap{before_ns_, end, unpaused - recording, std::max<std::int64_t>(0, length - in_mpi),
                  recording};
    if (call < calls_->size()) {
      before_ns_ = calls_->end_ns(call);
      before_ = call;
    }
    return gap;
  }

 private:
  static constexpr auto kNone = static_cast<std::size_t>(-1);

  std::int64_t recording_cost_ns(std::size_t call) const {
    const std::span<const RecordingCost> costs = calls_->recording_costs();
    const auto cost_of = [&](std::size_t of) {
      const auto at = static_cast<std::size_t>(calls_->operation(of));
      return at < costs.size() ? costs[at] : RecordingCost{};
    };
    if (costs.empty()) return 0;
    std::int64_t ns = 0;
    if (call < calls_->size()) ns += cost_of(call).before_ns;
    if (before_ != kNone) ns += cost_of(before_).after_ns;
    return ns;
  }

  const RankCalls* calls_;
  std::span<const Pause> pauses_;  // those in gaps to come
  std::int64_t before_ns_;         // when the gap begins
  std::size_t before_ = kNone;     // the main thread's call before it
  std::size_t next_ = 0;
};

}  // namespace slackline
