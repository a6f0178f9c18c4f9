// The critical path of a timed run, and how far everything else is from it.
//
// The path itself is found by going back from the end (run_path.h) or by a search in the written
// graph (longest_path.h). One walk back over the run gives how late each moment could be without
// making the run longer (path_slack.h), and with it the paths that come next (near_paths.h); one
// walk forward gives what the largest activities could gain at most (path_gains.h); a sum over each
// rank what the path's activities cost the others (activity_impact.h). They need nothing of each
// other and run side by side.

#include "analysis/paths/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "analysis/paths/path_gains.h"
#include "base/error.h"
#include "base/parallel.h"
#include "trace/one_clock.h"

namespace slackline {
namespace {

constexpr std::size_t kNearPaths = 2;

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

std::vector<RunStep> find_path(const Activities& run, const PathOptions& options) {
  if (options.algorithm == PathAlgorithm::dag) return critical_steps(run);
  const ActivityGraph graph = activity_graph(run);
  return steps_of(graph, longest_path(graph, options.algorithm, options.delta_ns));
}

/// Turns the steps of a path into segments: computation falls into the call paths it lies in.
class Segments {
 public:
  explicit Segments(const CallActivities& names) : names_(names) {}

  void add(const RunStep& s, CriticalPath& out) {
    const std::int64_t begin = at_;
    at_ += s.ns;
    if (s.ns == 0) return;
    const CallActivities::OfCall activity = names_.of(s.rank, s.call);
    if (s.kind != RunStep::Kind::computation) {
      const bool computes = s.kind == RunStep::Kind::tail;
      push(out, begin, at_, s, computes ? names_.path(activity.call) : activity.call);
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
      push(out, from, from - skip, s, 0);
      from -= skip;
      skip = 0;
    }
    for (const Part& part : parts_) {
      const std::int64_t skipped = std::min(skip, part.ns);
      skip -= skipped;
      if (part.ns == skipped) continue;
      push(out, from, from + part.ns - skipped, s, part.id);
      from += part.ns - skipped;
    }
  }

 private:
  struct Part {
    ActivityId id;
    std::int64_t ns;
  };
  void push(CriticalPath& out, std::int64_t begin, std::int64_t end, const RunStep& s,
            ActivityId id) const {
    out.segments.push_back({begin, end, s.rank, s.call, names_.operation(id), names_.path(id)});
    out.by_rank[static_cast<std::size_t>(s.rank)] += end - begin;
  }

  const CallActivities& names_;
  std::int64_t at_ = 0;
  std::vector<Part> parts_;
};

/// How much of every activity lies on the path, in ns.
struct OnPath {
  OnPath(const std::vector<ActivitySegment>& segments, const CallActivities& names)
      : ns(names.size(), 0) {
    for (const ActivitySegment& s : segments) {
      const ActivityId id = s.operation == Operation::none ? s.path : names.of(s.rank, s.call).call;
      if (ns[id] == 0) ids.push_back(id);
      ns[id] += s.length_ns();
    }
    std::ranges::sort(ids, {}, [&](ActivityId id) {
      return std::tuple(-ns[id], names.operation(id), names.path(id));
    });
  }

  std::vector<std::int64_t> ns;  ///< by ActivityId
  std::vector<ActivityId> ids;   ///< of those that do, largest first
};

void add_activities(const CallActivities& names, const OnPath& on_path, CriticalPath& out) {
  for (const ActivityId id : on_path.ids) {
    ActivityShare share{.operation = names.operation(id), .path = names.path(id)};
    share.on_path_ns = on_path.ns[id];
    out.activities.push_back(share);
  }
}

/// The path's parts for activity_impacts(): its late start lies in computation elsewhere.
std::vector<std::int64_t> with_late_start(std::vector<std::int64_t> on_path_ns,
                                          std::int64_t late_start_ns) {
  on_path_ns[0] -= late_start_ns;
  on_path_ns.push_back(late_start_ns);
  return on_path_ns;
}

void add_impacts(const Trace& trace, std::vector<ActivityImpact> impacts, const OnPath& on_path,
                 CriticalPath& out) {
  double ranks = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) ranks += trace.calls(r).empty() ? 0 : 1;
  for (std::size_t i = 0; i < on_path.ids.size(); ++i) {
    ActivityShare& share = out.activities[i];
    std::int64_t busy_ns = impacts[on_path.ids[i]].busy_ns();
    if (on_path.ids[i] == 0) busy_ns += impacts.back().busy_ns();  // late starts, as on the path
    share.mean_ns = static_cast<double>(busy_ns) / ranks;
    share.imbalance_ns = std::max(0.0, static_cast<double>(share.on_path_ns) - share.mean_ns);
  }
  std::erase_if(impacts,
                [](const ActivityImpact& i) { return i.busy_ns() == 0 && i.imbalance_ns <= 0; });
  std::ranges::stable_sort(impacts, std::greater{}, [](const ActivityImpact& i) {
    return std::pair(i.imbalance_ns, i.critical_ns);
  });
  out.impacts = std::move(impacts);
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
  CriticalPath out;
  out.algorithm = options.algorithm;
  out.findings.merge(run.matching().findings());
  out.by_rank.resize(static_cast<std::size_t>(run.trace().ranks()));
  out.least_slack_ns.assign(out.by_rank.size(), -1);
  out.mean_slack_ns.assign(out.by_rank.size(), 0);
  if (run.trace().call_count() == 0) return out;
  out.makespan_ns = run.makespan_ns();
  const std::vector<RunStep> steps = find_path(run, options);
  Segments segments(names);
  std::int64_t length = 0;
  for (const RunStep& s : steps) {
    segments.add(s, out);
    length += s.ns;
  }
  ensures(length == out.makespan_ns, "the critical path is as long as the run");
  if (!steps.empty()) out.late_start_ns = run.late_start_ns(steps.front().rank);
  const OnPath on_path(out.segments, names);
  add_activities(names, on_path, out);
  if (options.extent == PathExtent::segments) return out;
  PathSlack slack(run.sources());
  PathGains gains;
  std::vector<ActivityImpact> impacts;
  const std::array<std::function<void()>, 3> walks{
      [&] {
        fill_slack(run, slack);
        out.near = near_paths(run, slack, steps, kNearPaths);
        slack.ahead_ns = {};  // in one thread, before as much is needed again
      },
      [&] { gains = path_gains(run, names, slack.sources, on_path.ids); },
      [&] {
        impacts = activity_impacts(run, names, with_late_start(on_path.ns, out.late_start_ns));
      }};
  parallel_for(walks.size(), [&](std::size_t i) { walks[i](); });
  out.vertices = slack.vertices;
  out.edges = slack.edges;
  if (slack.dropped > 0) {
    out.findings.add(kBackInTime, example_of(run, slack.worst_dropped), slack.dropped);
  }
  out.least_slack_ns = std::move(slack.least_slack_ns);
  out.mean_slack_ns = std::move(slack.mean_slack_ns);
  add_impacts(run.trace(), std::move(impacts), on_path, out);
  out.parts = gains.parts;
  for (std::size_t i = 0; i < std::min(kGainsAsked, on_path.ids.size()); ++i) {
    out.activities[i].gain_ns = out.makespan_ns - gains.makespan_ns[i];
  }
  return out;
}

}  // namespace slackline
