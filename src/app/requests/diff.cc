#include "app/requests/run_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cube/difference.h"
#include "analysis/efficiency/efficiency.h"
#include "analysis/waits/wait_states.h"
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

std::array<double, kRunMetrics.size()> metrics_of(const LoadedRun& run, const IdealOptions& ideal) {
  if (run.trace().call_count() == 0) return {};
  const Efficiency e = efficiency(run.trace(), run.matching(), ideal);
  const EfficiencyFactors f = factors(e.analysed, EfficiencyVariant::multiplicative);
  return {e.analysed.observed_ns, f.parallel,      f.load_balance,
          f.communication,        f.serialisation, f.transfer};
}

RunSeverities compared_run(const LoadedRun& run, const IdealOptions& ideal) {
  WaitOptions options{.eager_bytes = run.eager_bytes};
  if (run.on == "measured") options.sends = &run.opened.sends;
  const CallPaths paths = CallPaths::of_regions_or_functions(run.trace());
  const WaitStates waits = wait_states(run.trace(), run.matching(), options);
  return {severity_cube(run.trace(), paths, waits), metrics_of(run, ideal)};
}

/// One side of the comparison.
class ComparedSide {
 public:
  ComparedSide(const std::string& trace, const std::vector<std::string>& more, RunRequest request)
      : request_(std::move(request)), ideal_(ideal_network("dimemas", kRendezvousFrom, {})) {
    add(trace);
    for (const std::string& other : more) add(other);
    group_.name = fmt::format("{} ({})", first().opened.path, first().on);
    if (group_.runs.size() > 1) group_.name += fmt::format(" and {} more", group_.runs.size() - 1);
  }
  const RunGroup& group() const { return group_; }
  /// Those of the side; the first run has its own.
  Findings findings() const {
    Findings all = findings_;
    all.merge(distinct_.findings());
    return all;
  }
  /// What disturbed its measured runs.
  const ComparedRuns& disturbances() const { return disturbances_; }
  /// The run that stands for the group in the report.
  const LoadedRun& first() const { return *first_; }
  /// Counts the runs that are in both.
  void find_common(const ComparedSide& other, Findings& findings) const {
    distinct_.find_common(other.distinct_, findings);
  }

 private:
  void add(const std::string& trace) {
    request_.trace = trace;
    LoadedRun run = load_run(request_);
    if (!distinct_.add(run.opened, run.on)) return;
    group_.runs.push_back(compared_run(run, ideal_));
    if (run.on == "measured") disturbances_.add(disturbance_of(run.trace()));
    if (!first_) {
      first_ = std::move(run);
      return;
    }
    findings_.merge(run.findings);
    findings_.merge(run.trace().findings());
  }

  RunRequest request_;
  IdealOptions ideal_;
  RunGroup group_{};
  Findings findings_{};
  ComparedRuns disturbances_{};
  std::optional<LoadedRun> first_{};
  DistinctRuns distinct_{};
};

auto diff_report(Described<DifferenceJson> described, const LoadedRun& first, std::size_t count) {
  return with_context(std::move(described), "diff", first, Object{"count"_key = count});
}

