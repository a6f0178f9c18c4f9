#ifndef SLACKLINE_RUNTIME_RECORD_OWN_COST_H
#define SLACKLINE_RUNTIME_RECORD_OWN_COST_H

#include <cstddef>
#include <cstdint>

#include "trace/wire.h"

namespace slackline::record {

/// What recording a call costs, of one kind of calls. Times far above the least one seen are left
/// out: they hold interruptions, in which the thread had no processor.
class CostOfCall {
 public:
  void add(std::int64_t before_ns, std::int64_t after_ns) {
    const std::int64_t both = before_ns + after_ns;
    if (before_ns < 0 || after_ns < 0 || both > kFarAbove * least_ns_) return;
    if (kFarAbove * both < least_ns_) *this = CostOfCall();  // those before were interrupted
    if (both < least_ns_) least_ns_ = both > kShortest ? both : kShortest;
    before_ns_ += before_ns;
    after_ns_ += after_ns;
    ++calls_;
  }
  std::uint64_t calls() const { return calls_; }
  // Means; 0 without calls.
  std::int64_t before_ns() const { return calls_ == 0 ? 0 : before_ns_ / count(); }
  std::int64_t after_ns() const { return calls_ == 0 ? 0 : after_ns_ / count(); }

 private:
  static constexpr std::int64_t kFarAbove = 4;
  static constexpr std::int64_t kShortest = 20;
  static constexpr std::int64_t kLongest = 50'000;

  std::int64_t count() const { return static_cast<std::int64_t>(calls_); }

  std::int64_t least_ns_ = kLongest / kFarAbove;
  std::int64_t before_ns_ = 0;
  std::int64_t after_ns_ = 0;
  std::uint64_t calls_ = 0;
};

/// What recording costs one thread, measured where it happens: every 61st call (a prime, so that
/// loops of the program do not fall in step with it) the time from the wrapper's entry to the
/// call's begin and from its end to the wrapper's return. Between two readings of a clock lies the
/// cost of one, half of it on either side: each of the two spans holds the cost of one reading,
/// of which the half that belongs to the measurement is not recording's.
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
  /// The call of operation `op` lasted from begin to end.
  void stop(std::uint8_t op, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t now_ns,
            std::uint32_t window) {
    const auto before = static_cast<std::int64_t>(begin_ns - entered_ns_);
    const auto after = static_cast<std::int64_t>(now_ns - end_ns);
    entered_ns_ = 0;
    if (window != window_) return;
    all_.add(before, after);
    if (op < SLK_OPERATION_COUNT) of_operation_[op].add(before, after);
  }

  bool known() const { return all_.calls() >= kEnough; }
  double mean_ns() const { return static_cast<double>(all_.before_ns() + all_.after_ns()); }
  /// The cost of one operation's calls.
  const CostOfCall& of(std::size_t op) const { return of_operation_[op]; }

 private:
  static constexpr std::uint32_t kInterval = 61;
  static constexpr std::uint64_t kEnough = 4;

  std::uint32_t until_ = 7;
  std::uint64_t entered_ns_ = 0;  // 0: not measuring
  std::uint32_t window_ = 0;
  CostOfCall all_;
  CostOfCall of_operation_[SLK_OPERATION_COUNT];
};

}  // namespace slackline::record

#endif
