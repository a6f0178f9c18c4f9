#include "analysis/paths/call_activities.h"

#include <algorithm>

namespace slackline {

CallActivities::CallActivities(const Trace& trace, const CallPaths& paths)
    : trace_(trace), paths_(paths) {
  for (std::size_t p = 0; p < paths.size(); ++p) {
    names_.push_back({Operation::none, static_cast<PathId>(p)});
  }
  names_.push_back({.late_start = true});
  if (paths.only_one()) {
    for (std::size_t op = 0; op < kOperationCount; ++op) {
      by_operation_.push_back(id_of(static_cast<Operation>(op), 0));
    }
    return;
  }
  calls_.resize(static_cast<std::size_t>(trace.ranks()));
  for (std::int32_t r = 0; r < trace.ranks(); ++r) name_calls(r);
}

std::optional<ActivityId> CallActivities::find(const ActivityName& name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<ActivityId>(found - names_.begin());
}

ActivityId CallActivities::id_of(Operation operation, PathId path) {
  if (operation == Operation::none) return path;
  const std::uint64_t key = std::uint64_t{path} << 8 | static_cast<std::uint64_t>(operation);
  if (const ActivityId* known = ids_.find(key); known != nullptr) return *known;
  const auto id = static_cast<ActivityId>(names_.size());
  ids_[key] = id;
  names_.push_back({operation, path});
  return id;
}

void CallActivities::name_calls_by_function(std::int32_t rank) {
  const RankCalls& calls = trace_.calls(rank);
  std::vector<OfCall>& mine = calls_[static_cast<std::size_t>(rank)];
  mine.reserve(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto call = static_cast<CallIndex>(i);
    mine.push_back(
        {paths_.before_call(rank, call), id_of(calls.operation(i), paths_.at_call(rank, call))});
  }
}

// Follows the rank's region events along its calls.
void CallActivities::name_calls(std::int32_t rank) {
  if (paths_.has_functions()) return name_calls_by_function(rank);
  const RankCalls& calls = trace_.calls(rank);
  const auto events = calls.regions();
  std::vector<OfCall>& mine = calls_[static_cast<std::size_t>(rank)];
  mine.reserve(calls.size());
  std::size_t event = 0;
  PathId path = 0;
  Operation last_operation = Operation::none;
  PathId last_path = 0;
  ActivityId last = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto call = static_cast<CallIndex>(i);
    OfCall of{path, 0};
    if (event < events.size() && events[event].before_call <= call) {
      int parts = 0;
      paths_.split_gap(rank, call,
                       [&](PathId part, std::int64_t) { of.gap = parts++ == 0 ? part : kSeveral; });
      while (event < events.size() && events[event].before_call <= call) ++event;
      path = paths_.after_event(rank, event - 1);
    }
    const Operation operation = calls.operation(i);
    if (operation != last_operation || path != last_path) {
      last = id_of(operation, path);
      last_operation = operation;
      last_path = path;
    }
    of.call = last;
    mine.push_back(of);
  }
}

}  // namespace slackline
