#include "app/requests/model_requests.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/model/sensitivity.h"
#include "analysis/model/tolerance_polygons.h"
#include "analysis/model/uncertainty.h"
#include "app/load/distinct_runs.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_reduction.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "parallel/process_group.h"
#include "report/report.h"

namespace slackline {
namespace {

/// Two parameters at once: a polygon instead of a number.
auto polygon_report(const ToleranceRequest& request, const std::vector<std::int64_t>& ppm) {
  if (request.region.size() != 2) {
    throw usage_error(fmt::format("cannot use {} parameters with --region", request.region.size()),
                      "two are required", "Example: --region L,G.");
  }
  const VariedParameter x = parse_varied_parameter(request.region[0]);
  const VariedParameter y = parse_varied_parameter(request.region[1]);
  const LoadedGraph loaded = load_graph(request.input, CallDetail::none);
  return with_context(describe(tolerance_polygons(loaded.graph, loaded.model, x, y, ppm)),
                      "tolerance", loaded,
                      Object{"region"_key = request.region, "degrade"_key = ratios_of(ppm)});
}

/// The tolerances of this run and of the other runs of the program.
ToleranceIntervals tolerances_of_all_runs(const ToleranceRequest& request,
                                          const VariedParameter& parameter,
                                          const std::vector<std::int64_t>& ppm,
                                          const LoadedGraph& loaded, const Tolerances& first,
                                          Findings& findings) {
  std::vector<Tolerances> runs{first};
  DistinctRuns distinct;
  distinct.add(loaded.opened, findings);
  for (const std::string& trace : request.also) {
    ModelRequest other = request.input;
    other.trace = trace;
    const LoadedGraph another = load_graph(other, CallDetail::none);
    if (!distinct.add(another.opened, findings)) continue;
    runs.push_back(tolerances(another.graph, another.model, parameter, ppm));
  }
  distinct.require_several();
  return intervals_of_runs(runs);
}

auto reduced_tolerance_report(const ToleranceRequest& request, const LoadedReduction& reduced,
                              const Tolerances& found, const std::vector<std::int64_t>& ppm) {
  return with_context(describe(found), "tolerance", reduced,
                      Object{"param"_key = request.parameter, "degrade"_key = ratios_of(ppm)});
}

auto tolerance_report(const ToleranceRequest& request, const LoadedGraph& loaded,
                      const VariedParameter& parameter, const std::vector<std::int64_t>& ppm) {
  const Tolerances found = tolerances(loaded.graph, loaded.model, parameter, ppm);
  auto report = describe(found);
  std::vector<ToleranceIntervalsJson> intervals;
  if (!request.also.empty()) {
    intervals.push_back(add_intervals(
        report.sections,
        tolerances_of_all_runs(request, parameter, ppm, loaded, found, report.findings)));
  }
  const bool bootstrap = request.bootstrap > 0;
  if (bootstrap) {
    intervals.push_back(add_intervals(
        report.sections, bootstrap_tolerances(loaded.program(), loaded.graph, loaded.model,
                                              parameter, ppm, request.bootstrap, request.seed)));
  }
  if (loaded.model.bounds) {
    intervals.push_back(
        add_intervals(report.sections, calibrated_tolerances(found, loaded.graph, loaded.model)));
  }
  return with_context(std::move(report).with("intervals"_key.when(!intervals.empty(), intervals)),
                      "tolerance", loaded,
                      Object{"param"_key = request.parameter, "degrade"_key = ratios_of(ppm),
                             "also"_key.when(!request.also.empty(), request.also),
                             "bootstrap"_key.when(bootstrap, request.bootstrap),
                             "seed"_key.when(bootstrap, request.seed)});
}
using ToleranceReports =
    CommandReports<ReturnedBy<polygon_report>, ReturnedBy<reduced_tolerance_report>,
                   ReturnedBy<tolerance_report>>;

}  // namespace

void declare(OptionList& options, ToleranceRequest& request) {
  declare(options, request.input);
  declare(options, request.loggops);
  declare(options, request.cache);
  options.add("--param NAME", request.parameter,
              "Parameter to increase: L, o or G (of some messages: L:inter-group, L[3][7])");
  declare_degradations(options, request.degradations);
  options.add("--region NAME,NAME", request.region,
              "Two parameters, e.g. L,G: polygon of the tolerable values",
              {.separator = ',', .excludes = "--param"});
  declare_uncertainty(options, request.also, request.bootstrap, request.seed);
  declare_clocks(options, request.input.reading, OptionCallers::python);
  describe_memory_of_stretches(options);
}

Report execute(const ToleranceRequest& request, ProcessGroup& group) {
  refuse_loggops(request.loggops);
  const std::vector<std::int64_t> ppm = parse_degradations(request.degradations);
  group.set_unshared("--region and intervals are not shared");
  if (!request.region.empty()) {
    if (!group.is_first()) return Report();
    return ToleranceReports::untyped(polygon_report(request, ppm));
  }
  const VariedParameter parameter = parse_varied_parameter(request.parameter);
  const bool resampled = request.bootstrap > 0;
  std::optional<LoadedReduction> reduced;
  if (request.also.empty() && !resampled) {
    reduced = load_reduction(request.input, request.cache, parameter, group);
  }
  if (!group.is_first()) return Report();
  if (reduced && !reduced->model.bounds) {
    MakespanFunction makespan = reduced->makespan(parameter.kind);
    return ToleranceReports::untyped(
        reduced_tolerance_report(request, *reduced, tolerances(makespan, parameter, ppm), ppm));
  }
  return execute(request,
                 load_graph(request.input, resampled ? CallDetail::named : CallDetail::none));
}

Report execute(const ToleranceRequest& request, const LoadedGraph& loaded) {
  const std::vector<std::int64_t> ppm = parse_degradations(request.degradations);
  const VariedParameter parameter = parse_varied_parameter(request.parameter);
  return ToleranceReports::untyped(tolerance_report(request, loaded, parameter, ppm));
}

CommandSchema tolerance_schema() {
  return ToleranceReports::schema();
}

}  // namespace slackline
