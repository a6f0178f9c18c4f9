#pragma once

#include <sched.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>

#include "base/memory.h"

namespace slackline::online {

/// While the object lives, the first SIGINT, SIGTERM or SIGHUP is only remembered, so that what has
/// been simulated is kept; the second one has its own effect. Signals that are ignored stay so. One
/// at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The signal that has come; 0: none.
  static int signal();

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3]{};
};

/// Keeps the calling thread on the processor that it runs on, until the end of this object.
class PinnedThread {
 public:
  /// Does nothing unless `wanted`, or where the system does not allow it.
  explicit PinnedThread(bool wanted);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

  /// Number of that processor; -1 if the thread is not kept.
  int processor() const { return processor_; }

 private:
  int processor_ = -1;
  cpu_set_t before_{};
};

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
