#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "calls/call_matching.h"
#include "calls/spin_waits.h"
#include "trace/trace.h"

namespace slackline {

/// What a call on a window waited for.
enum class WindowWaitKind : std::uint8_t {
  late_post,      ///< MPI_Win_start or MPI_Win_complete, for MPI_Win_post of a target
  late_complete,  ///< MPI_Win_wait, or a failed MPI_Win_test, for MPI_Win_complete of an origin
  lock,           ///< MPI_Win_lock, a flush or MPI_Win_unlock, for another origin's unlock; or a
                  ///< swap for another rank's change (spin_waits.h)
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
  /// What asks again and again for a lock that the program made itself, by rank; or empty.
  const std::vector<std::vector<SpinWait>>& spins() const { return spins_; }
  /// Those of one call; logarithmic in those of the rank.
  std::span<const WindowWait> of(std::int32_t rank, CallIndex call) const;
  /// Those of one rank, in program order.
  std::span<const WindowWait> of(std::int32_t rank) const;

 private:
  std::vector<std::vector<SpinWait>> spins_;
  std::vector<std::vector<WindowWait>> by_rank_;  // empty where nobody waits
};

/// What an origin does between its lock of a target and its unlock.
struct LockEpoch {
  static constexpr std::int32_t kAllTargets = -1;  // MPI_Win_lock_all

  std::uint32_t comm = 0;
  std::int32_t origin = 0;
  std::int32_t target = kAllTargets;
  bool exclusive = false;
  CallIndex lock = kNoCall;
  CallIndex unlock = kNoCall;
  std::vector<CallIndex> flushes{};  // that include the target
};

/// Adds to out[origin] which calls of these epochs waited for another origin's unlock, and until
/// when it had returned. Epochs have an unlock. Sorts them; then a call looks at the epochs that
/// are released while it runs.
void add_lock_waits(const Trace& trace, const std::vector<LockEpoch>& epochs,
                    std::vector<std::vector<WindowWait>>& out);

}  // namespace slackline
