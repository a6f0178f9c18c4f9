#pragma once

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

}  // namespace slackline
