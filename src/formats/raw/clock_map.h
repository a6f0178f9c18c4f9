#pragma once

#include <cstdint>

#include "trace/wire.h"

namespace slackline::raw {

/// From one rank's clock to rank 0's: local + offset + drift * (local - at).
///
/// Two samples, at MPI_Init and at MPI_Finalize, give offset and drift (linear between them, as
/// clocks drift steadily over a run); one sample gives the offset only. Ranks that share a host and
/// a boot, and whose measured offset is within its own error, have one clock: nothing is added,
/// because the measurement can only make it worse. What a clock shows does not matter otherwise:
/// its zero may be years away, as under libfaketime.
struct ClockMap {
  std::int64_t offset_ns = 0;
  std::int64_t at_ns = 0;
  double drift = 0;
  std::int64_t error_ns = 0;
  bool known = true;

  std::int64_t operator()(std::int64_t local_ns) const {
    // Modulo 2^64: a damaged time is no overflow.
    const auto moved = static_cast<std::int64_t>(static_cast<std::uint64_t>(local_ns) +
                                                 static_cast<std::uint64_t>(offset_ns));
    if (drift == 0) return moved;
    return moved + static_cast<std::int64_t>(drift * static_cast<double>(local_ns - at_ns));
  }
};

/// `reference`: the first rank of which there is a file. A rank whose clock is not known, and which
/// started at another time than it by its own clock, is taken to have started with it.
ClockMap clock_map(const slk_raw_header& rank, const slk_raw_header& reference);

}  // namespace slackline::raw
