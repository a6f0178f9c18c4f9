#ifndef SLACKLINE_RUNTIME_RECORD_OWN_COST_H
#define SLACKLINE_RUNTIME_RECORD_OWN_COST_H

#include <cstddef>
#include <cstdint>

#include "trace/wire.h"

namespace slackline::record {

/// What recording costs one thread, measured where it happens: every 61st call (a prime, so that
/// loops of the program do not fall in step with it) the time from the wrapper's entry to the
/// call's begin and from its end to the wrapper's return. Between two readings of a clock lies the
/// cost of one, half of it on either side: each of the two spans holds the cost of one reading,
/// of which the half that belongs to the measurement is not recording's.
class OwnCost {
 public:
  struct Sums {
    std::int64_t before_ns = 0;
    std::int64_t after_ns = 0;
    std::uint64_t calls = 0;

    void add(const Sums& other) {
      before_ns += other.before_ns;
      after_ns += other.after_ns;
      calls += other.calls;
    }
  };

  /// At a wrapper's entry: whether to measure this call.
  bool due() { return --until_ == 0; }
  /// `window` counts how often the stage was emptied, which is measured on its own.
  void start(std::uint64_t now_ns, std::uint32_t window) {
    until_ = kInterval;
    entered_ns_ = now_ns;
    window_ = window;
  }
  bool measuring() const { return entered_ns_ != 0; }
  /// The call of operation `op` lasted from begin to end.
  void stop(std::uint8_t op, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t now_ns,
            std::uint32_t window) {
    const Sums one{static_cast<std::int64_t>(begin_ns - entered_ns_),
                   static_cast<std::int64_t>(now_ns - end_ns), 1};
    entered_ns_ = 0;
    // What lasts longer was interrupted, or does not belong to the call.
    if (one.before_ns < 0 || one.after_ns < 0 || one.before_ns > kLongest ||
        one.after_ns > kLongest || window != window_) {
      return;
    }
    all_.add(one);
    if (op < SLK_OPERATION_COUNT) of_operation_[op].add(one);
  }

  bool known() const { return all_.calls >= kEnough; }
  double mean_ns() const {
    return static_cast<double>(all_.before_ns + all_.after_ns) / static_cast<double>(all_.calls);
  }
  /// Of one operation's calls.
  const Sums& of(std::size_t op) const { return of_operation_[op]; }

 private:
  static constexpr std::uint32_t kInterval = 61;
  static constexpr std::int64_t kLongest = 50'000;
  static constexpr std::uint64_t kEnough = 4;

  std::uint32_t until_ = 7;
  std::uint64_t entered_ns_ = 0;  // 0: not measuring
  std::uint32_t window_ = 0;
  Sums all_;
  Sums of_operation_[SLK_OPERATION_COUNT];
};

}  // namespace slackline::record

#endif
