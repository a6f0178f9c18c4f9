#ifndef SLACKLINE_RUNTIME_RECORD_CPU_TIMER_H
#define SLACKLINE_RUNTIME_RECORD_CPU_TIMER_H

#include <time.h>

#include <cstdint>

#include "descriptor.h"

namespace slackline::record {

/// Sends the thread that starts it a signal after each interval of its CPU time.
///
/// The kernel looks at timers of CPU time (timer_create) at its ticks only. On shared processors
/// the ticks are also when threads are scheduled in and out, so that short computation after each
/// tick would never be found. So this is a perf event of the task clock, which has a timer of high
/// resolution, wherever the kernel lets a program observe its own time in the kernel too; a timer
/// of CPU time otherwise.
class CpuTimer {
 public:
  /// False, with errno, where the system gives neither. `signal` should be a real-time signal.
  bool start(int signal, std::uint64_t interval_ns);
  /// In the signal's handler: the next signal may come. Without it perf events would queue signals
  /// while the thread blocks them. 300 ns.
  void rearm() const;
  /// False where the program has closed the event's descriptor: no signal has come since then, and
  /// the number may be that of a file of its own, which stays open.
  bool stop();

 private:
  bool open_task_clock(int signal, std::uint64_t interval_ns);
  bool create_timer(int signal, std::uint64_t interval_ns);
  int open_event() const;

  Descriptor task_clock_;  ///< the perf event, if it is one
  bool is_event_ = false;
  std::uint64_t event_id_ = 0;  ///< of the perf event
  timer_t timer_{};
};

}  // namespace slackline::record

#endif
