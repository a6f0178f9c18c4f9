#include "app/requests/wait_states.h"

#include "analysis/model/model_choice.h"
#include "analysis/waits/wait_summary.h"
#include "app/load/loaded_run.h"
#include "report/report.h"

namespace slackline {

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
  const WaitSummary summary = summarize_waits(run.trace(), run.matching(), paths, wait);
  const Json eager = wait.eager_bytes ? Json(*wait.eager_bytes) : Json(nullptr);
  return with_context(describe(summary, run.trace(), paths), "wait-states", run,
                      {{"eager_threshold_bytes", eager}});
}

}  // namespace slackline
