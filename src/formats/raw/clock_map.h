#pragma once

#include <cstdint>

#include "trace/wire.h"

namespace slackline::raw {

/// No machine has been up for longer (31 years): so sums of a few such times are no overflow.
inline constexpr std::int64_t kLongestUptimeNs = 1'000'000'000'000'000'000;

/// From one rank's clock to rank 0's: local + offset + drift * (local - at).
///
/// Two samples, at MPI_Init and at MPI_Finalize, give offset and drift (linear between them, as
/// clocks drift steadily over a run); one sample gives the offset only. Ranks that share a host and
/// a boot, and whose measured offset is within its own error, have one clock: nothing is added,
/// because the measurement can only make it worse.
struct ClockMap {
  std::int64_t offset_ns = 0;
  std::int64_t at_ns = 0;
  double drift = 0;
  std::int64_t error_ns = 0;
  bool known = true;

  std::int64_t operator()(std::int64_t local_ns) const {
    if (drift == 0) return local_ns + offset_ns;
    return local_ns + offset_ns +
           static_cast<std::int64_t>(drift * static_cast<double>(local_ns - at_ns));
  }
};

ClockMap clock_map(const slk_raw_header& rank, const slk_raw_header& reference);

}  // namespace slackline::raw
