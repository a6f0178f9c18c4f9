#ifndef SLACKLINE_RUNTIME_RECORD_PROCESSOR_CLOCK_H
#define SLACKLINE_RUNTIME_RECORD_PROCESSOR_CLOCK_H

#include <linux/perf_event.h>

#include <cstdint>

#include "system_counters.h"
#include "trace/wire.h"

namespace slackline::record {

/// CPU time of one thread, for the price of a load while the thread stays on its processor.
///
/// clock_gettime(CLOCK_THREAD_CPUTIME_ID) is a system call of some 400 ns. But the kernel counts
/// up the `lock` of a software event's mapped page whenever the thread is scheduled out and in. As
/// long as that has not changed, the thread was never off the processor, and its CPU time has gone
/// on like the wall clock; only after a change it is asked for.
///
/// Where perf_event_open is not permitted, CPU time is asked for whenever SLK_CPU_TIME_INTERVAL_NS
/// have passed, which costs less than 1 %. What lies between two of these times is then one long
/// computation, or one long call, and less than that interval of anything else.
class ProcessorClock {
 public:
  /// To be called by the thread itself, again when another one takes over. False where
  /// perf_event_open is not permitted.
  bool open();

  /// Whether the thread may have been off the processor since the last synchronise(), at wall clock
  /// time `now_ns`, or the system's counters are due. 1 ns.
  bool changed(std::uint64_t now_ns) const {
    return (page_ != nullptr && page_->lock != lock_) ||
           static_cast<std::int64_t>(now_ns - wall_ns_) >= interval_ns_;
  }
  /// CPU time at wall clock time `wall_ns` (CLOCK_MONOTONIC) after the last synchronise(), if
  /// changed() was false then.
  std::int64_t cpu_ns(std::uint64_t wall_ns) const {
    return cpu_ns_ + static_cast<std::int64_t>(wall_ns - wall_ns_);
  }
  /// Asks for the CPU time now, and for the system's counters. The thread may well be scheduled out
  /// on that occasion, so that time passes until this returns; what it returns is the CPU time when
  /// it was called. 0.4 us.
  std::int64_t synchronise();
  /// Whether the thread slept or blocked between the last two calls of synchronise(): then its time
  /// off the processor was not, or not only, spent waiting for one.
  bool slept() const { return counters_.gained(SLK_COUNTER_voluntary_switches) != 0; }
  /// Whether it may have been off the processor between these two calls.
  bool switched() const { return switched_; }
  /// What the system counted between these two calls.
  const SystemCounters& counters() const { return counters_; }

 private:
  std::int64_t read_cpu_time();

  const volatile perf_event_mmap_page* page_ = nullptr;
  std::uint32_t lock_ = 0;
  std::int64_t cpu_ns_ = 0;
  std::uint64_t wall_ns_ = 0;
  std::int64_t interval_ns_ = SLK_CPU_TIME_INTERVAL_NS;
  SystemCounters counters_;
  bool switched_ = false;
};

}  // namespace slackline::record

#endif
