#ifndef SLACKLINE_RUNTIME_RECORD_SYSTEM_COUNTERS_H
#define SLACKLINE_RUNTIME_RECORD_SYSTEM_COUNTERS_H

#include <cstdint>

#include "trace/wire.h"

namespace slackline::record {

/// What the system counts of the calling thread: context switches, page faults, and how often it
/// was found on another processor than before, which is fewer than its migrations where it came
/// back in between.
class SystemCounters {
 public:
  /// Reads them. One system call, 0.2 us.
  void read();
  /// What the counter gained between the last two readings.
  std::uint64_t gained(slk_counter counter) const { return gained_[counter]; }

 private:
  std::uint64_t total_[SLK_SYSTEM_COUNTERS] = {};
  std::uint64_t gained_[SLK_SYSTEM_COUNTERS] = {};
  int processor_ = -1;
};

/// Time of processors since the machine was started.
struct ProcessorTime {
  std::uint64_t stolen_ns = 0;  ///< what the hypervisor gave to others
  std::uint64_t total_ns = 0;   ///< idle time included; 0: unknown
  std::uint64_t used_ns = 0;    ///< by any process or the kernel
};

/// Reads /proc/stat, for the processors that have a bit in `mask` (1024 bits). Some 10 us on two
/// processors.
ProcessorTime processor_time(const std::uint64_t (&mask)[16]);

}  // namespace slackline::record

#endif
