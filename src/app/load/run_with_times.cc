#include "app/load/run_with_times.h"

#include "analysis/runs/scheduled_calls.h"
#include "formats/open/open.h"
#include "graph/build.h"
#include "timing/model_schedule.h"

namespace slackline {

RunWithTimes run_with_times(LoadedGraph& loaded, const ModelRequest& request) {
  if (!is_measured(loaded, request)) return predicted_run(loaded);
  matching_of(loaded.opened);
  return {.trace = std::shared_ptr<const Trace>(std::shared_ptr<void>(), &loaded.trace()),
          .matching = loaded.opened.matching,
          .waits = {.sends = &loaded.opened.sends}};
}

RunWithTimes predicted_run(const LoadedGraph& loaded) {
  // Also of a GOAL file: questions are about its calls.
  const ExecutionGraph graph = build_graph(loaded.program(), loaded.model.graph);
  const Schedule schedule = model_schedule(graph, picosecond_cost(graph, loaded.model));
  const auto run = std::make_shared<const Trace>(modelled_trace(loaded.program(), graph, schedule));
  return {.measured = false, .trace = run, .matching = std::make_shared<const CallMatching>(*run)};
}

}  // namespace slackline
