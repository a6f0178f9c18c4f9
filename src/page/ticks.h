#pragma once

#include <algorithm>
#include <cstdint>

namespace slackline {

/// Nanoseconds in whole ticks of 2^shift ns, rounded to the nearest; nothing lies before 0.
class TickScale {
 public:
  explicit TickScale(int shift) : shift_(shift) {}

  std::uint64_t operator()(std::int64_t ns) const {
    const auto positive = static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns));
    return (positive + (std::uint64_t{1} << shift_ >> 1)) >> shift_;
  }
  std::uint64_t tick_ns() const { return std::uint64_t{1} << shift_; }

 private:
  int shift_;
};

}  // namespace slackline
