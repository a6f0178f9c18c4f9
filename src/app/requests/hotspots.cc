#include "app/requests/run_requests.h"

#include "analysis/paths/hotspots.h"
#include "app/load/loaded_run.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "calls/run_span.h"
#include "report/report.h"

namespace slackline {
namespace {

auto hotspots_report(const HotspotsRequest& request, const LoadedRun& run,
                     Described<HotspotsJson> described) {
  return with_context(std::move(described), "hotspots", run,
                      Object{"by"_key = request.by, "interval"_key = request.interval});
}
using HotspotsReports = CommandReports<ReturnedBy<hotspots_report>>;

}  // namespace

void declare(OptionList& options, HotspotsRequest& request) {
  declare_trace(options, request.run.trace, request.run.reading);
  options.add("--by UNIT", request.by,
              "What one hot spot is: a function, line, call-path or module");
  options.add("--rows N", request.rows, "Rows of the table; JSON has all of them");
  declare_interval(options, request.interval);
  declare(options, request.run);
}

Report execute(const HotspotsRequest& request) {
  const CodeUnit unit = parse_code_unit(request.by, "--by");
  const LoadedRun run = load_run(request.run);
  const Trace& trace = run.trace();
  const RunCode code(trace, &run.opened.samples);
  if (!code.known()) {
    throw Error("cannot find the hot spots of '" + run.opened.path + "'",
                "the trace has neither call paths nor regions",
                "Record the program with 'slackline record', which samples its computation.");
  }
  const CriticalPath path =
      critical_path(trace, run.matching(), code.paths(), {.extent = PathExtent::segments});
  auto described =
      describe(hotspots(trace, code, path, unit,
                        resolve_interval(request.interval, trace).value_or(run_span(trace).common)),
               code.tree(), request.rows);
  described.findings.merge(path.findings);
  return HotspotsReports::untyped(hotspots_report(request, run, std::move(described)));
}

CommandSchema hotspots_schema() {
  return HotspotsReports::schema();
}

}  // namespace slackline
