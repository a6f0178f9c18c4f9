#include "app/requests/tolerance.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/model/sensitivity.h"
#include "analysis/model/tolerance_polygons.h"
#include "analysis/model/uncertainty.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_reduction.h"
#include "app/options/degradations.h"
#include "base/error.h"
#include "report/report.h"

namespace slackline {
namespace {

/// Two parameters at once: a polygon instead of a number.
Report tolerance_polygon(const ToleranceRequest& request, const std::vector<std::int64_t>& ppm) {
  if (request.region.size() != 2) {
    throw usage_error(fmt::format("cannot use {} parameters with --region", request.region.size()),
                      "two are required", "Example: --region L,G.");
  }
  const VariedParameter x = parse_varied_parameter(request.region[0]);
  const VariedParameter y = parse_varied_parameter(request.region[1]);
  const LoadedGraph loaded = load_graph(request.input, CallDetail::none);
  return with_context(describe(tolerance_polygons(loaded.graph, loaded.model, x, y, ppm)),
                      "tolerance", loaded,
                      {{"region", request.region}, {"degrade", degradations_to_json(ppm)}});
}

/// The tolerances of this run and of the other runs of the program.
ToleranceIntervals tolerances_of_all_runs(const ToleranceRequest& request,
                                          const VariedParameter& parameter,
                                          const std::vector<std::int64_t>& ppm,
                                          const Tolerances& first) {
  std::vector<Tolerances> runs{first};
  for (const std::string& trace : request.also) {
    ModelRequest other = request.input;
    other.trace = trace;
    const LoadedGraph loaded = load_graph(other, CallDetail::none);
    runs.push_back(tolerances(loaded.graph, loaded.model, parameter, ppm));
  }
  return intervals_of_runs(runs);
}

Json own_options(const ToleranceRequest& request, const std::vector<std::int64_t>& ppm) {
  return {{"param", request.parameter}, {"degrade", degradations_to_json(ppm)}};
}

}  // namespace

Report execute(const ToleranceRequest& request) {
  refuse_loggops(request.loggops);
  const std::vector<std::int64_t> ppm = parse_degradations(request.degradations);
  if (!request.region.empty()) return tolerance_polygon(request, ppm);
  const VariedParameter parameter = parse_varied_parameter(request.parameter);
  const bool resampled = request.bootstrap > 0;
  if (request.also.empty() && !resampled) {
    if (const auto reduced = load_reduction(request.input, request.cache, parameter)) {
      MakespanFunction makespan = reduced->makespan(parameter.kind);
      return with_context(describe(tolerances(makespan, parameter, ppm)), "tolerance", *reduced,
                          own_options(request, ppm));
    }
  }
  return execute(request,
                 load_graph(request.input, resampled ? CallDetail::named : CallDetail::none));
}

Report execute(const ToleranceRequest& request, const LoadedGraph& loaded) {
  const std::vector<std::int64_t> ppm = parse_degradations(request.degradations);
  const VariedParameter parameter = parse_varied_parameter(request.parameter);
  const Tolerances found = tolerances(loaded.graph, loaded.model, parameter, ppm);
  Report report = describe(found);
  Json own = own_options(request, ppm);
  if (!request.also.empty()) {
    add_intervals(report, tolerances_of_all_runs(request, parameter, ppm, found));
    own["also"] = request.also;
  }
  if (request.bootstrap > 0) {
    add_intervals(report, bootstrap_tolerances(loaded.program(), loaded.graph, loaded.model,
                                               parameter, ppm, request.bootstrap, request.seed));
    own["bootstrap"] = request.bootstrap;
    own["seed"] = request.seed;
  }
  return with_context(std::move(report), "tolerance", loaded, std::move(own));
}

}  // namespace slackline
