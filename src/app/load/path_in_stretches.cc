#include "app/load/path_in_stretches.h"

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/paths/path_report.h"
#include "analysis/paths/path_sums.h"
#include "calls/computation_code.h"

namespace slackline {
namespace {

/// All that the first pass finds.
struct PathFound {
  PathSums path{};
  ImbalanceSums imbalance{};
  std::vector<SampledTime> sampled{};

  auto tables() { return std::tuple_cat(path.tables(), imbalance.tables(), std::tie(sampled)); }
  void add_up() {
    path.add_up();
    imbalance.add_up();
    add_up_rows(sampled);
  }
};

/// All that the second one finds.
struct GainsFound {
  std::vector<PathGains> gains{};
  std::vector<PathFrameTime> frames{};

  auto tables() { return std::tie(gains, frames); }
  void add_up() { add_up_tables(tables()); }
};

/// A stretch with the path through it.
class StretchPath {
 public:
  /// `first_calls`: as in PlaceInRun, for its segments.
  StretchPath(const StretchedRun& run, const Stretch& stretch, const CallMatching& matching,
              std::span<const CallIndex> first_calls)
      : place_{stretch.part, first_calls, run.span.whole},
        paths_(run.trace.paths_of(stretch.trace)),
        names_(stretch.trace, paths_),
        order_(stretch.trace, matching),
        activities_(stretch.trace, matching, order_, stretch.part),
        path_(part_path(activities_, names_, critical_steps(activities_), place_)) {}

  const Activities& activities() const { return activities_; }
  const CallActivities& names() const { return names_; }
  const PartPath& path() const { return path_; }
  const PlaceInRun& place() const { return place_; }

 private:
  PlaceInRun place_;
  CallPaths paths_;
  CallActivities names_;
  CausalOrder order_;
  Activities activities_;
  PartPath path_;
};

/// The path's segments, in the order of time, as long as there are not too many.
class KeptSegments {
 public:
  void append(std::span<const ActivitySegment> more) {
    count_ += more.size();
    if (count_ > kSegmentsListed) {
      kept_ = {};
    } else {
      kept_.insert(kept_.end(), more.begin(), more.end());
    }
  }
  /// Those of all processes, in all.
  std::vector<ActivitySegment> gather(ProcessGroup& group) {
    const std::vector<std::uint64_t> counts = gather_all(group, std::vector<std::uint64_t>{count_});
    if (std::reduce(counts.begin(), counts.end()) > kSegmentsListed) return {};
    return gather_all(group, kept_);
  }

 private:
  std::uint64_t count_ = 0;
  std::vector<ActivitySegment> kept_;
};

/// What has been found in all stretches of all processes.
template <class Found>
Found of_run(TableSum<Found>& own, ProcessGroup& group) {
  Found found = own.take();
  add_up_in_all(group, found);
  return found;
}

}  // namespace

std::optional<MeasuredPath> path_in_stretches(StretchedRun& run, ProcessGroup& group) {
  TableSum<PathFound> own_found;
  KeptSegments segments;
  const auto find = [&](const Stretch& stretch, const CallMatching& matching) {
    const StretchPath in(run, stretch, matching, stretch.first_calls);
    PathSlack slack(in.activities().sources());
    PathSums sums = path_sums(in.activities(), in.names(), in.path(), slack, in.place());
    if (in.activities().order().released() > 0 || slack.dropped > 0) return false;
    segments.append(in.path().segments);
    own_found.append({std::move(sums), imbalance_sums(stretch.trace, matching, stretch.part),
                      sampled_times(stretch.trace, stretch.samples)});
    return true;
  };
  if (!for_own_stretches(run, group, find)) return std::nullopt;
  PathFound found = of_run(own_found, group);
  const std::vector<ActivityName> asked = asked_for_gains(found.path.on_path);
  const auto shares = std::make_shared<const SampledShares>(found.sampled);
  TableSum<GainsFound> own_gains;
  visit_own_stretches(
      run, group, "looking for what activities could gain", [&](const Stretch& stretch) {
        const CallMatching matching(stretch.trace);
        const StretchPath in(run, stretch, matching, {});
        const ComputationCode code(stretch.trace, stretch.samples, shares);
        own_gains.append(
            {{path_gains(in.activities(), in.names(), in.activities().sources(), asked)},
             path_frames(in.path().segments, stretch.trace, code, {0, kTimeLimit_ns}, false)});
      });
  const GainsFound gains = of_run(own_gains, group);
  const Trace& job = run.trace.job();
  MeasuredPath out{path_of_run(std::move(found.path), gains.gains.front(), job.ranks()),
                   imbalance_metrics(found.imbalance, job.ranks()),
                   path_functions(gains.frames, job.call_tree())};
  out.path.segments = segments.gather(group);
  return out;
}

}  // namespace slackline
