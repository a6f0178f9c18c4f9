#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "calls/region_tree.h"
#include "trace/trace.h"

namespace slackline {

/// Which chain of regions a rank is in, at any call (RegionTree).
///
/// Alternatively, which chain of functions, where the recording has the calls' paths. Computation
/// between two calls is given to what the paths of both have in common: it ran in that function, or
/// in functions that it called.
class CallPaths {
 public:
  /// Paths of regions. `known`: some that have these numbers already.
  explicit CallPaths(const Trace& trace, RegionTree known = {});
  /// Paths of functions; none in a trace without a call tree. O(ranks + frames).
  static CallPaths of_functions(const Trace& trace);
  /// Paths of regions if any rank enters one, else of functions.
  static CallPaths of_regions_or_functions(const Trace& trace);

  std::size_t size() const { return tree_.size(); }
  bool only_one() const { return tree_.size() == 1; }
  /// The chain without its innermost region. Smaller than `path`, which is not 0.
  PathId parent(PathId path) const { return tree_[path].parent; }
  /// Innermost region, kNoRegion of path 0 and of functions.
  std::int32_t region(PathId path) const { return std::max(kNoRegion, tree_[path].region); }
  /// How many regions or functions it has.
  std::uint32_t depth(PathId path) const { return tree_[path].depth; }
  /// Whether paths are of functions.
  bool has_functions() const { return !path_of_frame_.empty(); }
  /// Name of the innermost region or function; empty of path 0.
  const std::string& innermost(PathId path) const;
  /// "main/solve/halo"; empty outside of all.
  std::string name(PathId path) const;
  /// Those of all paths, by their numbers.
  std::vector<std::string> names() const;

  /// In which the computation before the call ends, and in which the call itself runs. Constant on
  /// average.
  PathId at_call(std::int32_t rank, std::uint32_t call) const;

  /// The path that a frame of the call tree is, where paths are of functions.
  PathId of_frame(FrameId frame) const { return path_of_frame_[frame]; }

  /// After one of the rank's region events.
  PathId after_event(std::int32_t rank, std::size_t event) const {
    return after_[static_cast<std::size_t>(rank)][event];
  }

  /// In which the computation before `call` (size(): after the last) runs, where paths are of
  /// functions. Linear in depth.
  PathId before_call(std::int32_t rank, std::uint32_t call) const;

  /// Calls visit(path, ns) for the parts of the computation right before `call` (size(): after the
  /// last). They add up to the gap.
  template <class Visit>
  void split_gap(std::int32_t rank, std::uint32_t call, Visit visit) const {
    const RankCalls& calls = trace_.calls(rank);
    const std::int64_t gap = calls.gap_ns(call);
    if (only_one()) {
      if (gap > 0) visit(PathId{0}, gap);
      return;
    }
    if (has_functions()) {
      if (gap > 0) visit(before_call(rank, call), gap);
      return;
    }
    const std::int64_t end = calls.gap_end_ns(call);
    std::int64_t at = end - gap;
    const auto events = calls.regions();
    const auto& after = after_[static_cast<std::size_t>(rank)];
    std::size_t i = first_event(rank, call);
    const auto part = [&](std::int64_t to) {
      if (to > at) visit(i == 0 ? PathId{0} : after[i - 1], to - at);
      at = std::max(at, to);
    };
    for (; i < events.size() && events[i].before_call <= call; ++i) {
      part(std::min(std::max(events[i].time_ns, at), end));
    }
    part(end);
  }

 private:
  static constexpr std::uint32_t kIndexedCalls = 8;

  struct Functions {};
  CallPaths(const Trace& trace, Functions);
  PathId common(PathId a, PathId b) const;
  /// Index of the first event that lies between call - 1 and `call`.
  std::size_t first_event(std::int32_t rank, std::uint32_t call) const;
  void index_events(std::int32_t rank);

  const Trace& trace_;
  /// Where paths are of functions, a region is kNoRegion - 1 - an index into functions_.
  RegionTree tree_;
  std::vector<std::vector<PathId>> after_;  // per rank, after each region event
  /// Per rank, of every kIndexedCalls-th call its first event; and at last the number of events.
  std::vector<std::vector<std::uint32_t>> first_events_;
  std::vector<std::string> functions_;
  std::vector<PathId> path_of_frame_;  // by FrameId
};

}  // namespace slackline
