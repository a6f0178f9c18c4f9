#include "app/requests/model_requests.h"

#include "analysis/model/gains.h"
#include "app/load/loaded_graph.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "calls/call_paths.h"
#include "report/report.h"

namespace slackline {
namespace {

auto gains_report(const GainsRequest& request, const LoadedGraph& loaded, const Gains& gains) {
  return with_context(describe(gains), "gains", loaded,
                      Object{"call_paths"_key = request.call_paths});
}
using GainsReports = CommandReports<ReturnedBy<gains_report>>;

}  // namespace

void declare(OptionList& options, GainsRequest& request) {
  declare(options, request.input);
  options.add("--call-paths", request.call_paths, "Include the gains of every call path");
  declare_clocks(options, request.input.reading);
}

Report execute(const GainsRequest& request) {
  return execute(request, load_graph(request.input));
}

Report execute(const GainsRequest& request, const LoadedGraph& loaded) {
  const CallPaths paths(loaded.program());
  const Gains result = gains(loaded.program(), loaded.graph, paths, loaded.model,
                             {.call_paths = request.call_paths, .samples = &loaded.opened.samples});
  return GainsReports::untyped(gains_report(request, loaded, result));
}

CommandSchema gains_schema() {
  return GainsReports::schema();
}

}  // namespace slackline
