#include "clock.h"

#include <cstdio>
#include <cstring>

namespace slackline::record {

ClockFault clock_fault;

std::uint64_t falsify(std::uint64_t ns) {
  // Signed: MPI_Init began before the fault was set.
  const auto elapsed = static_cast<double>(static_cast<std::int64_t>(ns - clock_fault.origin_ns));
  auto wrong = static_cast<std::int64_t>(ns) + clock_fault.offset_ns +
               static_cast<std::int64_t>(elapsed * clock_fault.drift);
  if (clock_fault.jitter_ns > 0) {
    // Any mixing of the low bits will do; the jitter must only be unrelated to the calls.
    const std::uint64_t mixed = (ns * 0x9e3779b97f4a7c15u) >> 33;
    wrong += static_cast<std::int64_t>(mixed % static_cast<std::uint64_t>(clock_fault.jitter_ns));
  }
  return static_cast<std::uint64_t>(wrong);
}

void set_clock_fault(const char* text, int rank) {
  for (const char* at = text; at != nullptr && *at != '\0';) {
    int which = -1;
    long long offset = 0;
    double drift = 0;
    long long jitter = 0;
    if (std::sscanf(at, "%d:%lld:%lf:%lld", &which, &offset, &drift, &jitter) == 4 &&
        which == rank) {
      clock_fault = {true, now_ns(), offset, drift, jitter};
      return;
    }
    at = std::strchr(at, ',');
    if (at != nullptr) ++at;
  }
}

namespace {

std::uint64_t read_clock(clockid_t clock) {
  timespec t;
  if (clock_gettime(clock, &t) != 0) return 0;
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

std::uint64_t steady_ns() {
  return read_clock(CLOCK_MONOTONIC);
}

std::uint64_t cpu_time_ns() {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

std::uint64_t thread_cpu_time_ns() {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace slackline::record
