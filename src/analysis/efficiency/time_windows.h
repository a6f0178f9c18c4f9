#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "calls/run_span.h"

namespace slackline {

inline constexpr std::size_t kTimeWindows = 64;

/// Sums over equal parts of an interval, in ns.
class TimeWindows {
 public:
  TimeWindows() = default;
  explicit TimeWindows(const TimeInterval& whole)
      : begin_(static_cast<double>(whole.begin_ns)),
        width_(static_cast<double>(whole.length_ns()) / kTimeWindows) {}

  /// Distributes `ns` evenly over [begin, end]; what lies outside of the interval is left out.
  void add(double begin, double end, double ns) {
    if (width_ <= 0) return;
    const double density = end > begin ? ns / (end - begin) : 0;
    for (std::size_t w = window(begin); w <= window(end); ++w) {
      const double from = std::max(begin, begin_ + static_cast<double>(w) * width_);
      const double to = std::min(end, begin_ + static_cast<double>(w + 1) * width_);
      if (to > from) sums_[w] += density * (to - from);
    }
  }
  const std::array<double, kTimeWindows>& sums() const { return sums_; }

 private:
  std::size_t window(double time) const {
    const double at = std::clamp((time - begin_) / width_, 0.0, double{kTimeWindows - 1});
    return static_cast<std::size_t>(at);
  }

  double begin_ = 0;
  double width_ = 0;
  std::array<double, kTimeWindows> sums_{};
};

}  // namespace slackline
