#include "app/requests/wait_states.h"

#include "analysis/model/model_choice.h"
#include "analysis/waits/wait_summary.h"
#include "app/load/loaded_run.h"
#include "app/options/analysed_interval.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "report/report.h"

namespace slackline {
namespace {

/// Nothing for the whole run, with what ranks wait in MPI_Init and MPI_Finalize.
std::optional<TimeInterval> interval_of(const std::string& text, const Trace& trace) {
  if (text == "run") return std::nullopt;
  return resolve_interval(text, trace).value_or(run_span(trace).common);
}

auto wait_states_report(Described<WaitSummaryJson> described, const LoadedRun& run,
                        const WaitStatesRequest& request,
                        const std::optional<std::uint64_t>& eager_bytes) {
  return with_context(
      std::move(described), "wait-states", run,
      Object{"eager_threshold_bytes"_key = eager_bytes, "interval"_key = request.interval});
}
using WaitStatesReports = CommandReports<ReturnedBy<wait_states_report>>;

}  // namespace

void declare(OptionList& options, WaitStatesRequest& request) {
  declare_trace(options, request.run.trace, request.run.reading);
  declare(options, request.run);
  declare_interval(options, request.interval);
  options["--eager-threshold"].help =
      "Messages up to this size do not wait for their receiver. By default, a measured send still "
      "in progress when its receive begins is a late receiver";
}

Report execute(const WaitStatesRequest& request) {
  WaitOptions wait;
  if (request.run.model.eager_threshold) {
    wait.eager_bytes = resolve_model(request.run.model).graph.eager_threshold_bytes;
  }
  const LoadedRun run = load_run(request.run);
  if (run.eager_bytes) wait.eager_bytes = run.eager_bytes;
  if (run.on == "measured") wait.sends = &run.opened.sends;
  wait.samples = &run.opened.samples;
  const CallPaths paths = CallPaths::of_regions_or_functions(run.trace());
  const WaitSummary summary = summarize_waits(run.trace(), run.matching(), paths, wait,
                                              interval_of(request.interval, run.trace()));
  return WaitStatesReports::untyped(
      wait_states_report(describe(summary, run.trace(), paths), run, request, wait.eager_bytes));
}

CommandSchema wait_states_schema() {
  return WaitStatesReports::schema();
}

}  // namespace slackline
