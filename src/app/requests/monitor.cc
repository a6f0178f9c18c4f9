#include "app/requests/run_requests.h"

#include "analysis/phases/monitor.h"
#include "app/load/loaded_run.h"
#include "app/load/monitor_analysis.h"
#include "app/load/run.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "parallel/process_group.h"
#include "report/report.h"

namespace slackline {
namespace {

auto monitor_report(const MonitorRequest& request, const MonitorOptions& options,
                    const LoadedRun& run, const Monitor& result) {
  return with_context(describe(result), "monitor", run,
                      Object{"rank"_key = result.rank, "windows"_key = request.windows,
                             "collective_causality"_key = request.causality,
                             "rendezvous_from_bytes"_key = options.ideal.rendezvous_bytes,
                             "interval"_key = request.interval});
}
using MonitorReports = CommandReports<ReturnedBy<monitor_report>>;

}  // namespace

void declare(OptionList& options, MonitorRequest& request) {
  declare_trace(options, request.run.trace, request.run.reading);
  options.add("--rank RANK", request.rank,
              "Rank for the per-call transfer efficiency (default: the rank with most calls)");
  options.add("--windows NUMBER", request.windows, "Number of time windows",
              {.range = OptionRange{8, 4096}});
  options.add("--collective-causality RULE", request.causality,
              "Dependences of collectives on the ideal network: dimemas or data");
  declare_rendezvous_from(options, request.rendezvous);
  declare_interval(options, request.interval);
  declare(options, request.run);
  describe_memory_of_stretches(options);
}

Report execute(const MonitorRequest& request, ProcessGroup& group) {
  MonitorOptions options;
  options.rank = request.rank;
  options.windows = request.windows;
  options.ideal = ideal_network(request.causality, request.rendezvous, request.run.model);
  Run run = Run::open(request.run, group);
  MonitorAnalysis phases(options, request.interval);
  run.analyse({&phases});
  if (!group.is_first()) return Report();
  return MonitorReports::untyped(monitor_report(request, options, run.loaded(), phases.take()));
}

CommandSchema monitor_schema() {
  return MonitorReports::schema();
}

}  // namespace slackline
