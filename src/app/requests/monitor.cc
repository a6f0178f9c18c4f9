#include "app/requests/monitor.h"

#include "analysis/phases/monitor.h"
#include "app/load/loaded_run.h"
#include "app/options/analysed_interval.h"
#include "report/report.h"

namespace slackline {

Report execute(const MonitorRequest& request) {
  MonitorOptions options;
  options.rank = request.rank;
  options.windows = request.windows;
  options.ideal = ideal_network(request.causality, request.rendezvous, request.run.model);
  const LoadedRun run = load_run(request.run);
  options.analysed = resolve_interval(request.interval, run.trace());
  const Monitor result = monitor(run.trace(), run.matching(), CallPaths(run.trace()), options);
  return with_context(describe(result), "monitor", run,
                      {{"rank", result.rank},
                       {"windows", request.windows},
                       {"collective_causality", request.causality},
                       {"rendezvous_from_bytes", options.ideal.rendezvous_bytes},
                       {"interval", request.interval}});
}

}  // namespace slackline
