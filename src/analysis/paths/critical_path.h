#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/paths/activity_impact.h"
#include "analysis/paths/call_activities.h"
#include "analysis/paths/longest_activity_path.h"
#include "analysis/paths/path_slack.h"
#include "analysis/paths/path_sums.h"
#include "calls/run_span.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// What an activity (over all ranks) has to do with the critical path.
struct ActivityShare {
  Operation operation;
  PathId path;
  bool late_start;  ///< as ActivityName::late_start
  std::int64_t on_path_ns = 0;
  double mean_ns = 0;       ///< time without waiting, mean over the ranks
  double imbalance_ns = 0;  ///< what the critical path has more of it than the mean rank
  /// How much shorter the run would be without it at most; only for the largest ones.
  std::optional<std::int64_t> gain_ns{};
};

/// The path alone, with what it consists of; or slack, next paths and gains, too, which take two
/// walks over the whole run.
enum class PathExtent : std::uint8_t { segments, whole };

struct PathOptions {
  PathAlgorithm algorithm = PathAlgorithm::dag;
  std::int64_t delta_ns = 0;
  PathExtent extent = PathExtent::whole;
};

struct CriticalPath {
  std::int64_t makespan_ns = 0;
  PathAlgorithm algorithm = PathAlgorithm::dag;
  /// In order of time; lengths add up to the makespan. Of a run in stretches as far as the caller
  /// has kept them.
  std::vector<ActivitySegment> segments;
  std::uint64_t segment_count = 0;
  std::vector<ActivitySegment> longest;  ///< of these, in order of time
  std::int64_t late_start_ns = 0;        ///< its beginning, before its first rank's start
  std::vector<std::int64_t> by_rank;
  std::vector<ActivityShare> activities;     ///< by time on the path, largest first
  std::vector<ActivityImpact> impacts;       ///< of all that take time, largest imbalance first
  std::vector<NearPath> near;                ///< the second and the third
  std::vector<std::int64_t> least_slack_ns;  ///< per rank: of its computation beside the path
  std::vector<double> mean_slack_ns;         ///< per rank: of its computation, weighted by length
  std::size_t parts = 0;                     ///< pieces between vertices that all paths go through
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  Findings findings;
};

/// Throws Error for an untimed trace.
CriticalPath critical_path(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
                           const PathOptions& options);
/// The same where the order of calls and their activities are known already. O(calls); 40 bytes a
/// call that another one waits for, or 8 a call and as many of those.
CriticalPath critical_path(const Activities& run, const CallActivities& names,
                           const PathOptions& options);

/// The same of the sums over a whole run of `ranks` ranks, without segments.
CriticalPath path_of_run(PathSums sums, const PathGains& gains, std::int32_t ranks);

/// What the critical path consists of in an interval of the run, without a rank's late start.
struct PathShares {
  struct OfActivity {
    Operation operation = Operation::none;
    PathId path = 0;
    bool late_start = false;
    std::int64_t time_ns = 0;
  };
  std::int64_t length_ns = 0;       ///< of the path, as far as it counts
  std::int64_t computation_ns = 0;  ///< of that
  /// In MPI_Init and MPI_Finalize: an interval that begins with the first return from MPI_Init
  /// holds the rest of the other ranks' MPI_Init.
  std::int64_t environment_ns = 0;
  bool before = false;                 ///< something else than MPI_Init lies before the interval
  std::vector<OfActivity> activities;  ///< longest first
  std::vector<std::int64_t> by_rank;
};

/// `interval` from the start of the run. O(segments).
PathShares path_shares(const CriticalPath& path, const TimeInterval& interval);

}  // namespace slackline
