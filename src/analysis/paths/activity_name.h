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
  /// What a rank starts later than the first one: neither computation nor waiting.
  bool late_start = false;

  auto operator<=>(const ActivityName&) const = default;
};

/// "MPI_Send", or "computation" for Operation::none.
inline std::string_view activity_name(Operation operation) {
  return operation == Operation::none ? "computation" : mpi_name(operation);
}

/// The same of anything that has the members of an ActivityName; "late start" where it is one.
template <class Activity>
std::string_view activity_name(const Activity& activity) {
  return activity.late_start ? "late start" : activity_name(activity.operation);
}

}  // namespace slackline
