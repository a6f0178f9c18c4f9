#include "analysis/paths/path_sums.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "analysis/paths/path_slack.h"
#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

/// Turns the steps of a path into segments: computation falls into the call paths it lies in.
class Segments {
 public:
  Segments(const CallActivities& names, std::int64_t start_ns) : names_(names), at_(start_ns) {}

  void add(const RunStep& s) {
    const std::int64_t begin = at_;
    at_ += s.ns;
    if (s.ns == 0) return;
    const CallActivities::OfCall activity = names_.of(s.rank, s.call);
    if (s.kind != RunStep::Kind::computation) {
      const bool computes = s.kind == RunStep::Kind::tail;
      push(begin, at_, s, computes ? names_.path(activity.call) : activity.call);
      return;
    }
    parts_.clear();
    std::int64_t sum = 0;
    names_.for_gap(s.rank, s.call, [&](ActivityId id, std::int64_t ns) {
      parts_.push_back({id, ns});
      sum += ns;
    });
    // A late start is outside of all; a part of calls that overlap is counted once.
    std::int64_t skip = sum - s.ns;
    std::int64_t from = begin;
    if (skip < 0) {
      push(from, from - skip, s, names_.late_start());
      from -= skip;
      skip = 0;
    }
    for (const Part& part : parts_) {
      const std::int64_t skipped = std::min(skip, part.ns);
      skip -= skipped;
      if (part.ns == skipped) continue;
      push(from, from + part.ns - skipped, s, part.id);
      from += part.ns - skipped;
    }
  }

  std::vector<ActivitySegment> take() { return std::move(segments_); }

 private:
  struct Part {
    ActivityId id;
    std::int64_t ns;
  };
  void push(std::int64_t begin, std::int64_t end, const RunStep& s, ActivityId id) {
    const ActivityName& name = names_.name(id);
    segments_.push_back({begin, end, s.rank, s.call, name.operation, name.path, name.late_start});
  }

  const CallActivities& names_;
  std::int64_t at_;  // from the start of the run
  std::vector<ActivitySegment> segments_;
  std::vector<Part> parts_;
};

std::vector<ActivityOnPath> activities_of(std::span<const ActivitySegment> segments) {
  std::map<ActivityName, std::int64_t> sums;
  for (const ActivitySegment& s : segments)
    sums[{s.operation, s.path, s.late_start}] += s.length_ns();
  std::vector<ActivityOnPath> rows;
  for (const auto& [activity, ns] : sums) rows.push_back({activity, ns});
  return rows;
}

std::vector<LongSegment> longest_of(std::span<const ActivitySegment> segments,
                                    const PlaceInRun& place) {
  const auto key = [](const ActivitySegment& s) { return LongSegment{s}.key(); };
  std::vector<ActivitySegment> longest(std::min(segments.size(), PathSums::kLongest));
  std::ranges::partial_sort_copy(segments, longest, {}, key, key);
  std::vector<LongSegment> rows;
  for (const ActivitySegment& s : longest) rows.push_back({in_run(s, place)});
  return rows;
}

std::vector<RankPathSum> ranks_on_path(const Activities& run, const PartPath& path) {
  std::vector<RankPathSum> rows;
  for (std::int32_t r = 0; r < run.trace().ranks(); ++r) {
    if (run.calls(r) > 0) rows.push_back({r});
  }
  for (const ActivitySegment& s : path.segments) {
    std::ranges::lower_bound(rows, s.rank, {}, &RankPathSum::rank)->on_path_ns += s.length_ns();
  }
  return rows;
}

/// Keeps the first rows of those that ascend.
template <class Row>
void keep_first(std::vector<Row>& rows, std::size_t count) {
  if (rows.size() > count)
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end());
}

