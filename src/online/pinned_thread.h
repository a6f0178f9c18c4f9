#pragma once

#include <sched.h>

namespace slackline::online {

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

}  // namespace slackline::online
