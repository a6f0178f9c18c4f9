#include "training/training_analysis.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/statistics.h"
#include "training/collectives.h"

namespace slackline {
namespace {

using StepsOfRanks = std::vector<std::vector<StepTime>>;

std::map<std::int64_t, TrainingStep> steps_by_number(const TrainingRun& run,
                                                     const StepsOfRanks& of_ranks) {
  std::map<std::int64_t, TrainingStep> steps;
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    for (const StepTime& time : of_ranks[rank]) {
      TrainingStep& step = steps[time.step];
      step.step = time.step;
      step.ranks.push_back({run.ranks[rank].rank, time});
    }
  }
  return steps;
}

// The step of a rank in which a moment lies.
std::optional<std::int64_t> step_at(const std::vector<StepTime>& steps, std::int64_t time_ns) {
  const auto next = std::ranges::upper_bound(
      steps, time_ns, {}, [](const StepTime& step) { return step.time.begin_ns; });
  if (next == steps.begin() || std::prev(next)->time.end_ns <= time_ns) return std::nullopt;
  return std::prev(next)->step;
}

// A step has few ranks that lack it, so that the search begins where the rank would be.
TrainingStep::OfRank* of_rank(TrainingStep& step, std::int32_t rank) {
  const auto at = std::ranges::lower_bound(step.ranks, rank, {}, &TrainingStep::OfRank::rank);
  return at != step.ranks.end() && at->rank == rank ? &*at : nullptr;
}

using CausesOfCollective = std::span<const CausedWaiting>;

// A collective belongs to the step in which its last rank came.
void add_waiting(const TrainingRun& run, const StepsOfRanks& of_ranks,
                 const TrainingCollective& collective, CausesOfCollective causes,
                 std::map<std::int64_t, TrainingStep>& steps) {
  const CollectiveKernel& last = collective.members[collective.straggler];
  const auto number = step_at(of_ranks[last.rank], last.time.begin_ns);
  if (!number) return;
  TrainingStep& step = steps[*number];
  for (const CollectiveKernel& member : collective.members) {
    auto* const waiting = of_rank(step, run.ranks[member.rank].rank);
    if (waiting != nullptr) waiting->waiting_ns += member.waiting_ns;
  }
  for (const CausedWaiting& cause : causes) {
    auto* const causing = of_rank(step, run.ranks[cause.rank].rank);
    if (causing != nullptr) causing->caused_ns += cause.time_ns;
  }
}

void summarise(TrainingStep& step) {
  std::int64_t with_gpu = 0;
  for (const TrainingStep::OfRank& of : step.ranks) {
    step.duration_ns = std::max(step.duration_ns, of.time.time.duration_ns());
    if (!of.time.has_gpu) continue;
    ++with_gpu;
    step.exposed_communication_ns += of.time.exposed_communication_ns;
    step.idle_ns += of.time.idle.total_ns();
  }
  step.has_gpu = with_gpu > 0;
  step.exposed_communication_ns /= std::max<std::int64_t>(with_gpu, 1);
  step.idle_ns /= std::max<std::int64_t>(with_gpu, 1);
  step.straggler_rank = straggler_of(step.ranks);
}

// What of each rank's waiting and of its matched kernels nothing computed beside: of a rank with
// several GPUs the mean of these.
void add_exposed(const TrainingRun& run, const std::vector<TrainingCollective>& collectives,
                 std::map<std::int64_t, TrainingStep>& steps) {
  using OfDevice = std::pair<std::uint32_t, std::int64_t>;
  std::map<OfDevice, std::vector<TimeSpan>> matched;
  std::map<OfDevice, std::vector<TimeSpan>> waiting;
  for (const TrainingCollective& collective : collectives) {
    for (const CollectiveKernel& member : collective.members) {
      const ProfiledRank& profile = run.ranks[member.rank];
      const OfDevice device{member.rank, profile.device_of(profile.gpu[member.activity])};
      const std::int64_t begin_ns = member.time.begin_ns;
      matched[device].push_back(member.time);
      waiting[device].push_back({begin_ns, begin_ns + member.waiting_ns});
    }
  }
  for (std::uint32_t i = 0; i < run.ranks.size(); ++i) {
    const std::vector<std::int64_t> devices = devices_of(run.ranks[i]);
    for (const std::int64_t device : devices) {
      const TimeSpans computation = united(times_of(run.ranks[i], GpuWork::computation, device));
      const TimeSpans exposed_waiting =
          without(united(std::move(waiting[{i, device}])), computation);
      const TimeSpans exposed_matched =
          without(united(std::move(matched[{i, device}])), computation);
      for (auto& [number, step] : steps) {
        TrainingStep::OfRank* const of = of_rank(step, run.ranks[i].rank);
        if (of == nullptr) continue;
        of->exposed_waiting_ns += total_ns(clipped(exposed_waiting, of->time.time));
        of->exposed_matched_ns += total_ns(clipped(exposed_matched, of->time.time));
      }
    }
    if (devices.size() < 2) continue;
    for (auto& [number, step] : steps) {
      TrainingStep::OfRank* const of = of_rank(step, run.ranks[i].rank);
      if (of == nullptr) continue;
      of->exposed_waiting_ns /= static_cast<std::int64_t>(devices.size());
      of->exposed_matched_ns /= static_cast<std::int64_t>(devices.size());
    }
  }
}

void add(const StepTime& time, StepTime& sum) {
  sum.has_gpu = time.has_gpu;
  sum.time.end_ns += time.time.duration_ns();
  sum.computation_ns += time.computation_ns;
  sum.exposed_communication_ns += time.exposed_communication_ns;
  sum.exposed_copy_ns += time.exposed_copy_ns;
  sum.overlap_ns += time.overlap_ns;
  sum.idle.launch_bound_ns += time.idle.launch_bound_ns;
  sum.idle.synchronization_ns += time.idle.synchronization_ns;
  sum.idle.data_loading_ns += time.idle.data_loading_ns;
  sum.idle.queued_ns += time.idle.queued_ns;
  sum.idle.unknown_ns += time.idle.unknown_ns;
}

// What the last rank did for longer than the first one before they came to the collective.
void add_excess(const TimeByPlace& last, const TimeByPlace& first, TimeByPlace& excess) {
  for (const auto& [place, time] : last) {
    const auto same = first.find(place);
    const std::int64_t more = time - (same == first.end() ? 0 : same->second);
    if (more > 0) excess[place] += more;
  }
}

std::int64_t begin_of(const std::vector<StepTime>& steps) {
  return steps.empty() ? 0 : steps.front().time.begin_ns;
}

std::vector<Straggler> stragglers_of(const TrainingRun& run, const StepsOfRanks& of_ranks,
                                     const std::vector<TrainingCollective>& collectives,
                                     const std::vector<CausedWaiting>& causes) {
  std::vector<RankWork> work(run.ranks.begin(), run.ranks.end());
  std::vector<Straggler> stragglers(run.ranks.size());
  std::vector<TimeByPlace> excess(run.ranks.size());
  std::int64_t all = 0;
  const auto before = [&](const CollectiveKernel& member) {
    return work[member.rank].before(member.activity, begin_of(of_ranks[member.rank]));
  };
  for (const TrainingCollective& collective : collectives) {
    if (collective.waiting_ns == 0) continue;
    const CollectiveKernel& last = collective.members[collective.straggler];
    ++stragglers[last.rank].collectives;
    add_excess(before(last), before(collective.members[collective.first]), excess[last.rank]);
  }
  for (const CausedWaiting& cause : causes) {
    stragglers[cause.rank].caused_ns += cause.time_ns;
    all += cause.time_ns;
  }
  for (std::size_t i = 0; i < stragglers.size(); ++i) {
    stragglers[i].rank = run.ranks[i].rank;
    if (all == 0 || excess[i].empty()) continue;
    const auto most = std::ranges::max_element(
        excess[i], {}, [](const auto& place_and_time) { return place_and_time.second; });
    stragglers[i].place = most->first;
    stragglers[i].excess_ns = most->second;
  }
  std::erase_if(stragglers, [](const Straggler& straggler) { return straggler.caused_ns == 0; });
  for (Straggler& straggler : stragglers) {
    straggler.share = static_cast<double>(straggler.caused_ns) / static_cast<double>(all);
  }
  std::ranges::stable_sort(stragglers, std::ranges::greater{}, &Straggler::caused_ns);
  return stragglers;
}

}  // namespace