std::vector<std::string> with_more(const std::string& first, const std::vector<std::string>& more) {
  std::vector<std::string> all{first};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

RunRequest run_on(RunRequest run, const std::string& on) {
  if (!on.empty()) run.on = on;
  return run;
}

/// A side of which only summaries are known, or which is compared with such a one.
struct SummarySide {
  SummarySide(const std::vector<std::string>& paths, const RunRequest& run) : list(run) {
    for (const std::string& path : paths) list.add(path);
    all = merged(list.summaries());
    name = paths.front();
    if (all.runs() > 1) name += fmt::format(" ({})", count_of(all.runs(), "run"));
  }
  /// A summary names its largest functions and waits only: nothing is known of the others.
  void leave_out_what_is_not_in(const JobSummary& other) {
    std::erase_if(all.functions, [&](const JobSummary::Function& f) {
      return find_named(other.functions, &JobSummary::Function::name, f.name) == nullptr;
    });
    std::erase_if(all.waits, [&](const JobSummary::Wait& w) {
      return find_named(other.waits, &JobSummary::Wait::pattern, w.pattern) == nullptr;
    });
  }

  SummaryList list;
  JobSummary all;
  std::string name;
};

auto summary_diff_report(Described<DifferenceJson> described, const DiffRequest& request) {
  const std::string third = request.c.empty() ? "" : fmt::format(", {}", request.c);
  return typed_report("diff", fmt::format("diff: {}, {}{}", request.a, request.b, third),
                      Object{"count"_key = request.count},
                      Object{"a"_key = with_more(request.a, request.more_a),
                             "b"_key = with_more(request.b, request.more_b),
                             "c"_key = known_if(!request.c.empty(), request.c)},
                      std::move(described));
}
using DiffReports = CommandReports<ReturnedBy<diff_report>, ReturnedBy<summary_diff_report>>;

bool has_summary(const std::vector<std::string>& paths) {
  return std::ranges::any_of(paths, names_summary);
}

/// A summary contains one run, chosen when it was written.
void refuse_run_of_summary(std::string_view option, const std::string& on,
                           const std::vector<std::string>& paths) {
  if (on.empty() || !has_summary(paths)) return;
  throw usage_error(fmt::format("cannot use {}", option),
                    "a summary contains one run, chosen when it was written",
                    fmt::format("Give the trace in its place, or leave out {}.", option));
}

/// Runs of which a summary is all that is left: traces are reduced to theirs.
Report summary_diff(const DiffRequest& request) {
  SummarySide a(with_more(request.a, request.more_a), request.run);
  SummarySide b(with_more(request.b, request.more_b), run_on(request.run, request.on_b));
  std::optional<SummarySide> c;
  if (!request.c.empty()) {
    c.emplace(std::vector{request.c}, run_on(request.run, request.on_c));
  }
  Findings common;
  for (const std::string& run : a.list.common_with(b.list)) common.add(kRunOnBothSides, run);
  std::vector<SummarySide*> sides{&a, &b};
  if (c) sides.push_back(&*c);
  for (SummarySide* side : sides) {
    for (const SummarySide* other : sides) side->leave_out_what_is_not_in(other->all);
  }
  const Groups groups = common.empty() ? Groups::independent : Groups::overlapping;
  std::optional<RunGroup> third;
  if (c) third = group_of(c->all, c->name);
  auto described = describe(difference(group_of(a.all, a.name), group_of(b.all, b.name), groups,
                                       third ? &*third : nullptr),
                            request.count);
  described.findings = common;
  Report report = DiffReports::untyped(summary_diff_report(std::move(described), request));
  report.findings.merge(a.list.findings());
  report.findings.merge(b.list.findings());
  if (c) report.findings.merge(c->list.findings());
  return report;
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
  const std::vector<std::string> b_paths = with_more(request.b, request.more_b);
  refuse_run_of_summary("--on", request.run.on, with_more(request.a, request.more_a));
  refuse_run_of_summary("--on-b", request.on_b, b_paths);
  refuse_run_of_summary("--on-c", request.on_c, {request.c});
  if (request.on_b.empty()) refuse_run_of_summary("--on", request.run.on, b_paths);
  if (request.on_c.empty()) refuse_run_of_summary("--on", request.run.on, {request.c});
  if (has_summary(with_more(request.a, request.more_a)) ||
      has_summary(with_more(request.b, request.more_b)) || has_summary({request.c})) {
    return summary_diff(request);
  }
  const ComparedSide a(request.a, request.more_a, request.run);
  const ComparedSide b(request.b, request.more_b, run_on(request.run, request.on_b));
  std::optional<ComparedSide> c;
  if (!request.c.empty()) {
    c.emplace(request.c, std::vector<std::string>{}, run_on(request.run, request.on_c));
  }
  Findings common;
  a.find_common(b, common);
  const Groups groups = common.empty() ? Groups::independent : Groups::overlapping;
  auto described =
      describe(difference(a.group(), b.group(), groups, c ? &c->group() : nullptr), request.count);
  described.findings = common;
  ComparedRuns runs = a.disturbances();
  runs.add(b.disturbances());
  if (c) runs.add(c->disturbances());
  const std::string caution =
      disturbance_sentence(runs, "differences are not attributable to the program");
  if (!caution.empty()) {
    std::vector<Item>& items = described.sections.front().items;
    items.insert(items.begin(), Paragraph{caution});
  }
  Report report = DiffReports::untyped(diff_report(std::move(described), a.first(), request.count));
  report.title = fmt::format("diff: {}, {}", subject(a.first().opened), subject(b.first().opened));
  report.findings.merge(a.findings());
  const auto add_side = [&](const ComparedSide& side) {
    report.findings.merge(side.first().findings);
    report.findings.merge(side.first().trace().findings());
    report.findings.merge(side.findings());
  };
  add_side(b);
  if (!c) return report;
  report.title += fmt::format(", {}", subject(c->first().opened));
  add_side(*c);
  return report;
}

CommandSchema diff_schema() {
  return DiffReports::schema();
}

}  // namespace slackline
