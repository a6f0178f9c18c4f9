#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// What a call on a window waited for.
enum class WindowWaitKind : std::uint8_t {
  late_post,      ///< MPI_Win_start or MPI_Win_complete, for MPI_Win_post of a target
  late_complete,  ///< MPI_Win_wait, or a failed MPI_Win_test, for MPI_Win_complete of an origin
  lock,           ///< MPI_Win_lock, a flush or MPI_Win_unlock, for another origin's unlock
};

struct WindowWait {
  CallIndex call = kNoCall;
  std::int32_t source = -1;  ///< the rank waited for
  CallIndex source_call = kNoCall;
  std::int64_t until_ns = 0;  ///< when it was over at the latest
  WindowWaitKind kind = WindowWaitKind::late_post;
};

/// One-sided calls that move data and neither begin nor end an epoch.
bool is_window_transfer(Operation operation);

/// Waiting for single partners at windows, as the times tell it: post-start-complete-wait epochs
/// (window_epochs.h), and locks that conflict. Locks are exclusive unless their tag is odd.
class WindowWaits {
 public:
  WindowWaits() = default;
  /// Linear in calls; locks that contend cost their overlaps.
  explicit WindowWaits(const Trace& trace);

  bool empty() const { return by_rank_.empty(); }
  /// Those of one call; logarithmic in those of the rank.
  std::span<const WindowWait> of(std::int32_t rank, CallIndex call) const;
  /// Those of one rank, in program order.
  std::span<const WindowWait> of(std::int32_t rank) const;

 private:
  std::vector<std::vector<WindowWait>> by_rank_;  // empty where nobody waits
};

}  // namespace slackline