std::optional<std::int32_t> straggler_of(const std::vector<TrainingStep::OfRank>& ranks) {
  if (ranks.size() < 2) return std::nullopt;
  const auto own_time_ns = [](const TrainingStep::OfRank& of) {
    return of.time.time.duration_ns() - of.time.exposed_communication_ns;
  };
  const auto worst = std::ranges::max_element(ranks, {}, &TrainingStep::OfRank::caused_ns);
  std::vector<std::int64_t> others;
  double step_time_ns = 0;
  double exposed_ns = 0;
  double matched_ns = 0;
  for (const TrainingStep::OfRank& of : ranks) {
    step_time_ns += static_cast<double>(of.time.time.duration_ns());
    exposed_ns += static_cast<double>(of.time.exposed_communication_ns);
    matched_ns += static_cast<double>(of.exposed_matched_ns);
    if (of.rank != worst->rank) others.push_back(own_time_ns(of));
  }
  if (worst->caused_ns == 0 || 2 * matched_ns < exposed_ns) return std::nullopt;
  const auto excess_ns = static_cast<double>(own_time_ns(*worst) - median(others));
  const double mean_ns = step_time_ns / static_cast<double>(ranks.size());
  if (excess_ns <= kMaterialShare * mean_ns) return std::nullopt;
  return worst->rank;
}

