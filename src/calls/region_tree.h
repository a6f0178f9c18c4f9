#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/rank_calls.h"
#include "trace/trace.h"

namespace slackline {

inline constexpr std::int32_t kNoRegion = -1;

/// A chain of nested user regions, or of functions that call each other; 0 is outside of all.
using PathId = std::uint32_t;

/// Chains of nested regions, numbered as they are met. Leaving a region that is not the innermost
/// closes those inside it; leaving one that is not open is ignored.
class RegionTree {
 public:
  struct Node {
    PathId parent;  ///< the chain without its innermost region; smaller than its own number
    std::int32_t region;
    std::uint32_t depth;
  };

  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](PathId path) const { return nodes_[path]; }

  /// The chain with one more region.
  PathId child(PathId parent, std::int32_t region) {
    const auto [at, fresh] = children_.try_emplace({parent, region}, 0);
    if (fresh) {
      at->second = static_cast<PathId>(nodes_.size());
      nodes_.push_back({parent, region, nodes_[parent].depth + 1});
    }
    return at->second;
  }

  /// The chain that a rank is in after an event in `open`.
  PathId after(PathId open, const RegionEvent& event) {
    const auto region = static_cast<std::int32_t>(event.region);
    if (event.enter) return child(open, region);
    for (PathId path = open; path != 0; path = nodes_[path].parent) {
      if (nodes_[path].region == region) return nodes_[path].parent;
    }
    return open;
  }

 private:
  std::vector<Node> nodes_{{0, kNoRegion, 0}};
  std::map<std::pair<PathId, std::int32_t>, PathId> children_;
};

/// From entering a user region to leaving it.
struct RegionVisit {
  std::int32_t rank;
  std::uint32_t region;  ///< index into Trace::regions()
  std::int32_t depth;    ///< regions that are open around it
  std::int64_t begin_ns;
  std::int64_t end_ns;  ///< the rank's stop where it is never left
};

/// All visits, by rank and begin. As for CallPaths, leaving a region that is not the innermost one
/// closes those inside of it, and leaving one that is not open is ignored. O(events * depth).
std::vector<RegionVisit> region_visits(const Trace& trace);

}  // namespace slackline
