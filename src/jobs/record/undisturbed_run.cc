#include "jobs/record/undisturbed_run.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

#include "base/arithmetic.h"
#include "base/file.h"
#include "base/progress.h"
#include "formats/native/reader.h"

namespace slackline {
namespace {

constexpr std::chrono::milliseconds kInterval{500};
constexpr int kMostIntervals = 30;
constexpr double kQuiet = 0.1;  // of the processors' time

/// Times of all processors of this host since its start, in ticks.
struct ProcessorTicks {
  double idle = 0;
  double all = 0;
};

/// Zero where the system does not tell.
ProcessorTicks processor_ticks() {
  constexpr std::size_t kTimes = 8;  // user, nice, system, idle, iowait, irq, softirq, steal
  constexpr std::size_t kIdle = 3;
  constexpr std::size_t kWaitingForDevices = 4;
  std::ifstream stat("/proc/stat");
  std::string name;
  std::array<double, kTimes> times{};
  stat >> name;
  ProcessorTicks ticks;
  for (std::size_t i = 0; i < kTimes && stat >> times[i]; ++i) ticks.all += times[i];
  ticks.idle = times[kIdle] + times[kWaitingForDevices];
  return ticks;
}

/// CPU time of this process and of those that it has waited for, and these of theirs.
double own_ticks() {
  double seconds = 0;
  for (const int of : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (getrusage(of, &used) != 0) continue;
    for (const timeval& t : {used.ru_utime, used.ru_stime}) {
      seconds += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    }
  }
  return seconds * static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

OtherProcesses::OtherProcesses() : own_(own_ticks()) {
  const ProcessorTicks ticks = processor_ticks();
  idle_ = ticks.idle;
  all_ = ticks.all;
}

double OtherProcesses::share() const {
  const ProcessorTicks ticks = processor_ticks();
  const double all = ticks.all - all_;
  const double used = all - (ticks.idle - idle_) - (own_ticks() - own_);
  return std::clamp(ratio_of(used, all), 0.0, 1.0);
}

Disturbance disturbance_of_recording(const std::filesystem::path& trace) {
  const MappedFile file(trace);
  return disturbance_of(read_native(file.bytes(), trace.string()));
}

void wait_for_quiet_machine() {
  Progress progress("waiting for other processes to end, try", kMostIntervals);
  ProcessorTicks before = processor_ticks();
  for (int i = 0; i < kMostIntervals; ++i) {
    progress.update(static_cast<std::uint64_t>(i));
    std::this_thread::sleep_for(kInterval);
    const ProcessorTicks now = processor_ticks();
    const double all = now.all - before.all;
    if (all <= 0 || all - (now.idle - before.idle) < kQuiet * all) return;
    before = now;
  }
}

void run_undisturbed(int retries, const std::function<Disturbance()>& run) {
  for (int left = retries; run().disturbed() && left > 0; --left) wait_for_quiet_machine();
}

}  // namespace slackline
