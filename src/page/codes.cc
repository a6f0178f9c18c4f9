#include "page/codes.h"

namespace slackline {

namespace {

void note_operations(const Trace& trace, std::array<bool, kOperationCount>& occur) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& mine = trace.calls(r);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      occur[static_cast<std::size_t>(mine.operation(i))] = true;
    }
  }
}

}  // namespace

TimelineCodes::TimelineCodes(std::span<const Trace* const> traces,
                             std::span<const WaitStates* const> waits) {
  std::array<bool, kOperationCount> calls{};
  for (const Trace* trace : traces) note_operations(*trace, calls);
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if (!calls[i]) continue;
    operation_[i] = static_cast<std::uint8_t>(operations_.size());
    operations_.push_back(static_cast<Operation>(i));
  }
  std::array<bool, kWaitPatterns> states{};
  for (const WaitStates* run : waits) {
    for (const WaitState& state : run->states) {
      if (state.effective) states[static_cast<std::size_t>(state.pattern)] = true;
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i]) continue;
    patterns_.push_back(static_cast<WaitPattern>(i));
    pattern_[i] = static_cast<std::uint8_t>(patterns_.size());
  }
}

std::string_view class_name(Operation operation) {
  if (operation == Operation::none) return "compute";
  switch (operation_class(operation)) {
    case OperationClass::send:
    case OperationClass::isend:
      return "send";
    case OperationClass::recv:
    case OperationClass::irecv:
    case OperationClass::sendrecv:
      return "recv";
    case OperationClass::completion:
    case OperationClass::probe:
      return "completion";
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return "collective";
    default:
      return "other";
  }
}

}  // namespace slackline
