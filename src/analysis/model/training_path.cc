// The critical path of a training run by what ran on it.
//
// The graph's moments lie where they were measured, so that an edge's time is that of the interval
// that ends with it. What passes there follows from both moments: from an activity's begin on it
// runs for as long as it did, and what is left is a gap before what follows; before a call of the
// runtime its thread was in the operators that the profile has there; within a collective, messages
// are on their way. Parts of an edge add up to its cost, and edges to the makespan.

#include "analysis/model/training_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "training/rank_work.h"

namespace slackline {
namespace {

constexpr std::size_t kRowsShown = 40;

class TrainingPathSums {
 public:
  TrainingPathSums(const TrainingRun& run, const std::vector<TrainingMoment>& moments)
      : run_(run), moments_(moments) {
    for (const ProfiledRank& rank : run.ranks) work_.emplace_back(rank);
    for (const TrainingMoment& moment : moments_) {
      if (moment.kind != MomentKind::call) continue;
      const ProfiledRank& rank = run.ranks[moment.rank];
      zero_ns_ = rank.runtime_calls[moment.index].time.begin_ns - moment.time_fs / kFemtosPerNano;
      break;
    }
  }

  void add_edge(VertexId from, VertexId to, std::int64_t ps) {
    const TrainingMoment& before = moments_[from];
    const TrainingMoment& after = moments_[to];
    if (ps <= 0) return;
    if (in_collective(after)) return add(activity(after), ps);
    if (before.kind == MomentKind::activity_begin) {
      const ProfiledRank& rank = run_.ranks[before.rank];
      const std::int64_t runs_ps =
          std::min(ps, rank.gpu[before.index].time.duration_ns() * kPicosPerNano);
      add(activity(before), runs_ps);
      ps -= runs_ps;
    }
    if (ps <= 0) return;
    if (after.kind == MomentKind::activity_begin) {
      TrainingActivity next = activity(after);
      const bool launched = before.kind == MomentKind::call;
      next.part = launched ? TrainingPathPart::launch : TrainingPathPart::gap;
      add(std::move(next), ps);
    } else if (after.kind == MomentKind::call_return) {
      add(call(after.rank, after.index, TrainingPathPart::synchronization), ps);
    } else {
      add_cpu(before, after, ps);
    }
  }

  void add_tail(std::int32_t rank, std::int64_t ps) {
    if (ps > 0) add({.rank = run_.ranks[static_cast<std::size_t>(rank)].rank}, ps);
  }

  std::vector<TrainingPathTime> longest_first() const {
    std::vector<TrainingPathTime> all;
    for (const auto& [activity, ps] : times_) all.push_back({activity, ps});
    std::ranges::stable_sort(all, std::greater{}, &TrainingPathTime::time_ps);
    return all;
  }

 private:
  static bool in_collective(const TrainingMoment& moment) {
    return moment.kind == MomentKind::transfer || moment.kind == MomentKind::activity_end;
  }

  void add(TrainingActivity activity, std::int64_t ps) { times_[std::move(activity)] += ps; }

  TrainingActivity placed(std::uint32_t rank, std::uint32_t location, std::uint32_t launch,
                          TrainingPathPart part) const {
    const ProfiledRank& profile = run_.ranks[rank];
    TrainingActivity found{
        .part = part, .rank = profile.rank, .location = location_name(profile, location)};
    if (launch == kNotRecorded) return found;
    const RankWork::Place& place = work_[rank].launch_place(launch);
    const bool in_operator = place.operation != kNotRecorded;
    found.operation = profile.name(in_operator ? place.operation : place.annotation);
    found.module = profile.name(place.module);
    return found;
  }

  TrainingActivity activity(const TrainingMoment& moment) const {
    const ProfiledRank& profile = run_.ranks[moment.rank];
    const GpuActivity& ran = profile.gpu[moment.index];
    TrainingPathPart part = TrainingPathPart::kernel;
    if (ran.work == GpuWork::communication) part = TrainingPathPart::collective;
    if (ran.work == GpuWork::copy) part = TrainingPathPart::copy;
    TrainingActivity found = placed(moment.rank, ran.location, ran.launch, part);
    found.name = profile.name(ran.name);
    return found;
  }

  TrainingActivity call(std::uint32_t rank, std::uint32_t index, TrainingPathPart part) const {
    const RuntimeCall& called = run_.ranks[rank].runtime_calls[index];
    TrainingActivity found = placed(rank, called.location, index, part);
    found.name = run_.ranks[rank].name(called.name);
    return found;
  }

  /// The last of the time up to `after`, by the operators that its thread was in. At a profile's
  /// end no call tells the thread: that of the call before does.
  void add_cpu(const TrainingMoment& before, const TrainingMoment& after, std::int64_t ps) {
    const bool follows = after.kind == MomentKind::call;
    const bool known =
        follows || before.kind == MomentKind::call || before.kind == MomentKind::call_return;
    const ProfiledRank& profile = run_.ranks[after.rank];
    if (!known) return add({.rank = profile.rank}, ps);
    const std::uint32_t index = follows ? after.index : before.index;
    const std::int64_t end_ns = zero_ns_ + after.time_fs / kFemtosPerNano;
    const std::int64_t begin_ns = end_ns - ps / kPicosPerNano;
    TrainingActivity spent = call(after.rank, index, TrainingPathPart::cpu);
    spent.name.clear();
    if (!follows) spent.module.clear();
    work_[after.rank].for_operations(profile.runtime_calls[index].location, {begin_ns, end_ns},
                                     [&](std::uint32_t operation, std::int64_t ns) {
                                       spent.operation = profile.name(operation);
                                       add(spent, ns * kPicosPerNano);
                                       ps -= ns * kPicosPerNano;
                                     });
    spent.operation.clear();
    if (ps > 0) add(std::move(spent), ps);
  }

