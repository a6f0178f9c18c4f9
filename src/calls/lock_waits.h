#pragma once

#include <cstdint>
#include <vector>

#include "calls/window_waits.h"
#include "trace/trace.h"

namespace slackline {

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
