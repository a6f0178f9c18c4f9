#include "processor_clock.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "clock.h"

namespace slackline::record {

bool ProcessorClock::open() {
  const int saved_errno = errno;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (page_ != nullptr) munmap(const_cast<perf_event_mmap_page*>(page_), page_bytes);
  page_ = nullptr;
  perf_event_attr event;
  std::memset(&event, 0, sizeof event);
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_TASK_CLOCK;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  const auto fd =
      static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd >= 0) {
    void* at = mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);  // the mapping keeps the event
    if (at != MAP_FAILED) page_ = static_cast<perf_event_mmap_page*>(at);
  }
  interval_ns_ = page_ != nullptr ? SLK_COUNTER_INTERVAL_NS : SLK_CPU_TIME_INTERVAL_NS;
  counters_.read();
  read_cpu_time();
  run_queue_.open();
  errno = saved_errno;
  return page_ != nullptr;
}

std::int64_t ProcessorClock::synchronise() {
  const bool on_processor = page_ != nullptr && page_->lock == lock_;
  counters_.read();
  if (on_processor) {
    const std::uint64_t now = now_ns();
    const std::int64_t cpu = cpu_ns(now);
    if (page_->lock == lock_) {
      cpu_ns_ = cpu;
      wall_ns_ = now;
      switched_ = false;
      return cpu;
    }
  }
  switched_ = true;
  const std::int64_t cpu = read_cpu_time();
  read_waiting();
  return cpu;
}

/// Only after a switch: it costs more than all the rest.
void ProcessorClock::read_waiting() {
  waited_ns_ = 0;
  const bool switched = counters_.gained(SLK_COUNTER_involuntary_switches) != 0 ||
                        counters_.gained(SLK_COUNTER_voluntary_switches) != 0;
  if (switched) waited_ns_ = run_queue_.gained_ns();
}

std::int64_t ProcessorClock::read_cpu_time() {
  constexpr int kTries = 4;
  std::int64_t first = 0;
  for (int tries = 0; tries < kTries; ++tries) {
    if (page_ != nullptr) lock_ = page_->lock;
    cpu_ns_ = static_cast<std::int64_t>(thread_cpu_time_ns());
    wall_ns_ = now_ns();
    if (tries == 0) first = cpu_ns_;
    if (page_ == nullptr || page_->lock == lock_) break;
  }
  return first;
}

}  // namespace slackline::record