  const TrainingRun& run_;
  const std::vector<TrainingMoment>& moments_;
  std::vector<RankWork> work_;
  std::int64_t zero_ns_ = 0;
  std::map<TrainingActivity, std::int64_t> times_;
};

std::int64_t total_of(const std::vector<TrainingPathTime>& path) {
  std::int64_t total_ps = 0;
  for (const TrainingPathTime& row : path) total_ps += row.time_ps;
  return std::max<std::int64_t>(1, total_ps);
}

/// Without types and parameters, which make names of kernels too long for a table.
std::string short_name(const std::string& name) {
  constexpr std::string_view kVoid = "void ";
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string text = name.starts_with(kVoid) ? name.substr(kVoid.size()) : name;
  for (std::size_t at = text.find(kAnonymous); at != std::string::npos;
       at = text.find(kAnonymous)) {
    text.erase(at, kAnonymous.size());
  }
  const std::size_t cut = text.find_first_of("<(");
  return cut == std::string::npos || cut == 0 ? text : text.substr(0, cut);
}

std::string_view or_dash(std::string_view name) {
  return name.empty() ? "-" : name;
}

}  // namespace

std::string_view to_string(TrainingPathPart part) {
  switch (part) {
    case TrainingPathPart::kernel:
      return "kernel";
    case TrainingPathPart::collective:
      return "collective";
    case TrainingPathPart::copy:
      return "copy";
    case TrainingPathPart::cpu:
      return "CPU";
    case TrainingPathPart::launch:
      return "launch";
    case TrainingPathPart::synchronization:
      return "synchronization";
    case TrainingPathPart::gap:
      return "gap";
  }
  return "CPU";
}

std::vector<TrainingPathTime> training_path(const ScheduledTraining& training) {
  const auto& [run, moments, graph, schedule, cost] = training;
  TrainingPathSums sums(run, moments);
  VertexId v = graph.last_vertex(schedule.last_rank);
  std::int64_t now_ps = schedule.makespan_ps;
  sums.add_tail(schedule.last_rank, now_ps - schedule.time_ps[v]);
  now_ps = schedule.time_ps[v];
  while (schedule.decided_by[v] != Schedule::kUndecided) {
    const Edge edge = graph.in_edge(v, schedule.decided_by[v]);
    const std::int64_t before_ps = now_ps - cost(edge, v).total_ps();
    sums.add_edge(edge.from, v, now_ps - before_ps);
    now_ps = before_ps;
    v = edge.from;
  }
  ensures(now_ps == 0, "the activities of the critical path add up to the makespan");
  return sums.longest_first();
}

const Rows<TrainingPathTime, PathLength> kTrainingPath{
    "path_activities",
    "Critical path by activity",
    {{"part", "activity", Unit::none, [](auto& row) { return to_string(row.activity.part); }},
     {"operation", "operator", Unit::none,
      [](auto& row) {
        return NameOf{row.activity.operation, or_dash(row.activity.operation)};
      },
      "outermost CPU operator, or else the annotation, that launched it"},
     {"module", Unit::none,
      [](auto& row) {
        return NameOf{row.activity.module, or_dash(row.activity.module)};
      },
      "innermost nn.Module"},
     {"name", [](auto& row) { return row.activity.name; }},
     {kShown, "kernel or call", Unit::none,
      [](auto& row) { return std::string(or_dash(short_name(row.activity.name))); },
      "of a gap, the kernel that follows"},
     {"rank", Unit::none, [](auto& row) { return row.activity.rank; }},
     {"location", "on", Unit::none, [](auto& row) { return row.activity.location; },
      "thread or stream"},
     {"time_ns", "time", Unit::ns,
      [](auto& row) { return static_cast<double>(row.time_ps) / kPicosPerNano; }},
     {"share", Unit::ratio,
      [](auto& row, auto& path) {
        return static_cast<double>(row.time_ps) / static_cast<double>(path.ps);
      },
      "of the critical path"}}};

TrainingPathJson describe_training_path(const std::vector<TrainingPathTime>& path,
                                        Section& section) {
  const std::int64_t total_ps = total_of(path);
  // One more is no longer than a row that says "1 other".
  const std::size_t shown = path.size() > kRowsShown + 1 ? kRowsShown : path.size();
  Table table = kTrainingPath.table(path, PathLength{total_ps}, shown);
  std::int64_t rest_ps = 0;
  for (const TrainingPathTime& row : path | std::views::drop(shown)) rest_ps += row.time_ps;
  if (rest_ps > 0) {
    const auto time = static_cast<double>(rest_ps);
    table.rows.push_back({fmt::format("{} others", path.size() - kRowsShown),
                          {},
                          {},
                          {},
                          {},
                          {},
                          time / kPicosPerNano,
                          time / static_cast<double>(total_ps)});
  }
  section.items.insert(section.items.begin(), std::move(table));
  return list_of(path, [&](const TrainingPathTime& row) {
    return JsonBy<kTrainingPath>(row, PathLength{total_ps});
  });
}

}  // namespace slackline
