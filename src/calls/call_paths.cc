#include "calls/call_paths.h"

#include <algorithm>

namespace slackline {

CallPaths::CallPaths(const Trace& trace)
    : trace_(trace), nodes_{{0, kNoRegion}}, after_(static_cast<std::size_t>(trace.ranks())) {
  std::vector<PathId> open;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    open.assign(1, PathId{0});
    auto& after = after_[static_cast<std::size_t>(r)];
    for (const RegionEvent& e : trace.calls(r).regions()) {
      const auto region = static_cast<std::int32_t>(e.region);
      if (e.enter) {
        open.push_back(child(open.back(), region));
      } else if (const auto found =
                     std::find_if(open.rbegin(), open.rend(),
                                  [&](PathId p) { return nodes_[p].region == region; });
                 found != open.rend()) {
        open.erase(std::prev(found.base()), open.end());
      }
      after.push_back(open.back());
    }
  }
}

PathId CallPaths::child(PathId parent, std::int32_t region) {
  const auto [at, fresh] = children_.try_emplace({parent, region}, 0);
  if (fresh) {
    at->second = static_cast<PathId>(nodes_.size());
    nodes_.push_back({parent, region});
  }
  return at->second;
}

std::string CallPaths::name(PathId path) const {
  if (path == 0) return {};
  const std::string own = trace_.regions()[static_cast<std::size_t>(nodes_[path].region)];
  const std::string before = name(nodes_[path].parent);
  return before.empty() ? own : before + "/" + own;
}

std::size_t CallPaths::first_event(std::int32_t rank, std::uint32_t call) const {
  const auto events = trace_.calls(rank).regions();
  return static_cast<std::size_t>(
      std::ranges::lower_bound(events, call, {}, &RegionEvent::before_call) - events.begin());
}

PathId CallPaths::at_call(std::int32_t rank, std::uint32_t call) const {
  if (only_one()) return 0;
  const std::size_t i = first_event(rank, call + 1);
  return i == 0 ? 0 : after_[static_cast<std::size_t>(rank)][i - 1];
}

}  // namespace slackline
