#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/paths/activity_impact.h"
#include "analysis/paths/call_activities.h"
#include "analysis/paths/path_slack.h"
#include "analysis/paths/run_path.h"
#include "base/arithmetic.h"
#include "base/keyed_rows.h"
#include "calls/run_part.h"
#include "trace/trace.h"

namespace slackline {

/// Questions that are answered in one walk.
inline constexpr std::size_t kGainsAsked = 5;

struct PathGains {
  std::array<std::int64_t, kGainsAsked>
      makespan_ns{};  ///< without each activity that was asked for
  /// Moments that every path goes through: where all ranks that have calls are synchronised and
  /// nothing is under way.
  std::uint64_t synchronisations = 0;

  // The sums of all parts of a run are those of the run.
  int key() const { return 0; }
  void add(const PathGains& other);
};

/// How long the run would be if an activity took no time anywhere. O(calls + members of
/// collectives); 44 bytes a call that another one waits for.
PathGains path_gains(const Activities& run, const CallActivities& names, const CallSet& sources,
                     std::span<const ActivityName> asked);

/// A segment of the critical path of a timed run.
struct ActivitySegment {
  std::int64_t begin_ns;  ///< from the start of the run
  std::int64_t end_ns;
  std::int32_t rank;
  std::uint32_t call;   ///< of computation the call that ends it
  Operation operation;  ///< none: computation
  PathId path;
  bool late_start = false;  ///< as ActivityName::late_start

  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

/// The critical path through a part of a run.
struct PartPath {
  std::vector<RunStep> steps;             ///< in order of time
  std::vector<ActivitySegment> segments;  ///< the same in times of the run and calls of the part
};
/// With its call numbered in the run.
inline ActivitySegment in_run(ActivitySegment segment, const PlaceInRun& place) {
  segment.call = place.call_in_run(segment.rank, segment.call);
  return segment;
}
/// `steps`: a longest path. O(steps).
PartPath part_path(const Activities& run, const CallActivities& names, std::vector<RunStep> steps,
                   const PlaceInRun& place);

struct PathTotals {
  std::int64_t makespan_ns = 0;
  std::int64_t late_start_ns = 0;  ///< of the path's first rank
  std::uint64_t segments = 0;
  std::uint64_t vertices = 0;  ///< of the program activity graph
  std::uint64_t edges = 0;

  int key() const { return 0; }
  void add(const PathTotals& other);
};

/// A rank that has calls.
struct RankPathSum {
  std::int32_t rank = 0;
  std::int64_t on_path_ns = 0;
  PathSlack::OfRank slack{};

  std::int32_t key() const { return rank; }
  void add(const RankPathSum& other);
};

/// One of the longest segments: longest first, of equal ones the first.
struct LongSegment {
  ActivitySegment segment;

  std::pair<std::int64_t, std::int64_t> key() const {
    return {-segment.length_ns(), segment.begin_ns};
  }
  void add(const LongSegment& /*same*/) {}
};

/// A near-critical path by the computation through which it goes: least slack first.
struct NearPathKey {
  std::int64_t slack_ns = 0;
  std::int32_t rank = 0;
  CallIndex call = 0;  ///< numbered in the run

  auto operator<=>(const NearPathKey&) const = default;
};
/// How much of the critical path, in ns, is not on that path.
using NearPathRow = KeyedSum<NearPathKey, std::int64_t>;
struct NearPathRank {
  NearPathKey path{};
  std::int32_t rank = 0;

  auto operator<=>(const NearPathRank&) const = default;
};
/// How much more of a rank's time is on it than on the critical path, in ns.
using NearPathRankRow = KeyedSum<NearPathRank, std::int64_t>;

/// What is said of the critical path of a run; the sums of all parts of a run are those of the run
/// (TableSum), in any order: all are integers.
struct PathSums {
  static constexpr std::size_t kLongest = 15;
  static constexpr std::size_t kNear = 2;

  auto tables() { return std::tie(totals, ranks, on_path, own, longest, near, near_ranks); }
  void add_up();

  // Ascending by key.
  std::vector<PathTotals> totals{};
  std::vector<RankPathSum> ranks{};
  std::vector<ActivityOnPath> on_path{};
  std::vector<OwnTime> own{};
  std::vector<LongSegment> longest{};         ///< kLongest
  std::vector<NearPathRow> near{};            ///< kNear
  std::vector<NearPathRankRow> near_ranks{};  ///< of these
};

/// What is known of the path alone. O(segments + ranks).
PathSums sums_of_path(const Activities& run, const PartPath& path, const PlaceInRun& place);
/// All sums. `slack`: empty but for its sources, all of `run`'s; filled in but for `ahead_ns`.
/// O(calls + members of collectives); 8 bytes a call and 8 a call that another one waits for.
PathSums path_sums(const Activities& run, const CallActivities& names, const PartPath& path,
                   PathSlack& slack, const PlaceInRun& place);

/// `on_path` sorted by time, largest first.
std::vector<ActivityOnPath> largest_first(std::vector<ActivityOnPath> on_path);
/// Those of which gains are asked for: the largest. `on_path`: of the whole run.
std::vector<ActivityName> asked_for_gains(const std::vector<ActivityOnPath>& on_path);

}  // namespace slackline
