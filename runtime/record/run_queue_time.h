#ifndef SLACKLINE_RUNTIME_RECORD_RUN_QUEUE_TIME_H
#define SLACKLINE_RUNTIME_RECORD_RUN_QUEUE_TIME_H

#include <cstdint>

#include "descriptor.h"

namespace slackline::record {

/// For how long one thread was ready to run and had no processor, as the kernel counts it
/// (/proc/thread-self/schedstat, "run delay"). It distinguishes a thread that lost its processor
/// from one that slept, which CPU time does not.
class RunQueueTime {
 public:
  /// To be called by the thread itself, again when another one takes over.
  void open();
  /// False where the kernel does not count it.
  bool known() const { return known_; }
  /// What it gained since the last call, or open(). One system call, some 1.5 us.
  std::int64_t gained_ns();
  /// The same; the next gained_ns() counts it, too.
  std::int64_t gained_so_far_ns() const;

 private:
  std::int64_t read_ns() const;
  bool open_file() const;

  // The program may close it at any time: then it is opened again.
  mutable Descriptor file_;
  mutable bool known_ = false;
  std::int64_t total_ns_ = 0;
};

}  // namespace slackline::record

#endif
