#include "app/load/stretched_path.h"

#include <span>

#include "analysis/paths/path_report.h"
#include "parallel/shared_rows.h"

namespace slackline {

/// A stretch with the path through it.
class StretchedPath::InStretch {
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

StretchedPath::StretchedPath(const StretchedRun& run, const PathInterval& functions)
    : run_(run), functions_(functions) {}
StretchedPath::~StretchedPath() = default;

void StretchedPath::Found::add_up() {
  path.add_up();
  imbalance.add_up();
  add_up_rows(sampled);
}

bool StretchedPath::add(const LoadedStretch& stretch) {
  auto in = std::make_unique<const InStretch>(run_, stretch);
  PathSlack slack(in->activities().sources());
  PathSums sums = path_sums(in->activities(), in->names(), in->path(), slack, in->place());
  if (in->activities().order().released() > 0 || slack.dropped > 0) return false;
  keep(in->path().segments, in->place());
  own_.append({std::move(sums), imbalance_sums(stretch.trace(), stretch.matching(), stretch.part()),
               sampled_times(stretch.trace(), stretch.samples())});
  if (stretch.stays()) only_ = std::move(in);
  return true;
}

void StretchedPath::keep(std::span<const ActivitySegment> segments, const PlaceInRun& place) {
  own_segment_count_ += segments.size();
  if (own_segment_count_ > kSegmentsListed) {
    own_segments_ = {};
    return;
  }
  for (const ActivitySegment& s : segments) own_segments_.push_back(in_run(s, place));
}

bool StretchedPath::join(ProcessGroup& group) {
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

void StretchedPath::add_again(const LoadedStretch& stretch) {
  if (!stretch.stays()) return add_gains(InStretch(run_, stretch), stretch);
  add_gains(*only_, stretch);
}

void StretchedPath::add_gains(const InStretch& in, const LoadedStretch& stretch) {
  const ComputationCode code(stretch.trace(), stretch.samples(), shares_);
  own_gains_.append({{path_gains(in.activities(), in.names(), in.activities().sources(), asked_)},
                     path_frames(in.path().segments, stretch.trace(), code, functions_.interval,
                                 functions_.inner)});
}

void StretchedPath::finish(ProcessGroup& group) {
  Gains gains = own_gains_.take();
  add_up_over_processes(group, gains, Receiver::first);
  std::uint64_t segments = 0;
  for (const std::uint64_t count : gather_all(group, std::vector{own_segment_count_})) {
    segments += count;
  }
  if (segments > kSegmentsListed) own_segments_.clear();
  std::vector<ActivitySegment> listed = gather_in_first(group, own_segments_);
  if (!group.is_first()) return;
  const Trace& job = run_.trace.job();
  path_ = {path_of_run(std::move(found_.path), gains.gains.front(), job.ranks()),
           imbalance_metrics(found_.imbalance, job.ranks()),
           path_functions(gains.frames, job.call_tree())};
  path_.path.segments = std::move(listed);
}

}  // namespace slackline
