#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "trace/operation.h"
#include "trace/trace.h"

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

/// Number of an activity: computation in a call path, or calls of one operation in a call path.
using ActivityId = std::uint32_t;

/// Which activity each call is, and the computation before it: numbers, so that sums by activity
/// are arrays. Computation in call path p is activity p, and after these comes late_start().
class CallActivities {
 public:
  static constexpr ActivityId kSeveral = ~ActivityId{0};  ///< a gap in several call paths

  struct OfCall {
    ActivityId gap;  ///< of the computation before it, or kSeveral
    ActivityId call;
  };

  /// Keeps references. O(calls); 8 bytes a call where there are call paths, else none.
  CallActivities(const Trace& trace, const CallPaths& paths);

  std::size_t size() const { return names_.size(); }
  const ActivityName& name(ActivityId id) const { return names_[id]; }
  /// Nothing where this trace has no such activity. O(activities).
  std::optional<ActivityId> find(const ActivityName& name) const;
  /// Operation::none: computation.
  Operation operation(ActivityId id) const { return names_[id].operation; }
  PathId path(ActivityId id) const { return names_[id].path; }
  ActivityId late_start() const { return static_cast<ActivityId>(paths_.size()); }
  bool is_computation(ActivityId id) const { return id < paths_.size(); }
  const CallPaths& paths() const { return paths_; }

  OfCall of(std::int32_t rank, CallIndex call) const {
    if (paths_.only_one()) {
      return {0, by_operation_[static_cast<std::size_t>(trace_.calls(rank).operation(call))]};
    }
    return calls_[static_cast<std::size_t>(rank)][call];
  }

  /// Calls visit(activity, ns) for the parts of the computation right before `call`.
  template <class Visit>
  void for_gap(std::int32_t rank, CallIndex call, Visit visit) const {
    const ActivityId whole = of(rank, call).gap;
    if (whole == kSeveral) return paths_.split_gap(rank, call, visit);
    if (const std::int64_t ns = trace_.calls(rank).gap_ns(call); ns > 0) visit(whole, ns);
  }

 private:
  struct NameHash {
    std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
  };
  ActivityId id_of(Operation operation, PathId path);
  void name_calls(std::int32_t rank);
  void name_calls_by_function(std::int32_t rank);

  const Trace& trace_;
  const CallPaths& paths_;
  std::vector<ActivityName> names_;
  std::vector<ActivityId> by_operation_;  // where there are no regions
  std::vector<std::vector<OfCall>> calls_;
  FlatMap<std::uint64_t, ActivityId, NameHash> ids_;
};

}  // namespace slackline
