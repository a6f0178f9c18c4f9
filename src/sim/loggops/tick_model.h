#pragma once

#include <cstdint>
#include <numeric>

#include "base/units.h"
#include "sim/loggops/loggops.h"

namespace slackline {

/// The parameters of LogGOPS in ticks, the largest unit in which all of them are whole numbers.
struct LogGOPSTicks {
  using Time = std::int64_t;

  Time latency;
  Time overhead;
  Time gap;
  Time byte;
  Time overhead_byte;
  Time ns;  ///< ticks per nanosecond

  explicit LogGOPSTicks(const LogGOPS& m) {
    std::int64_t tick_fs = kFemtosPerNano;
    for (const std::int64_t fs :
         {m.latency_fs, m.overhead_fs, m.gap_fs, m.gap_per_byte_fs, m.overhead_per_byte_fs}) {
      tick_fs = std::gcd(tick_fs, fs);
    }
    latency = m.latency_fs / tick_fs;
    overhead = m.overhead_fs / tick_fs;
    gap = m.gap_fs / tick_fs;
    byte = m.gap_per_byte_fs / tick_fs;
    overhead_byte = m.overhead_per_byte_fs / tick_fs;
    ns = kFemtosPerNano / tick_fs;
  }
};

}  // namespace slackline
