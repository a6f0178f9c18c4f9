#ifndef SLACKLINE_RUNTIME_RECORD_CLOCK_H
#define SLACKLINE_RUNTIME_RECORD_CLOCK_H

#include <cstdint>
#include <ctime>

#include "trace/wire.h"

namespace slackline::record {

/// A rank's clock can be falsified for tests of the synchronisation (SLACKLINE_TEST_CLOCK).
struct ClockFault {
  bool active = false;
  std::uint64_t origin_ns = 0;
  std::int64_t offset_ns = 0;
  double drift = 0;
  std::int64_t jitter_ns = 0;
};
extern ClockFault clock_fault;

std::uint64_t falsify(std::uint64_t ns);

/// CLOCK_MONOTONIC in ns: 18 ns a reading.
inline std::uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  const std::uint64_t ns =
      static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
  return __builtin_expect(clock_fault.active, 0) ? falsify(ns) : ns;
}

/// Reads SLACKLINE_TEST_CLOCK: "rank:offset_ns:drift:jitter_ns[,...]".
void set_clock_fault(const char* text, int rank);

/// CLOCK_MONOTONIC, also where now_ns() is falsified.
std::uint64_t steady_ns();
/// The process's CPU time so far.
std::uint64_t cpu_time_ns();
/// The calling thread's.
std::uint64_t thread_cpu_time_ns();

}  // namespace slackline::record

#endif
