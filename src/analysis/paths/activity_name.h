#pragma once

#include <compare>
#include <string_view>

#include "calls/call_paths.h"
#include "trace/operation.h"

namespace slackline {

/// An activity as all parts of a run call it.
struct ActivityName {
  Operation operation = Operation::none;  ///< none: computation
  PathId path = 0;

  auto operator<=>(const ActivityName&) const = default;
};

/// "MPI_Send", or "computation" for Operation::none.
inline std::string_view activity_name(Operation operation) {
  return operation == Operation::none ? "computation" : mpi_name(operation);
}

}  // namespace slackline