std::vector<TrainingStep::OfRank> rank_sums(const TrainingAnalysis& analysis) {
  std::vector<TrainingStep::OfRank> sums;
  for (const TrainingStep& step : analysis.steps) {
    for (const TrainingStep::OfRank& of : step.ranks) {
      auto at = std::ranges::lower_bound(sums, of.rank, {}, &TrainingStep::OfRank::rank);
      if (at == sums.end() || at->rank != of.rank) at = sums.insert(at, {of.rank, {}});
      add(of.time, at->time);
      at->waiting_ns += of.waiting_ns;
      at->caused_ns += of.caused_ns;
      at->exposed_waiting_ns += of.exposed_waiting_ns;
      at->exposed_matched_ns += of.exposed_matched_ns;
    }
  }
  return sums;
}

TrainingAnalysis analyse_training(const TrainingRun& run) {
  TrainingAnalysis analysis;
  StepsOfRanks of_ranks(run.ranks.size());
  std::vector<Findings> findings(run.ranks.size());
  parallel_for(run.ranks.size(),
               [&](std::size_t i) { of_ranks[i] = step_times(run.ranks[i], findings[i]); });
  for (const Findings& found : findings) analysis.findings.merge(found);
  analysis.collectives = match_collectives(run, analysis.findings);
  const std::vector<CausedWaiting> causes = waiting_causes(run, analysis.collectives);
  std::map<std::int64_t, TrainingStep> steps = steps_by_number(run, of_ranks);
  for (std::uint32_t i = 0; i < analysis.collectives.size(); ++i) {
    const auto of_this = std::ranges::equal_range(causes, i, {}, &CausedWaiting::collective);
    add_waiting(run, of_ranks, analysis.collectives[i], {of_this.begin(), of_this.end()}, steps);
    analysis.waiting_ns += analysis.collectives[i].waiting_ns;
  }
  add_exposed(run, analysis.collectives, steps);
  for (auto& [number, step] : steps) {
    summarise(step);
    analysis.steps.push_back(std::move(step));
  }
  analysis.stragglers = stragglers_of(run, of_ranks, analysis.collectives, causes);
  return analysis;
}

}  // namespace slackline
