#include "calls/call_paths.h"

#include <algorithm>
#include <map>
#include <utility>

namespace slackline {

CallPaths::CallPaths(const Trace& trace, RegionTree known)
    : trace_(trace),
      tree_(std::move(known)),
      after_(static_cast<std::size_t>(trace.ranks())),
      first_events_(static_cast<std::size_t>(trace.ranks())) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    PathId open = 0;
    index_events(r);
    auto& after = after_[static_cast<std::size_t>(r)];
    after.reserve(trace.calls(r).regions().size());
    for (const RegionEvent& e : trace.calls(r).regions()) {
      open = tree_.after(open, e);
      after.push_back(open);
    }
  }
}

CallPaths::CallPaths(const Trace& trace, Functions)
    : trace_(trace),
      after_(static_cast<std::size_t>(trace.ranks())),
      path_of_frame_(trace.call_tree().size() + 1, 0) {
  const CallTree& tree = trace.call_tree();
  std::map<std::string, std::int32_t, std::less<>> numbers;
  for (FrameId frame = 1; frame <= tree.size(); ++frame) {
    const std::string& function = tree.location(frame).function;
    const auto [number, fresh] =
        numbers.try_emplace(function, static_cast<std::int32_t>(functions_.size()));
    if (fresh) functions_.push_back(function);
    path_of_frame_[frame] =
        tree_.child(path_of_frame_[tree.parent(frame)], kNoRegion - 1 - number->second);
  }
}

CallPaths CallPaths::of_functions(const Trace& trace) {
  return {trace, Functions{}};
}

CallPaths CallPaths::of_regions_or_functions(const Trace& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (std::ranges::any_of(trace.calls(r).regions(), &RegionEvent::enter)) return CallPaths(trace);
  }
  return of_functions(trace);
}

const std::string& CallPaths::innermost(PathId path) const {
  static const std::string none;
  const std::int32_t region = tree_[path].region;
  if (region == kNoRegion) return none;
  if (region > kNoRegion) return trace_.regions()[static_cast<std::size_t>(region)];
  return functions_[static_cast<std::size_t>(kNoRegion - 1 - region)];
}

/// Parents have smaller numbers, so the larger one cannot be an ancestor of the other.
PathId CallPaths::common(PathId a, PathId b) const {
  while (a != b) (a > b ? a : b) = tree_[std::max(a, b)].parent;
  return a;
}

PathId CallPaths::before_call(std::int32_t rank, std::uint32_t call) const {
  if (call == trace_.calls(rank).size()) return 0;
  const PathId after = at_call(rank, call);
  return call == 0 ? after : common(at_call(rank, call - 1), after);
}

std::string CallPaths::name(PathId path) const {
  std::vector<const std::string*> names;  // innermost first
  for (; path != 0; path = tree_[path].parent) names.push_back(&innermost(path));
  std::string all;
  for (auto at = names.rbegin(); at != names.rend(); ++at) {
    if (!all.empty()) all += '/';
    all += **at;
  }
  return all;
}

std::vector<std::string> CallPaths::names() const {
  std::vector<std::string> all;
  for (PathId path = 0; path < size(); ++path) all.push_back(name(path));
  return all;
}

void CallPaths::index_events(std::int32_t rank) {
  const auto events = trace_.calls(rank).regions();
  if (events.empty()) return;
  auto& first = first_events_[static_cast<std::size_t>(rank)];
  std::uint32_t i = 0;
  for (std::size_t call = 0; call <= trace_.calls(rank).size(); call += kIndexedCalls) {
    while (i < events.size() && events[i].before_call < call) ++i;
    first.push_back(i);
  }
  first.push_back(static_cast<std::uint32_t>(events.size()));
}

std::size_t CallPaths::first_event(std::int32_t rank, std::uint32_t call) const {
  const auto events = trace_.calls(rank).regions();
  if (events.empty()) return 0;
  const auto& first = first_events_[static_cast<std::size_t>(rank)];
  const std::size_t piece = call / kIndexedCalls;
  if (piece + 1 >= first.size()) return events.size();
  const auto begin = events.begin() + first[piece];
  const auto end = events.begin() + first[piece + 1];
  return static_cast<std::size_t>(
      std::ranges::lower_bound(begin, end, call, {}, &RegionEvent::before_call) - events.begin());
}

PathId CallPaths::at_call(std::int32_t rank, std::uint32_t call) const {
  if (only_one()) return 0;
  if (has_functions()) return of_frame(trace_.calls(rank).frame(call));
  const std::size_t i = first_event(rank, call + 1);
  return i == 0 ? 0 : after_[static_cast<std::size_t>(rank)][i - 1];
}

}  // namespace slackline
