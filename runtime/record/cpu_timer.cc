#include "cpu_timer.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace slackline::record {

namespace {

pid_t own_thread() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

bool send_to_this_thread(int event, int signal) {
  const f_owner_ex owner{F_OWNER_TID, own_thread()};
  return fcntl(event, F_SETFL, O_ASYNC) == 0 && fcntl(event, F_SETSIG, signal) == 0 &&
         fcntl(event, F_SETOWN_EX, &owner) == 0;
}

}  // namespace

bool CpuTimer::open_task_clock(int signal, std::uint64_t interval_ns) {
  perf_event_attr event;
  std::memset(&event, 0, sizeof event);
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_TASK_CLOCK;
  event.sample_period = interval_ns;
  event.wakeup_events = 1;
  event.disabled = 1;
  // Time in the kernel is the program's, too. Of an event without it, samples there would be lost.
  event.exclude_kernel = 0;
  event.exclude_hv = 1;
  const int opened =
      static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (!task_clock_.hold(opened)) return false;
  const int event_number = task_clock_.number();
  is_event_ = ioctl(event_number, PERF_EVENT_IOC_ID, &event_id_) == 0 &&
              send_to_this_thread(event_number, signal) &&
              ioctl(event_number, PERF_EVENT_IOC_REFRESH, 1) == 0;
  if (!is_event_) task_clock_.close();
  return is_event_;
}

bool CpuTimer::create_timer(int signal, std::uint64_t interval_ns) {
  sigevent event;
  std::memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event._sigev_un._tid = own_thread();
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0) return false;
  const auto seconds = static_cast<time_t>(interval_ns / 1'000'000'000u);
  const auto rest = static_cast<long>(interval_ns % 1'000'000'000u);
  const itimerspec every{{seconds, rest}, {seconds, rest}};
  if (timer_settime(timer_, 0, &every, nullptr) == 0) return true;
  timer_delete(timer_);
  return false;
}

bool CpuTimer::start(int signal, std::uint64_t interval_ns) {
  return open_task_clock(signal, interval_ns) || create_timer(signal, interval_ns);
}

void CpuTimer::rearm() const {
  if (!is_event_) return;
  if (const int event = open_event(); event >= 0) ioctl(event, PERF_EVENT_IOC_REFRESH, 1);
}

/// -1: the program has closed it. All events have one inode.
int CpuTimer::open_event() const {
  const int event = task_clock_.number();
  std::uint64_t id = 0;
  return event >= 0 && ioctl(event, PERF_EVENT_IOC_ID, &id) == 0 && id == event_id_ ? event : -1;
}

bool CpuTimer::stop() {
  if (!is_event_) {
    timer_delete(timer_);
    return true;
  }
  const bool open = open_event() >= 0;
  if (open) task_clock_.close();
  is_event_ = false;
  return open;
}

}  // namespace slackline::record
