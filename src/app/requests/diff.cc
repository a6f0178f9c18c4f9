#include "app/requests/run_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cube/difference.h"
#include "analysis/efficiency/efficiency.h"
#include "app/load/distinct_runs.h"
#include "app/load/input.h"
#include "app/load/loaded_run.h"
#include "app/load/summaries.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/units.h"
#include "calls/disturbance.h"
#include "report/report.h"

namespace slackline {
namespace {

/// What was given for one side of the comparison.
struct GivenSide {
  std::vector<std::string> paths;
  RunRequest run;           ///< of each of them
  std::string_view option;  ///< that chooses the run: --on, or the side's own

  bool has_summary() const { return std::ranges::any_of(paths, names_summary); }
  /// A summary contains one run, chosen when it was written.
  void refuse_run_of_summary() const {
    if (run.on.empty() || !has_summary()) return;
    throw usage_error(fmt::format("cannot use {}", option),
                      "a summary contains one run, chosen when it was written",
                      fmt::format("Give the trace in its place, or leave out {}.", option));
  }
};

/// A, B and, where it is given, C.
std::vector<GivenSide> given_sides(const DiffRequest& request) {
  std::vector<GivenSide> sides;
  const auto add = [&](std::vector<std::string> paths, std::string_view option,
                       const std::string& on) {
    sides.push_back({std::move(paths), request.run, on.empty() ? "--on" : option});
    if (!on.empty()) sides.back().run.on = on;
  };
  add(with_more(request.a, request.more_a), {}, {});
  add(with_more(request.b, request.more_b), "--on-b", request.on_b);
  if (!request.c.empty()) add({request.c}, "--on-c", request.on_c);
  return sides;
}

/// The runs on one side of the comparison, known by their traces or by their summaries.
struct ComparedSide {
  RunGroup group{};
  DistinctRuns distinct{};
  ComparedRuns disturbances{};  ///< what disturbed the measured ones
  /// The run that stands for the side in the report; none where only summaries are compared.
  std::optional<LoadedRun> first{};
  Findings findings{};  ///< of the other runs
};

RunSeverities compared_run(const LoadedRun& run) {
  RunSeverities compared{severities_of(run)};
  if (run.trace().call_count() == 0) return compared;
  const IdealOptions ideal = ideal_network("dimemas", kRendezvousFrom, {});
  compared.metrics = run_metrics(efficiency(run.trace(), run.matching(), ideal).analysed);
  return compared;
}

void add_findings(const LoadedRun& run, Findings& findings) {
  findings.merge(run.findings);
  findings.merge(run.trace().findings());
}

ComparedSide side_of_traces(const GivenSide& given) {
  ComparedSide side;
  Findings same;
  RunRequest request = given.run;
  for (const std::string& path : given.paths) {
    request.trace = path;
    LoadedRun run = load_run(request);
    if (!side.distinct.add(run.opened, same, run.on)) continue;
    side.group.runs.push_back(compared_run(run));
    if (run.on == "measured") side.disturbances.add(disturbance_of(run.trace()));
    if (side.first) {
      add_findings(run, side.findings);
    } else {
      side.first = std::move(run);
    }
  }
  side.findings.merge(same);
  side.group.name = fmt::format("{} ({})", side.first->opened.path, side.first->on);
  const std::size_t more = side.group.runs.size() - 1;
  if (more > 0) side.group.name += fmt::format(" and {} more", more);
  return side;
}

/// A summary names its largest functions and waits only: nothing is known of the others.
void keep_common_entries(const JobSummary& other, JobSummary& summary) {
  std::erase_if(summary.functions, [&](const JobSummary::Function& f) {
    return find_named(other.functions, &JobSummary::Function::name, f.name) == nullptr;
  });
  std::erase_if(summary.waits, [&](const JobSummary::Wait& w) {
    return find_named(other.waits, &JobSummary::Wait::pattern, w.pattern) == nullptr;
  });
}

/// Runs of which a summary is all that is left: traces are reduced to theirs.
std::vector<ComparedSide> sides_of_summaries(const std::vector<GivenSide>& given) {
  std::vector<ComparedSide> sides;
  std::vector<JobSummary> summaries;
  for (const GivenSide& side : given) {
    const SummaryList list(side.run, side.paths);
    summaries.push_back(merged(list.summaries()));
    sides.push_back({.distinct = list.distinct(), .findings = list.findings()});
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (const JobSummary& other : summaries) keep_common_entries(other, summaries[i]);
    std::string name = given[i].paths.front();
    const std::size_t runs = summaries[i].runs();
    if (runs > 1) name += fmt::format(" ({})", count_of(runs, "run"));
    sides[i].group = group_of(summaries[i], std::move(name));
  }
  return sides;
}

auto trace_diff_report(Described<DifferenceJson> described, const LoadedRun& first,
                       std::size_t count) {
  return with_context(std::move(described), "diff", first, Object{"count"_key = count});
}

auto summary_diff_report(Described<DifferenceJson> described, const DiffRequest& request,
                         const std::vector<GivenSide>& given) {
  return typed_report("diff", {}, Object{"count"_key = request.count},
                      Object{"a"_key = given[0].paths, "b"_key = given[1].paths,
                             "c"_key = known_if(!request.c.empty(), request.c)},
                      std::move(described));
}
using DiffReports = CommandReports<ReturnedBy<trace_diff_report>, ReturnedBy<summary_diff_report>>;

/// The difference of A and B, with C beside them where there is one.
Described<DifferenceJson> described_difference(const std::vector<ComparedSide>& sides,
                                               std::size_t count) {
  Findings common;
  for (const std::string& run : sides[0].distinct.common_with(sides[1].distinct)) {
    common.add(kRunOnBothSides, run);
  }
  auto described = describe(difference(sides[0].group, sides[1].group,
                                       common.empty() ? Groups::independent : Groups::overlapping,
                                       sides.size() > 2 ? &sides[2].group : nullptr),
                            count);
  described.findings = std::move(common);
  ComparedRuns runs;
  for (const ComparedSide& side : sides) runs.add(side.disturbances);
  const std::string caution =
      disturbance_sentence(runs, "differences are not attributable to the program");
  if (!caution.empty()) {
    std::vector<Item>& items = described.sections.front().items;
    items.insert(items.begin(), Paragraph{caution});
  }
  return described;
}

}  // namespace

void declare(OptionList& options, DiffRequest& request) {
  options.add("a A", request.a, "Trace of run A, or its summary");
  options.add("b B", request.b, "Trace of run B, or its summary");
  options.add("c C", request.c,
              "Trace of a run to show beside them, such as a replay, or its summary");
  options.add("--more-a TRACE", request.more_a,
              "Further run of the program of A; may be repeated. With several runs on both sides, "
              "differences are tested for significance");
  options.add("--more-b TRACE", request.more_b, "Further run of the program of B; may be repeated");
  options.add("--on-b RUN", request.on_b, "Run to analyse in B (default: as --on)");
  options.add("--on-c RUN", request.on_c, "Run to analyse in C (default: as --on)");
  options.add("--count N", request.count, "Largest number of differences in JSON",
              {.positive = true});
  declare(options, request.run);
  declare_memory(options, request.run.reading);
}

Report execute(const DiffRequest& request) {
  if (request.a.empty() || request.b.empty()) {
    throw usage_error("nothing to compare", "two traces are required",
                      "Example: slackline diff before.slk after.slk.");
  }
  if (request.c.empty() && !request.on_c.empty()) {
    throw usage_error("cannot use --on-c", "there is no third trace",
                      "Example: slackline diff app.slk edited.slk replayed.slk --on-c predicted.");
  }
  const std::vector<GivenSide> given = given_sides(request);
  for (const GivenSide& side : given) side.refuse_run_of_summary();
  const bool by_summaries = std::ranges::any_of(given, &GivenSide::has_summary);
  const std::vector<ComparedSide> sides =
      by_summaries ? sides_of_summaries(given) : list_of(given, side_of_traces);
  auto described = described_difference(sides, request.count);
  Report report =
      by_summaries ? DiffReports::untyped(summary_diff_report(std::move(described), request, given))
                   : DiffReports::untyped(
                         trace_diff_report(std::move(described), *sides[0].first, request.count));
  std::vector<std::string> subjects;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::optional<LoadedRun>& first = sides[i].first;
    subjects.push_back(first ? subject(first->opened) : given[i].paths.front());
    if (first && i > 0) add_findings(*first, report.findings);  // of A it has them
    report.findings.merge(sides[i].findings);
  }
  report.title = fmt::format("diff: {}", fmt::join(subjects, ", "));
  return report;
}

CommandSchema diff_schema() {
  return DiffReports::schema();
}

}  // namespace slackline
