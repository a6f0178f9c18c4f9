// The critical path of a timed run, and how far everything else is from it.
//
// The path itself is found by going back from the end (run_path.h) or by a search in the written
// graph (longest_path.h). One walk back over the run gives how late each moment could be without
// making the run longer (path_slack.cc), and with it the paths that come next (near_paths.cc); one
// walk forward gives what the largest activities could gain at most (path_gains.cc); a sum over
// each rank what the path's activities cost the others (activity_impact.h). They need nothing of
// each other and run side by side.

#include "analysis/paths/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "calls/clocks.h"

namespace slackline {
namespace {

constexpr FindingKind kBackInTime{"dependence_back_in_time", Severity::notice,
                                  "Calls ended before what they are taken to depend on had begun; "
                                  "such dependences bind nothing in the measured critical path."};

/// Which call had ended too early, in words.
std::string example_of(const Activities& run, const PathSlack::Dropped& d) {
  const Trace& trace = run.trace();
  const auto described = [&](std::int32_t rank, CallIndex call) {
    return fmt::format("{} (call {} of rank {})", mpi_name(trace.calls(rank).operation(call)), call,
                       rank);
  };
  std::int32_t other = d.source.rank;
  CallIndex call = d.source.index;
  if (d.source.is_last_entry()) {
    run.for_entries(d.source.index, [&](const CollectiveMember& m) {
      if (run.enter_ns(m.rank, m.enter) != d.at_ns) return;
      other = m.rank;
      call = m.enter;
    });
  }
  if (other < 0) return {};
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e9; };
  return fmt::format(
      "{} ended at {:.9f} s, {} began at {:.9f} s, {}", described(d.rank, d.call),
      seconds(d.left_ns), described(other, call), seconds(d.at_ns),
      have_one_clock(trace, d.rank, other) ? "on one clock" : "on clocks that may disagree");
}

PlaceInRun place_of_whole(const Activities& run) {
  return {.whole = {run.start_ns(), run.start_ns()}};
}

std::vector<RunStep> find_path(const Activities& run, const PathOptions& options) {
  if (options.algorithm == PathAlgorithm::dag) return critical_steps(run);
  const ActivityGraph graph = activity_graph(run);
  return steps_of(graph, longest_path(graph, options.algorithm, options.delta_ns));
}

void add_ranks(const std::vector<RankPathSum>& sums, CriticalPath& out) {
  for (const RankPathSum& sum : sums) {
    const auto r = static_cast<std::size_t>(sum.rank);
    out.by_rank[r] = sum.on_path_ns;
    out.least_slack_ns[r] = sum.slack.least_ns;
    if (sum.slack.computed_ns == 0) continue;
    out.mean_slack_ns[r] =
        static_cast<double>(sum.slack.weighted_ns2) / static_cast<double>(sum.slack.computed_ns);
  }
}

void add_near_paths(const PathSums& sums, CriticalPath& out) {
  auto rank = sums.near_ranks.begin();
  for (const NearPathRow& row : sums.near) {
    NearPath near{.length_ns = out.makespan_ns - row.of.slack_ns,
                  .slack_ns = row.of.slack_ns,
                  .shared_ns = out.makespan_ns - row.sum,
                  .rank = row.of.rank,
                  .call = row.of.call,
                  .by_rank = out.by_rank};
    for (; rank != sums.near_ranks.end() && rank->of.path == row.of; ++rank) {
      near.by_rank[static_cast<std::size_t>(rank->of.rank)] += rank->sum;
    }
    out.near.push_back(std::move(near));
  }
}

void add_impacts(std::vector<ActivityImpact> impacts, std::size_t ranks, CriticalPath& out) {
  std::map<ActivityName, std::int64_t> busy_ns;
  for (const ActivityImpact& i : impacts) busy_ns[i.activity] += i.busy_ns();
  for (ActivityShare& share : out.activities) {
    share.mean_ns = static_cast<double>(busy_ns[{share.operation, share.path, share.late_start}]) /
                    static_cast<double>(ranks);
    share.imbalance_ns = std::max(0.0, static_cast<double>(share.on_path_ns) - share.mean_ns);
  }
  std::erase_if(impacts,
                [](const ActivityImpact& i) { return i.busy_ns() == 0 && i.imbalance_ns <= 0; });
  std::ranges::stable_sort(impacts, std::greater{}, [](const ActivityImpact& i) {
    return std::pair(i.imbalance_ns, i.critical_ns);
  });
  out.impacts = std::move(impacts);
}

/// What is known of the path alone.
CriticalPath path_alone(const PathSums& sums, std::int32_t ranks) {
  CriticalPath out;
  out.by_rank.resize(static_cast<std::size_t>(ranks));
  out.least_slack_ns.assign(out.by_rank.size(), -1);
  out.mean_slack_ns.assign(out.by_rank.size(), 0);
  for (const PathTotals& totals : sums.totals) {
    out.makespan_ns = totals.makespan_ns;
    out.late_start_ns = totals.late_start_ns;
    out.segment_count = totals.segments;
    out.vertices = totals.vertices;
    out.edges = totals.edges;
  }
  add_ranks(sums.ranks, out);
  for (const ActivityOnPath& row : largest_first(sums.on_path)) {
    out.activities.push_back({row.of.operation, row.of.path, row.of.late_start, row.sum});
  }
  for (const LongSegment& s : sums.longest) out.longest.push_back(s.segment);
  std::ranges::sort(out.longest, {}, &ActivitySegment::begin_ns);
  return out;
}

}  // namespace

