#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calls/region_tree.h"
#include "calls/run_span.h"
#include "parallel/process_group.h"
#include "stretches/rank_scan.h"
#include "trace/rank_range.h"

namespace slackline {

/// One rank's call of a collective at which all ranks are.
struct CutCall {
  CallIndex call;
  PathId path;  ///< chain of marked regions that it is in, of the run's
};
/// Such calls of all ranks, by rank.
using Cut = std::vector<CutCall>;

/// Where a run can be cut into stretches that depend on each other by the dates of their begin
/// alone: found from the scans of its ranks, of which each process has some.
class CutSearch {
 public:
  explicit CutSearch(RankRange own) : own_(own) {}

  /// The scan of the next of the process's own ranks. Keeps 12 bytes a point.
  void add(RankScan::Result scan);
  /// Puts together what the processes have found. All call it together, after add().
  void gather(ProcessGroup& group);

  /// By rank, of all.
  const std::vector<RankExtent>& extents() const { return extents_; }
  const std::vector<std::int64_t>& last_ends_ns() const { return last_ends_ns_; }
  /// The chains of marked regions of all ranks, numbered as by CallPaths of the whole run.
  const RegionTree& regions() const { return regions_; }
  /// Why the run cannot be cut anywhere; empty: it may.
  const std::string& obstacle() const { return obstacle_; }
  /// The cuts at which it falls into about `stretches` of equal numbers of calls; fewer where there
  /// are not as many. All processes call it together.
  std::vector<Cut> choose(std::uint64_t stretches, ProcessGroup& group) const;

 private:
  /// A point over the ranks.
  struct Point {
    std::uint32_t number = 0;
    std::int64_t last_enter_ns = INT64_MIN;
    std::int64_t first_exit_ns = INT64_MAX;
    std::uint64_t balance = 0;
    std::uint64_t calls_before = 0;
    std::int64_t open = 0;

    void add(const Point& other);
    bool can_be_cut() const { return balance == 0 && open == 0 && first_exit_ns >= last_enter_ns; }
  };
  std::vector<std::size_t> chosen_points(std::uint64_t stretches) const;

  const RankRange own_;
  struct PointCall {
    std::uint32_t number;
    CutCall at;
  };
  void gather_regions(ProcessGroup& group);
  void join_processes(ProcessGroup& group);
  /// Keeps the points that both have.
  static void join(std::vector<Point>& points, std::vector<Point> others);

  std::vector<std::vector<PointCall>> calls_;  // by own rank, in order
  std::vector<Point> points_;  // that all ranks have (own, until gather()), in order
  std::vector<RankExtent> extents_;
  std::vector<std::int64_t> last_ends_ns_;
  std::vector<RegionTree> own_regions_;  // by own rank
  RegionTree regions_;
  std::string obstacle_;
};

}  // namespace slackline
