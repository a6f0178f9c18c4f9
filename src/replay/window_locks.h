#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calls/call_matching.h"
#include "replay/rank_windows.h"
#include "trace/trace.h"

namespace slackline {

struct WindowLock {
  static constexpr std::int32_t kAllTargets = -1;  ///< MPI_Win_lock_all

  WindowId window{};
  std::int32_t origin = 0;
  std::int32_t target = kAllTargets;
  bool exclusive = false;
};

/// A lock as one rank held it.
struct HeldLock {
  WindowLock lock{};
  CallIndex waits = kNoCall;  ///< the first call under it that may wait for another process
  std::vector<std::pair<CallIndex, WindowLock>> inside{};  ///< locks that are taken under it
};

/// May the call wait until another process has made one? Completions of one-sided transfers only
/// (`transfers_only`) do not, nor do transfers themselves. Locks are not asked about.
bool may_wait(const Call& call, bool transfers_only);

/// Which process gets a lock first may differ from the run. So where two processes lock the same
/// memory, and not both for reading, neither may wait for others meanwhile: they might wait for the
/// lock. Words for the first one that does; empty if none does. Linear.
std::string waits_under_lock(const Trace& trace, const std::vector<HeldLock>& locks);

}  // namespace slackline