CriticalPath critical_path(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
                           const PathOptions& options) {
  if (!trace.timed()) {
    throw Error("cannot find the measured critical path of an untimed trace",
                "it has no timestamps", "Ask for the predicted one: --on model.");
  }
  const CausalOrder order(trace, matching);
  return critical_path(Activities(trace, matching, order), CallActivities(trace, paths), options);
}

CriticalPath critical_path(const Activities& run, const CallActivities& names,
                           const PathOptions& options) {
  const std::int32_t ranks = run.trace().ranks();
  PathSums sums;
  PathGains gains;
  PartPath path;
  Findings findings;
  findings.merge(run.matching().findings());
  if (run.trace().call_count() > 0) {
    path = part_path(run, names, find_path(run, options), place_of_whole(run));
    sums = sums_of_path(run, path, place_of_whole(run));
  }
  CriticalPath out;
  if (options.extent == PathExtent::segments || path.steps.empty()) {
    out = path_alone(sums, ranks);
  } else {
    PathSlack slack(run.sources());
    const std::vector<ActivityName> asked = asked_for_gains(sums.on_path);
    const std::array<std::function<void()>, 2> walks{
        [&] { sums = path_sums(run, names, path, slack, place_of_whole(run)); },
        [&] { gains = path_gains(run, names, slack.sources, asked); }};
    parallel_for(walks.size(), [&](std::size_t i) { walks[i](); });
    out = path_of_run(std::move(sums), gains, ranks);
    if (slack.dropped > 0) {
      findings.add(kBackInTime, example_of(run, slack.worst_dropped), slack.dropped);
    }
  }
  out.algorithm = options.algorithm;
  out.segments = std::move(path.segments);
  out.findings = std::move(findings);
  return out;
}

CriticalPath path_of_run(PathSums sums, const PathGains& gains, std::int32_t ranks) {
  CriticalPath out = path_alone(sums, ranks);
  add_near_paths(sums, out);
  add_impacts(
      activity_impacts(sums.own, sums.on_path, static_cast<std::int64_t>(sums.ranks.size())),
      sums.ranks.size(), out);
  out.parts = gains.synchronisations + 1;
  for (std::size_t i = 0; i < std::min(kGainsAsked, out.activities.size()); ++i) {
    out.activities[i].gain_ns = out.makespan_ns - gains.makespan_ns[i];
  }
  return out;
}

PathShares path_shares(const CriticalPath& path, const TimeInterval& interval) {
  PathShares shares;
  shares.by_rank.resize(path.by_rank.size());
  std::map<ActivityName, std::int64_t> times;
  const std::int64_t from = std::max(interval.begin_ns, path.late_start_ns);
  for (const ActivitySegment& s : path.segments) {
    const bool environment = is_init(s.operation) || s.operation == Operation::finalize;
    if (!environment && s.begin_ns < interval.begin_ns && s.begin_ns >= path.late_start_ns) {
      shares.before = true;
    }
    const std::int64_t time = std::min(s.end_ns, interval.end_ns) - std::max(s.begin_ns, from);
    if (time <= 0) continue;
    times[{s.operation, s.path, s.late_start}] += time;
    shares.by_rank[static_cast<std::size_t>(s.rank)] += time;
    shares.length_ns += time;
    if (s.operation == Operation::none && !s.late_start) shares.computation_ns += time;
    if (environment) shares.environment_ns += time;
  }
  for (const auto& [activity, time] : times) {
    shares.activities.push_back({activity.operation, activity.path, activity.late_start, time});
  }
  std::ranges::stable_sort(shares.activities,
                           [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  return shares;
}

}  // namespace slackline
