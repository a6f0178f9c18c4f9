#include "app/requests/hotspots.h"

#include "analysis/paths/hotspots.h"
#include "app/load/loaded_run.h"
#include "base/error.h"
#include "report/report.h"

namespace slackline {

Report execute(const HotspotsRequest& request) {
  const CodeUnit unit = parse_code_unit(request.by, "--by");
  const LoadedRun run = load_run(request.run);
  const Trace& trace = run.trace();
  if (trace.call_tree().empty()) {
    throw Error("cannot find the hot spots of '" + run.opened.path + "'",
                "the trace has no call paths",
                "Record the program with 'slackline record'; '--sample' adds where it computes.");
  }
  const CallPaths paths = CallPaths::of_functions(trace);
  const CriticalPath path =
      critical_path(trace, run.matching(), paths, {.extent = PathExtent::segments});
  const ComputationCode code(trace, &run.opened.samples);
  Report report = describe(hotspots(trace, code, path, unit), trace, request.rows);
  report.findings.merge(path.findings);
  return with_context(std::move(report), "hotspots", run, {{"by", request.by}});
}

}  // namespace slackline
