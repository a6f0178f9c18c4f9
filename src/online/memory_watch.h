#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "base/memory.h"

namespace slackline::online {

/// Programs may take memory long after they have begun. Without swap, a machine that has none left
/// stands still before the system ends a process, and perhaps another one than these.
class MemoryWatch {
 public:
  using Ask = std::function<AvailableMemory()>;
  explicit MemoryWatch(Ask ask);

  /// Throws Error when less is left than 3 % of all memory, or than a quarter of what there was in
  /// the beginning, if that is less. Asks the system five times a second at most.
  void check();

 private:
  using Clock = std::chrono::steady_clock;

  void ask_now() const;

  Ask ask_;
  std::uint64_t least_ = 0;
  Clock::time_point next_;
};

}  // namespace slackline::online
