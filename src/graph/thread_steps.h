#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// One step of a rank whose threads call MPI at the same time.
struct ThreadStep {
  enum class Part : std::uint8_t { whole, enter, complete } part = Part::whole;
  std::uint32_t call = 0;
};

/// The order in which a rank's calls were entered and completed, from call `first` on. A call
/// during which another thread enters one is taken in two steps, so that what it waits for does not
/// hold the other back: in this order the program ran, and no step waits for a later one of its
/// rank. Empty when no calls overlap, as in every rank of one thread. O(n log t) for t threads.
std::vector<ThreadStep> thread_steps(const RankCalls& calls, std::uint32_t first);

}  // namespace slackline
