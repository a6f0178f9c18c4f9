#ifndef SLACKLINE_RUNTIME_RECORD_PROCESSOR_CLOCK_H
#define SLACKLINE_RUNTIME_RECORD_PROCESSOR_CLOCK_H

#include <linux/perf_event.h>

#include <cstdint>

#include "clock.h"
#include "descriptor.h"
#include "trace/wire.h"

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

/// For how long a thread was off its processor: of its own accord, and while it wanted one.
struct OffTime {
  std::int64_t blocked_ns = 0;
  std::int64_t waited_ns = 0;
};

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
  /// A number, not 0, that says whether the thread may have been off its processor since another
  /// one: then they differ. Where the system does not tell, the time.
  std::uint64_t moment() const {
    return page_ != nullptr ? std::uint64_t{page_->lock} | std::uint64_t{1} << 63 : now_ns();
  }
  /// The same for wall clock time `wall_ns`, if changed() was false then.
  std::uint64_t moment_at(std::uint64_t wall_ns) const {
    return page_ != nullptr ? std::uint64_t{lock_} | std::uint64_t{1} << 63 : wall_ns;
  }
  bool was_off_since(std::uint64_t moment) const {
    const std::uint64_t now = this->moment();
    return page_ != nullptr ? now != moment : now - moment >= kLeastBlockingNs;
  }
  /// The part of `off_ns` off the processor between the last two calls of synchronise() in which
  /// the thread wanted one. Where the kernel does not give it, all of it unless the thread slept or
  /// blocked in between.
  std::int64_t waited_ns(std::int64_t off_ns) const {
    if (run_queue_.known()) return off_ns < waited_ns_ ? off_ns : waited_ns_;
    return counters_.gained(SLK_COUNTER_voluntary_switches) != 0 ? 0 : off_ns;
  }
  /// `off_ns` off the processor since the last synchronise(), until now. Where the kernel does not
  /// say for how long the thread wanted one, none of it. 1.5 us.
  OffTime split_off_time(std::int64_t off_ns) const {
    const std::int64_t waited = run_queue_.gained_so_far_ns();
    return waited < off_ns ? OffTime{off_ns - waited, waited} : OffTime{0, off_ns};
  }
  /// Whether it may have been off the processor between these two calls.
  bool switched() const { return switched_; }
  /// What the system counted between these two calls.
  const SystemCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint64_t kLeastBlockingNs = 20'000;

  std::int64_t read_cpu_time();
  void read_waiting();

  const volatile perf_event_mmap_page* page_ = nullptr;
  std::uint32_t lock_ = 0;
  std::int64_t cpu_ns_ = 0;
  std::uint64_t wall_ns_ = 0;
  std::int64_t interval_ns_ = SLK_CPU_TIME_INTERVAL_NS;
  SystemCounters counters_;
  RunQueueTime run_queue_;
  std::int64_t waited_ns_ = 0;
  bool switched_ = false;
};

}  // namespace slackline::record

#endif
