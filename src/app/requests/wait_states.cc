#include "app/requests/wait_states.h"

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/model/model_choice.h"
#include "analysis/waits/wait_summary.h"
#include "app/load/loaded_run.h"
#include "app/load/stretched_run.h"
#include "app/options/analysed_interval.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/keyed_rows.h"
#include "parallel/process_group.h"
#include "report/report.h"

namespace slackline {
namespace {

/// Nothing for the whole run, with what ranks wait in MPI_Init and MPI_Finalize.
std::optional<TimeInterval> interval_of(const std::string& text, const RunSpan& run) {
  if (text == "run") return std::nullopt;
  return resolve_interval(text, run).value_or(run.common);
}

WaitOptions options_of(const WaitStatesRequest& request) {
  WaitOptions options;
  if (request.run.model.eager_threshold) {
    options.eager_bytes = resolve_model(request.run.model).graph.eager_threshold_bytes;
  }
  return options;
}

auto wait_states_report(Described<WaitSummaryJson> described, const LoadedRun& run,
                        const WaitStatesRequest& request,
                        const std::optional<std::uint64_t>& eager_bytes) {
  return with_context(
      std::move(described), "wait-states", run,
      Object{"eager_threshold_bytes"_key = eager_bytes, "interval"_key = request.interval});
}
using WaitStatesReports = CommandReports<ReturnedBy<wait_states_report>>;

struct SampledTimes {
  std::vector<SampledTime> rows{};

  auto tables() { return std::tie(rows); }
  void add_up() { add_up_tables(tables()); }
};

/// What all processes have found in their stretches; nothing in all where only the whole trace
/// tells.
std::optional<WaitSummary> waits_in_stretches(StretchedRun& run, const WaitOptions& options,
                                              const std::optional<TimeInterval>& interval,
                                              ProcessGroup& group) {
  TableSum<WaitPart> waits_sum;
  TableSum<SampledTimes> sampled_sum;
  const auto analyse = [&](const Stretch& stretch, const CallMatching& matching) {
    const CallPaths paths = run.trace.paths_of(stretch.trace);
    WaitPart part = wait_part(stretch.trace, matching, WaitNames(stretch.trace, paths), options,
                              interval, {stretch.part, stretch.first_calls, run.span.whole});
    const bool sound = part.clipped == 0 && part.released == 0;
    waits_sum.append(std::move(part));
    sampled_sum.append({sampled_times(stretch.trace, stretch.samples)});
    return sound;
  };
  if (!for_own_stretches(run, group, analyse)) return std::nullopt;
  WaitPart waits = waits_sum.take();
  add_up_in_all(group, waits);
  SampledTimes sampled = sampled_sum.take();
  add_up_in_all(group, sampled);
  const Trace& job = run.trace.job();
  CodeCauses causes(waits.by_code, job.call_tree(), job.ranks());
  TableSum<CauseTimes> times_sum;
  if (causes.needs_calls()) {
    const auto shares = std::make_shared<const SampledShares>(sampled.rows);
    visit_own_stretches(run, group, "looking for the lines of causes", [&](const Stretch& stretch) {
      const CallPaths functions = CallPaths::of_functions(stretch.trace);
      times_sum.append(causes.times_of(stretch.trace, CallActivities(stretch.trace, functions),
                                       ComputationCode(stretch.trace, stretch.samples, shares),
                                       stretch.part));
    });
  }
  CauseTimes times = times_sum.take();
  add_up_in_all(group, times);
  WaitSummary summary =
      summary_of(waits.sums, run.trace.extents(), interval.value_or(run.span.whole), Findings());
  summary.in_code = causes.take(times);
  return summary;
}

std::optional<Report> execute_in_stretches(const WaitStatesRequest& request, ProcessGroup& group) {
  const WaitOptions options = options_of(request);
  std::optional<StretchedRun> run = load_stretches(request.run, group);
  if (!run) return std::nullopt;
  const auto summary =
      waits_in_stretches(*run, options, interval_of(request.interval, run->span), group);
  if (!summary) return std::nullopt;
  if (!group.is_first()) return Report();
  const Trace& job = run->trace.job();
  return WaitStatesReports::untyped(wait_states_report(
      describe(*summary, job, run->trace.paths_of(job)), run->run, request, options.eager_bytes));
}

Report execute_whole(const WaitStatesRequest& request) {
  WaitOptions wait = options_of(request);
  const LoadedRun run = load_run(request.run);
  if (run.eager_bytes) wait.eager_bytes = run.eager_bytes;
  if (run.on == "measured") wait.sends = &run.opened.sends;
  wait.samples = &run.opened.samples;
  const CallPaths paths = CallPaths::of_regions_or_functions(run.trace());
  const WaitSummary summary = summarize_waits(run.trace(), run.matching(), paths, wait,
                                              interval_of(request.interval, run_span(run.trace())));
  return WaitStatesReports::untyped(
      wait_states_report(describe(summary, run.trace(), paths), run, request, wait.eager_bytes));
}

}  // namespace

void declare(OptionList& options, WaitStatesRequest& request) {
  declare_trace(options, request.run.trace, request.run.reading);
  declare(options, request.run);
  declare_interval(options, request.interval);
  describe_memory_of_stretches(options);
  options["--eager-threshold"].help =
      "Messages up to this size do not wait for their receiver. By default, a measured send still "
      "in progress when its receive begins is a late receiver";
}

Report execute(const WaitStatesRequest& request) {
  SingleProcess alone;
  return execute(request, alone);
}

Report execute(const WaitStatesRequest& request, ProcessGroup& group) {
  if (auto report = execute_in_stretches(request, group)) return std::move(*report);
  return group.is_first() ? execute_whole(request) : Report();
}

CommandSchema wait_states_schema() {
  return WaitStatesReports::schema();
}

}  // namespace slackline
