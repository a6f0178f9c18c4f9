#include "app/requests/model_requests.h"

#include "analysis/summary/gains.h"
#include "app/load/loaded_graph.h"
#include "app/load/run_with_times.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "calls/call_paths.h"
#include "calls/causal_order.h"
#include "calls/run_span.h"
#include "report/report.h"

namespace slackline {
namespace {

auto gains_report(const GainsRequest& request, const LoadedGraph& loaded, const Gains& gains) {
  return with_context(describe(gains), "gains", loaded,
                      Object{"call_paths"_key = request.call_paths});
}
using GainsReports = CommandReports<ReturnedBy<gains_report>>;

Report gains_of(const RunWithTimes& run, const GainsRequest& request, const LoadedGraph& loaded) {
  const Trace& trace = *run.trace;
  const CausalOrder order(trace, *run.matching);
  const Activities activities(trace, *run.matching, order);
  const WaitStates waits = waits_in_interval(
      trace, wait_states(trace, *run.matching, order, run.waits), run_span(trace).common);
  Gains result = gains(activities, waits, ComputationCode(trace, &loaded.opened.samples),
                       CallPaths(trace), request.call_paths);
  result.measured = run.measured;
  Report report = GainsReports::untyped(gains_report(request, loaded, result));
  // Those of the graph, where there is one, are of the same calls.
  if (!loaded.has_graph) report.findings.merge(run.matching->findings());
  return report;
}

}  // namespace

void declare(OptionList& options, GainsRequest& request) {
  declare(options, request.input);
  options.add("--call-paths", request.call_paths, "Include the gains of every call path");
  declare_clocks(options, request.input.reading);
}

Report execute(const GainsRequest& request) {
  LoadedGraph loaded =
      load_graph(request.input, CallDetail::named, GraphTime::later, KeepMatching::yes);
  return gains_of(run_with_times(loaded, request.input), request, loaded);
}

Report execute(const GainsRequest& request, const LoadedGraph& loaded) {
  return gains_of(predicted_run(loaded), request, loaded);
}

CommandSchema gains_schema() {
  return GainsReports::schema();
}

}  // namespace slackline
