#pragma once

#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

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

/// Where each rank is in the noise pattern, in ticks. Cost of a question: O(log interruptions).
class NoiseClock {
 public:
  NoiseClock(const NoisePattern& pattern, std::size_t ranks, std::int64_t ticks_per_ns);

  /// How much longer an operation of `rank` takes that begins at `begin` and would last `length`:
  /// the rest of an interruption that has begun, and all that begin meanwhile.
  std::int64_t during(std::uint32_t rank, std::int64_t begin, std::int64_t length) const {
    return begins_.empty() ? 0 : interruptions(rank, begin, length);
  }

 private:
  std::int64_t interruptions(std::uint32_t rank, std::int64_t begin, std::int64_t length) const;
  std::int64_t begun_before(std::int64_t position) const;

  std::vector<std::int64_t> begins_;
  std::vector<std::int64_t> lengths_before_;  // of all interruptions before each
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> offset_;  // by rank
  std::int64_t period_ = 1;
};

}  // namespace slackline
