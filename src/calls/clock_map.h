#pragma once

#include <cmath>
#include <cstdint>

namespace slackline {

/// A linear correction of a clock: t becomes t + offset_ns + drift * (t - origin_ns).
struct ClockMap {
  std::int64_t offset_ns = 0;
  double drift = 0;
  std::int64_t origin_ns = 0;

  /// What is added at `t`, rounded to nanoseconds.
  std::int64_t correction_ns(std::int64_t t) const {
    if (drift == 0) return offset_ns;
    return offset_ns + std::llround(drift * static_cast<double>(t - origin_ns));
  }
  std::int64_t operator()(std::int64_t t) const { return t + correction_ns(t); }
};

}  // namespace slackline