void add_near_paths(const Activities& run, const PathSlack& slack, const PartPath& path,
                    const PlaceInRun& place, PathSums& out) {
  for (const NearPath& near : near_paths(run, slack, path.steps, PathSums::kNear)) {
    const NearPathKey key{near.slack_ns, near.rank, place.call_in_run(near.rank, near.call)};
    out.near.push_back({key, run.makespan_ns() - near.shared_ns});
    for (const RankPathSum& rank : out.ranks) {
      const std::int64_t on_near = near.by_rank[static_cast<std::size_t>(rank.rank)];
      if (on_near == rank.on_path_ns) continue;
      out.near_ranks.push_back({{key, rank.rank}, on_near - rank.on_path_ns});
    }
  }
}

}  // namespace

PartPath part_path(const Activities& run, const CallActivities& names, std::vector<RunStep> steps,
                   const PlaceInRun& place) {
  Segments segments(names, run.start_ns() - place.whole.begin_ns);
  std::int64_t length = 0;
  for (const RunStep& s : steps) {
    segments.add(s);
    length += s.ns;
  }
  ensures(length == run.makespan_ns(), "the critical path is as long as the run");
  return {std::move(steps), segments.take()};
}

void PathTotals::add(const PathTotals& other) {
  makespan_ns += other.makespan_ns;
  late_start_ns += other.late_start_ns;
  segments += other.segments;
  vertices += other.vertices;
  edges += other.edges;
}

void RankPathSum::add(const RankPathSum& other) {
  on_path_ns += other.on_path_ns;
  if (slack.least_ns < 0 || (other.slack.least_ns >= 0 && other.slack.least_ns < slack.least_ns)) {
    slack.least_ns = other.slack.least_ns;
  }
  slack.weighted_ns2 += other.slack.weighted_ns2;
  slack.computed_ns += other.slack.computed_ns;
}

void PathSums::add_up() {
  add_up_tables(tables());
  keep_first(longest, kLongest);
  keep_first(near, kNear);
  // For memory only: who reads them looks for those of `near`.
  std::erase_if(near_ranks, [this](const NearPathRankRow& row) {
    return std::ranges::find(near, row.of.path, &NearPathRow::of) == near.end();
  });
}

PathSums sums_of_path(const Activities& run, const PartPath& path, const PlaceInRun& place) {
  PathSums out;
  PathTotals totals{.makespan_ns = run.makespan_ns(), .segments = path.segments.size()};
  if (!path.steps.empty()) totals.late_start_ns = run.late_start_ns(path.steps.front().rank);
  out.totals.push_back(totals);
  out.ranks = ranks_on_path(run, path);
  out.on_path = activities_of(path.segments);
  out.longest = longest_of(path.segments, place);
  return out;
}

PathSums path_sums(const Activities& run, const CallActivities& names, const PartPath& path,
                   PathSlack& slack, const PlaceInRun& place) {
  PathSums out = sums_of_path(run, path, place);
  const std::array<std::function<void()>, 2> walks{
      [&] {
        fill_slack(run, slack);
        add_near_paths(run, slack, path, place, out);
        slack.ahead_ns = {};  // in one thread, before as much is needed again
      },
      [&] { out.own = own_times(run, names); }};
  parallel_for(walks.size(), [&](std::size_t i) { walks[i](); });
  for (RankPathSum& rank : out.ranks) {
    rank.slack = slack.ranks[static_cast<std::size_t>(rank.rank)];
  }
  out.totals.front().vertices = slack.vertices;
  out.totals.front().edges = slack.edges;
  return out;
}

std::vector<ActivityOnPath> largest_first(std::vector<ActivityOnPath> on_path) {
  std::ranges::sort(on_path, {},
                    [](const ActivityOnPath& row) { return std::pair(-row.sum, row.of); });
  return on_path;
}

std::vector<ActivityName> asked_for_gains(const std::vector<ActivityOnPath>& on_path) {
  std::vector<ActivityName> asked;
  for (const ActivityOnPath& row : largest_first(on_path)) {
    if (asked.size() < kGainsAsked) asked.push_back(row.of);
  }
  return asked;
}

}  // namespace slackline
