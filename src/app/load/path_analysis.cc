#include "app/load/path_analysis.h"

#include <span>

#include "analysis/paths/path_report.h"
#include "app/options/option_values.h"
#include "parallel/shared_rows.h"

namespace slackline {
namespace {

/// The interval in times of the path, which begins with the run.
TimeInterval analysed_from_start(const std::string& text, const RunSpan& run) {
  const TimeInterval analysed = resolve_interval(text, run).value_or(run.common);
  return {analysed.begin_ns - run.whole.begin_ns, analysed.end_ns - run.whole.begin_ns};
}

}  // namespace

/// A stretch with the path through it.
class PathAnalysis::InStretch {
 public:
  InStretch(const StretchedRun& run, const LoadedStretch& stretch)
      : place_{stretch.part(), stretch.first_calls(), run.span.whole},
        paths_(run.trace.paths_of(stretch.trace())),
        names_(stretch.trace(), paths_),
        activities_(stretch.trace(), stretch.matching(), stretch.order(), stretch.part()),
        path_(part_path(activities_, names_, critical_steps(activities_), place_)) {}

  const Activities& activities() const { return activities_; }
  const CallActivities& names() const { return names_; }
  const PartPath& path() const { return path_; }
  const PlaceInRun& place() const { return place_; }

 private:
  PlaceInRun place_;
  CallPaths paths_;
  CallActivities names_;
  Activities activities_;
  PartPath path_;
};

PathAnalysis::PathAnalysis(const PathOptions& options, std::optional<std::string> interval)
    : options_(options), interval_(std::move(interval)) {}
PathAnalysis::~PathAnalysis() = default;

void PathAnalysis::analyse(const Run& run) {
  const Trace& trace = run.trace();
  const CallMatching& matching = run.loaded().matching();
  CriticalPath path = critical_path(trace, matching, run.paths(), options_);
  if (interval_) functions_ = analysed_from_start(*interval_, run_span(trace));
  const ComputationCode code(trace, &run.loaded().opened.samples);
  std::vector<PathFunction> by_function =
      path_functions(path, trace, code, functions_, interval_.has_value());
  path_ = {std::move(path), imbalance_metrics(trace, matching), std::move(by_function)};
}

void PathAnalysis::begin(const StretchedRun& run) {
  run_ = &run;
  if (interval_) functions_ = analysed_from_start(*interval_, run.span);
}

void PathAnalysis::Found::add_up() {
  path.add_up();
  imbalance.add_up();
  add_up_rows(sampled);
}

bool PathAnalysis::add(const LoadedStretch& stretch) {
  auto in = std::make_unique<const InStretch>(*run_, stretch);
  PathSlack slack(in->activities().sources());
  PathSums sums = path_sums(in->activities(), in->names(), in->path(), slack, in->place());
  if (in->activities().order().released() > 0 || slack.dropped > 0) return false;
  keep(in->path().segments, in->place());
  own_.append({std::move(sums), imbalance_sums(stretch.trace(), stretch.matching(), stretch.part()),
               sampled_times(stretch.trace(), stretch.samples())});
  if (stretch.stays()) only_ = std::move(in);
  return true;
}

void PathAnalysis::keep(std::span<const ActivitySegment> segments, const PlaceInRun& place) {
  own_segment_count_ += segments.size();
  if (own_segment_count_ > kSegmentsListed) {
    own_segments_ = {};
    return;
  }
  for (const ActivitySegment& s : segments) own_segments_.push_back(in_run(s, place));
}

bool PathAnalysis::join(ProcessGroup& group) {
  found_ = own_.take();
  std::vector<ActivityOnPath> on_path = std::move(found_.path.on_path);
  add_up_over_processes(group, std::tie(on_path, found_.sampled), Receiver::all);
  found_.path.on_path = {};
  add_up_over_processes(group, std::tuple_cat(found_.path.tables(), found_.imbalance.tables()),
                        Receiver::first);
  found_.path.add_up();
  found_.path.on_path = std::move(on_path);
  asked_ = asked_for_gains(found_.path.on_path);
  shares_ = std::make_shared<const SampledShares>(found_.sampled);
  return true;
}

void PathAnalysis::add_again(const LoadedStretch& stretch) {
  if (!stretch.stays()) return add_gains(InStretch(*run_, stretch), stretch);
  add_gains(*only_, stretch);
}

void PathAnalysis::abandon() {
  only_.reset();
  own_ = {};
  own_segments_ = {};
}

void PathAnalysis::add_gains(const InStretch& in, const LoadedStretch& stretch) {
  const ComputationCode code(stretch.trace(), stretch.samples(), shares_);
  own_gains_.append(
      {{path_gains(in.activities(), in.names(), in.activities().sources(), asked_)},
       path_frames(in.path().segments, stretch.trace(), code, functions_, interval_.has_value())});
}

void PathAnalysis::finish(ProcessGroup& group) {
  Gains gains = own_gains_.take();
  add_up_over_processes(group, gains, Receiver::first);
  std::uint64_t segments = 0;
  for (const std::uint64_t count : gather_all(group, std::vector{own_segment_count_})) {
    segments += count;
  }
  if (segments > kSegmentsListed) own_segments_.clear();
  std::vector<ActivitySegment> listed = gather_in_first(group, own_segments_);
  if (!group.is_first()) return;
  const Trace& job = run_->trace.job();
  path_ = {path_of_run(std::move(found_.path), gains.gains.front(), job.ranks()),
           imbalance_metrics(found_.imbalance, job.ranks()),
           path_functions(gains.frames, job.call_tree())};
  path_.path.segments = std::move(listed);
}

}  // namespace slackline
