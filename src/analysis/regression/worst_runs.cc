#include "analysis/regression/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/statistics.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kRunTime = 0;  // indices into kRunMetrics
constexpr std::size_t kParallelEfficiency = 1;

double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// "imbalance 31.2 %".
std::string main_cause(const JobSummary& summary) {
  if (summary.causes.empty()) return {};
  const JobSummary::Cause& cause = summary.causes.front();
  return fmt::format("{} {}", spaced(cause.limit), format_percent(cause.share));
}

/// "solve, rank 3".
std::string place_of_cause(const JobSummary& summary) {
  if (summary.causes.empty()) return {};
  const JobSummary::Cause& cause = summary.causes.front();
  std::string place = cause.function;
  if (cause.ranks.empty()) return place;
  if (!place.empty()) place += ", ";
  return place + fmt::format("{} {}", cause.ranks.size() == 1 ? "rank" : "ranks",
                             fmt::join(cause.ranks, ", "));
}

std::string job_of(const RunCost& cost) {
  const std::string& job = cost.run.summary.identity.job;
  return job.empty() ? cost.run.name : job;
}

const Rows<RunCost, WorstRuns> kRunCosts{
    "worst-runs",
    "Runs that lose most rank time",
    {{"name", [](auto& c) { return c.run.name; }},
     {kShown, "job", Unit::none, job_of, "its file where the number of the job is not known"},
     {kShown, "program", Unit::none, [](auto& c) { return compared_command(c.run.summary); }},
     {kShown, "ranks", Unit::count, [](auto& c) { return c.run.summary.ranks; }},
     {kShown, "run time", Unit::ns,
      [](auto& c) { return median_of(c.run.summary.metrics[kRunTime]); }, "median of repeats"},
     {"rank_time_ns", [](auto& c) { return c.time.total_ns; }},
     {"lost_rank_time_ns", "lost", Unit::ns, [](auto& c) { return c.time.lost_ns; },
      "rank time that is not computation"},
     {kShown, "of all lost", Unit::ratio,
      [](auto& c, auto& runs) { return share_of(c.time.lost_ns, runs.all.lost_ns); }},
     {kShown, "parallel efficiency", Unit::ratio,
      [](auto& c) { return 1 - share_of(c.time.lost_ns, c.time.total_ns); }},
     {kShown, "limited by", Unit::none, [](auto& c) { return main_cause(c.run.summary); },
      "and its share of the rank time"},
     {kShown, "where", Unit::none, [](auto& c) { return place_of_cause(c.run.summary); }},
     {kShown, "started", Unit::none, [](auto& c) { return c.run.summary.started; }},
     {"summary", [](auto& c) -> auto& { return c.run.summary; }, kJobSummary}}};

std::string overview(const WorstRuns& runs) {
  double shown_ns = 0;
  for (const RunCost& cost : runs.worst) shown_ns += cost.time.lost_ns;
  return fmt::format(
      "{} took {} of rank time (ranks x run time); {} of it was not computation. {} for {} of "
      "that.",
      count_of(runs.considered, "run"), format_time_ns(runs.all.total_ns),
      format_percent(share_of(runs.all.lost_ns, runs.all.total_ns)),
      runs.worst.size() == 1 ? "The run below accounts"
                             : fmt::format("The {} runs below account", runs.worst.size()),
      format_percent(share_of(shown_ns, runs.all.lost_ns)));
}

}  // namespace

RankTimeLoss rank_time(const JobSummary& summary) {
  RankTimeLoss time;
  for (std::size_t run = 0; run < summary.runs(); ++run) {
    const double total_ns = summary.metrics[kRunTime][run] * summary.ranks;
    time.total_ns += total_ns;
    time.lost_ns += total_ns * (1 - summary.metrics[kParallelEfficiency][run]);
  }
  return time;
}

WorstRuns worst_runs(const std::vector<HistoryEntry>& entries, std::size_t most) {
  WorstRuns runs{.worst = {}, .considered = entries.size()};
  for (const HistoryEntry& entry : entries) {
    const RankTimeLoss time = rank_time(entry.summary);
    runs.all.total_ns += time.total_ns;
    runs.all.lost_ns += time.lost_ns;
    runs.worst.push_back({entry, time});
  }
  std::ranges::sort(runs.worst, {}, [](const RunCost& cost) {
    return std::tuple(-cost.time.lost_ns, cost.run.name);
  });
  runs.worst.resize(std::min(most, runs.worst.size()));
  return runs;
}

const Rows<WorstRuns> kWorstRuns{{"rank_time_ns", [](auto& runs) { return runs.all.total_ns; }},
                                 {"lost_rank_time_ns", [](auto& runs) { return runs.all.lost_ns; }},
                                 {"worst_runs", &WorstRuns::worst, kRunCosts}};

Described<WorstRunsJson> describe(const WorstRuns& runs) {
  return {WorstRunsJson(runs),
          {{.id = "worst-runs",
            .title = "Worst runs",
            .items = {Paragraph{overview(runs)}, kRunCosts.table(runs.worst, runs)}}}};
}

}  // namespace slackline
