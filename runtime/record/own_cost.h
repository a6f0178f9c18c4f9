#ifndef SLACKLINE_RUNTIME_RECORD_OWN_COST_H
#define SLACKLINE_RUNTIME_RECORD_OWN_COST_H

#include <cstdint>

namespace slackline::record {

/// What recording costs one thread, measured where it happens: every 61st call (a prime, so that
/// loops of the program do not fall in step with it) the time from the wrapper's entry to the
/// call's begin and from its end to the wrapper's return. Between two readings of a clock lies the
/// cost of one, so that these two spans hold what the two readings of every call cost.
class OwnCost {
 public:
  /// At a wrapper's entry: whether to measure this call.
  bool due() { return --until_ == 0; }
  /// `window` counts how often the stage was emptied, which is measured on its own.
  void start(std::uint64_t now_ns, std::uint32_t window) {
    until_ = kInterval;
    entered_ns_ = now_ns;
    window_ = window;
  }
  bool measuring() const { return entered_ns_ != 0; }
  /// The call lasted from begin to end.
  void stop(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t now_ns,
            std::uint32_t window) {
    const auto own = static_cast<std::int64_t>(begin_ns - entered_ns_ + now_ns - end_ns);
    entered_ns_ = 0;
    // What lasts longer was interrupted, or does not belong to the call.
    if (own < 0 || own > kLongest || window != window_) return;
    sum_ns_ += own;
    ++samples_;
  }

  bool known() const { return samples_ >= kEnough; }
  double mean_ns() const { return static_cast<double>(sum_ns_) / static_cast<double>(samples_); }

 private:
  static constexpr std::uint32_t kInterval = 61;
  static constexpr std::int64_t kLongest = 50'000;
  static constexpr std::uint64_t kEnough = 4;

  std::uint32_t until_ = 7;
  std::uint64_t entered_ns_ = 0;  // 0: not measuring
  std::uint32_t window_ = 0;
  std::int64_t sum_ns_ = 0;
  std::uint64_t samples_ = 0;
};

}  // namespace slackline::record

#endif
