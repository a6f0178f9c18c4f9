#include "app/requests/gains.h"

#include "analysis/model/gains.h"
#include "app/load/loaded_graph.h"
#include "calls/call_paths.h"
#include "report/report.h"

namespace slackline {

Report execute(const GainsRequest& request) {
  return execute(request, load_graph(request.input));
}

Report execute(const GainsRequest& request, const LoadedGraph& loaded) {
  const CallPaths paths(loaded.program());
  const Gains result = gains(loaded.program(), loaded.graph, paths, loaded.model,
                             {.call_paths = request.call_paths, .samples = &loaded.opened.samples});
  return with_context(describe(result), "gains", loaded, {{"call_paths", request.call_paths}});
}

}  // namespace slackline
