#include "app/requests/run_requests.h"

#include <optional>
#include <utility>

#include "analysis/model/model_choice.h"
#include "analysis/waits/wait_summary.h"
#include "app/load/loaded_run.h"
#include "app/load/run.h"
#include "app/load/run_analyses.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "parallel/process_group.h"
#include "report/report.h"

namespace slackline {
namespace {

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
  const WaitOptions options = options_of(request);
  Run run = Run::open(request.run, group);
  WaitAnalysis waits(options, request.interval);
  run.analyse({&waits});
  if (!group.is_first()) return Report();
  const LoadedRun& loaded = run.loaded();
  return WaitStatesReports::untyped(
      wait_states_report(describe(waits.take(), run.trace(), run.paths()), loaded, request,
                         loaded.eager_bytes ? loaded.eager_bytes : options.eager_bytes));
}

CommandSchema wait_states_schema() {
  return WaitStatesReports::schema();
}

}  // namespace slackline
