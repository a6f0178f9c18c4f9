#include "processor_clock.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>

namespace slackline::record {

void SystemCounters::read() {
  rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return;
  const int processor = sched_getcpu();
  const bool moved = processor_ >= 0 && processor != processor_;
  processor_ = processor;
  std::uint64_t now[SLK_SYSTEM_COUNTERS];
  now[SLK_COUNTER_involuntary_switches] = static_cast<std::uint64_t>(usage.ru_nivcsw);
  now[SLK_COUNTER_voluntary_switches] = static_cast<std::uint64_t>(usage.ru_nvcsw);
  now[SLK_COUNTER_migrations] = total_[SLK_COUNTER_migrations] + (moved ? 1 : 0);
  now[SLK_COUNTER_minor_faults] = static_cast<std::uint64_t>(usage.ru_minflt);
  now[SLK_COUNTER_major_faults] = static_cast<std::uint64_t>(usage.ru_majflt);
  for (std::size_t i = 0; i < SLK_SYSTEM_COUNTERS; ++i) {
    gained_[i] = now[i] - total_[i];
    total_[i] = now[i];
  }
}

ProcessorTime processor_time(const std::uint64_t (&mask)[16]) {
  constexpr std::size_t kTimes = 8;  // user, nice, system, idle, iowait, irq, softirq, steal
  constexpr std::size_t kIdle = 3;
  constexpr std::size_t kWaitingForDevices = 4;
  constexpr std::size_t kSteal = 7;
  ProcessorTime all;
  const long ticks_a_second = sysconf(_SC_CLK_TCK);
  std::FILE* const file = std::fopen("/proc/stat", "re");
  if (file == nullptr || ticks_a_second <= 0) {
    if (file != nullptr) std::fclose(file);
    return all;
  }
  const std::uint64_t tick_ns = 1'000'000'000u / static_cast<std::uint64_t>(ticks_a_second);
  char line[512];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    unsigned number = 0;
    unsigned long long t[kTimes] = {};
    if (line[0] != 'c') break;  // the processors' lines are the first ones
    const int read = std::sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &number,
                                 &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);
    const bool wanted =
        number / 64 < std::size(mask) && (mask[number / 64] >> number % 64 & 1) != 0;
    if (read != int{kTimes} + 1 || !wanted) continue;
    std::uint64_t ticks = 0;
    for (const unsigned long long of : t) ticks += of;
    all.total_ns += ticks * tick_ns;
    all.stolen_ns += t[kSteal] * tick_ns;
    all.used_ns += (ticks - t[kIdle] - t[kWaitingForDevices] - t[kSteal]) * tick_ns;
  }
  std::fclose(file);
  return all;
}

}  // namespace slackline::record
