#pragma once

#include <cstddef>
#include <functional>

namespace slackline {

inline constexpr unsigned kAllThreads = 0;  ///< as many as the machine has

/// Runs task(0) ... task(count-1) on this thread and idle ones, up to `threads` (0: as many as the
/// machine has), and waits for all. All loops of the process share the machine's threads; a task
/// may have loops of its own. Tasks begin in ascending order. The first exception thrown by a task
/// is rethrown here after the others have ended; tasks not yet begun by then are skipped.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task,
                  unsigned threads = kAllThreads);

/// Threads that parallel_for uses by default.
unsigned hardware_threads();

}  // namespace slackline
