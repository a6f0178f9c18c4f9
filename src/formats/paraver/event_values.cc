#include "formats/paraver/event_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/arithmetic.h"
#include "formats/paraver/mpi_values.h"

namespace slackline::paraver {
namespace {

constexpr std::int64_t kOwnValues = 1000;

// Numbers of Paraver's states.
constexpr int kStateReceive = 3;
constexpr int kStateSend = 4;
constexpr int kStateSynchronization = 5;
constexpr int kStateProbe = 6;
constexpr int kStateWait = 8;
constexpr int kStateImmediateSend = 10;
constexpr int kStateImmediateReceive = 11;
constexpr int kStateCollective = 13;
constexpr int kStateOthers = 15;
constexpr int kStateSendReceive = 16;
constexpr int kStateOneSided = 25;

EventValue value_of(Operation operation) {
  const auto values = mpi_values();
  const auto found = std::ranges::find(values, operation, &MpiValue::operation);
  if (found != values.end()) return {found->type, found->value};
  const OperationClass c = operation_class(operation);
  const std::int64_t own = kOwnValues + static_cast<std::int64_t>(operation);
  if (c == OperationClass::collective || c == OperationClass::icollective)
    return {kCollective, own};
  if (c == OperationClass::one_sided) return {kOneSided, own};
  if (c == OperationClass::io) return {kIo, own};
  return {kOther, own};
}

std::array<EventValue, kOperationCount> all_event_values() {
  std::array<EventValue, kOperationCount> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(static_cast<Operation>(i));
  return values;
}

std::array<EventTexts, kOperationCount> all_event_texts() {
  std::array<EventTexts, kOperationCount> texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const EventValue value = event_value(static_cast<Operation>(i));
    texts[i] = {ShortText(fmt::format(":{}:{}", value.type, value.value)),
                ShortText(fmt::format(":{}:0", value.type))};
  }
  return texts;
}

}  // namespace

int state_of(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::recv:
      return kStateReceive;
    case OperationClass::send:
      return kStateSend;
    case OperationClass::probe:
      return kStateProbe;
    case OperationClass::completion:
      return kStateWait;
    case OperationClass::isend:
    case OperationClass::start:
      return kStateImmediateSend;
    case OperationClass::irecv:
      return kStateImmediateReceive;
    case OperationClass::io:
      return kStateIo;
    case OperationClass::collective:
    case OperationClass::icollective:
      return operation == Operation::barrier ? kStateSynchronization : kStateCollective;
    case OperationClass::sendrecv:
      return kStateSendReceive;
    case OperationClass::one_sided:
      return kStateOneSided;
    default:
      return kStateOthers;
  }
}

EventSizes event_sizes(const Call& call, std::uint64_t members, bool is_root) {
  const std::uint64_t bytes = call.bytes;
  const std::uint64_t all = saturated_product(bytes, members);
  switch (blocking_form(call.operation)) {
    case Operation::barrier:
      return {};
    case Operation::bcast:
      return is_root ? EventSizes{bytes, 0} : EventSizes{0, bytes};
    case Operation::reduce:
      return {bytes, is_root ? bytes : 0};
    case Operation::gather:
    case Operation::gatherv:
      return {bytes, is_root ? all : 0};
    case Operation::scatter:
    case Operation::scatterv:
      return {is_root ? all : 0, bytes};
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::neighbor_allgather:
    case Operation::alltoall:
      return {bytes, all};
    case Operation::alltoallv:
    case Operation::alltoallw: {
      const auto half = call.args.size() / 2;
      const auto sum = [](std::span<const std::int64_t> values) {
        std::uint64_t total = 0;
        for (const std::int64_t v : values) add_saturated(total, static_cast<std::uint64_t>(v));
        return total;
      };
      if (half > 0) return {sum(call.args.first(half)), sum(call.args.subspan(half))};
      return {bytes, bytes};
    }
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return {all, bytes};
    default:
      return {bytes, bytes};
  }
}

std::int64_t communicator_number(const Trace& trace, std::uint32_t comm, std::int32_t rank) {
  if (comm == kCommWorld) return 1;
  const auto own = static_cast<std::int64_t>(trace.communicators().size());
  if (comm == kCommSelf) return own + 1 + rank;
  return comm < trace.communicators().size() ? std::int64_t{comm} : 0;
}

EventValue event_value(Operation operation) {
  static const auto values = all_event_values();
  return values[static_cast<std::size_t>(operation)];
}

const EventTexts& event_texts(Operation operation) {
  static const auto texts = all_event_texts();
  return texts[static_cast<std::size_t>(operation)];
}

}  // namespace slackline::paraver
