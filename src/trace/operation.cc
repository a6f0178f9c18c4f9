#include "trace/operation.h"

#include <algorithm>

namespace slackline {
namespace {

struct Info {
  std::string_view identifier;
  std::string_view mpi_name;
};

constexpr std::array<Info, kOperationCount> kInfo{{
#define SLK_OPERATION_INFO(identifier, name, op_class) Info{#identifier, name},
    SLK_OPERATIONS(SLK_OPERATION_INFO)
#undef SLK_OPERATION_INFO
}};

const Info& info(Operation operation) {
  return kInfo[static_cast<std::size_t>(operation)];
}

}  // namespace

std::string_view mpi_name(Operation operation) {
  return info(operation).mpi_name;
}

std::string_view identifier(Operation operation) {
  return info(operation).identifier;
}

std::optional<Operation> operation_from_identifier(std::string_view word) {
  const auto found = std::ranges::find(kInfo, word, &Info::identifier);
  if (found == kInfo.end() || found == kInfo.begin()) return std::nullopt;
  return static_cast<Operation>(found - kInfo.begin());
}

Operation blocking_form(Operation operation) {
  if (operation_class(operation) != OperationClass::icollective) return operation;
  constexpr auto kDistance =
      static_cast<int>(Operation::ibarrier) - static_cast<int>(Operation::barrier);
  return static_cast<Operation>(static_cast<int>(operation) - kDistance);
}

bool has_root(Operation operation) {
  switch (blocking_form(operation)) {
    case Operation::bcast:
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
    case Operation::scatter:
    case Operation::scatterv:
      return true;
    default:
      return false;
  }
}

}  // namespace slackline
