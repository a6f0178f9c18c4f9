#include "app/requests/run_requests.h"

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/model/model_choice.h"
#include "analysis/waits/wait_summary.h"
#include "app/load/loaded_run.h"
#include "app/load/stretched_analyses.h"
#include "app/load/stretched_run.h"
#include "app/options/option_values.h"
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

std::optional<Report> execute_in_stretches(const WaitStatesRequest& request, ProcessGroup& group) {
  const WaitOptions options = options_of(request);
  std::optional<StretchedRun> run = load_stretches(request.run, group);
  if (!run) return std::nullopt;
  StretchedWaits waits(*run, options, interval_of(request.interval, run->span));
  if (!analyse_in_stretches(*run, group, std::array<StretchAnalysis*, 1>{&waits})) {
    return std::nullopt;
  }
  if (!group.is_first()) return Report();
  const Trace& job = run->trace.job();
  return WaitStatesReports::untyped(
      wait_states_report(describe(waits.take(), job, run->trace.paths_of(job)), run->run, request,
                         options.eager_bytes));
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

Report execute(const WaitStatesRequest& request, ProcessGroup& group) {
  if (auto report = execute_in_stretches(request, group)) return std::move(*report);
  return group.is_first() ? execute_whole(request) : Report();
}

CommandSchema wait_states_schema() {
  return WaitStatesReports::schema();
}

}  // namespace slackline
