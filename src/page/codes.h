#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "trace/trace.h"

namespace slackline {

/// The numbers that a time line has for operations and wait patterns: only for those that occur,
/// so that legends are short and colours go round.
class TimelineCodes {
 public:
  /// One pass over the operations and the states. Several traces: those that occur in any.
  TimelineCodes(std::span<const Trace* const> traces, std::span<const WaitStates* const> waits);

  /// 0 is computation.
  std::uint8_t operation(Operation operation) const {
    return operation_[static_cast<std::size_t>(operation)];
  }
  /// 0 is no waiting.
  std::uint8_t pattern(WaitPattern pattern) const {
    return pattern_[static_cast<std::size_t>(pattern)];
  }
  /// In the order of their numbers; the first is Operation::none, for computation.
  const std::vector<Operation>& operations() const { return operations_; }
  const std::vector<WaitPattern>& patterns() const { return patterns_; }  ///< from number 1 on

 private:
  std::array<std::uint8_t, kOperationCount> operation_{};
  std::array<std::uint8_t, kWaitPatterns> pattern_{};
  std::vector<Operation> operations_{Operation::none};
  std::vector<WaitPattern> patterns_;
};

/// The class of an operation on the page, which chooses its colour: "compute", "send", ...
std::string_view class_name(Operation operation);

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
