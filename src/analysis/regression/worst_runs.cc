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

Table runs_table(const WorstRuns& runs) {
  Table table{.id = "worst-runs",
              .title = "Runs that lose most rank time",
              .columns = {{"job", Unit::none, "its file where the number of the job is not known"},
                          {"program"},
                          {"ranks", Unit::count},
                          {"run time", Unit::ns, "median of repeats"},
                          {"lost", Unit::ns, "rank time that is not computation"},
                          {"of all lost", Unit::ratio},
                          {"parallel efficiency", Unit::ratio},
                          {"limited by", Unit::none, "and its share of the rank time"},
                          {"where"},
                          {"started"}},
              .rows = {}};
  for (const auto& [run, time] : runs.worst) {
    const JobSummary& s = run.summary;
    table.rows.push_back({s.identity.job.empty() ? run.name : s.identity.job, compared_command(s),
                          std::int64_t{s.ranks}, median_of(s.metrics[kRunTime]), time.lost_ns,
                          share_of(time.lost_ns, runs.all.lost_ns),
                          1 - share_of(time.lost_ns, time.total_ns), main_cause(s),
                          place_of_cause(s), s.started});
  }
  return table;
}

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

auto run_cost_object(const RunCost& cost) {
  return Object{"name"_key = cost.run.name, "rank_time_ns"_key = cost.time.total_ns,
                "lost_rank_time_ns"_key = cost.time.lost_ns,
                "summary"_key = to_json(cost.run.summary)};
}

auto worst_runs_object(const WorstRuns& runs) {
  return Object{"rank_time_ns"_key = runs.all.total_ns, "lost_rank_time_ns"_key = runs.all.lost_ns,
                "worst_runs"_key = list_of(runs.worst, run_cost_object)};
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

const JsonType& declared_type(const WorstRunsJsonTag*) {
  return json_type_by<worst_runs_object>();
}

Described<WorstRunsJson> describe(const WorstRuns& runs) {
  return {worst_runs_object(runs),
          {{.id = "worst-runs",
            .title = "Worst runs",
            .items = {Paragraph{overview(runs)}, runs_table(runs)}}}};
}

}  // namespace slackline
