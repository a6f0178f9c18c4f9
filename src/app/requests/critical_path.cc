#include "app/requests/critical_path.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/model/prediction.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/path_functions.h"
#include "analysis/paths/path_report.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_run.h"
#include "base/error.h"
#include "base/units.h"
#include "report/report.h"

namespace slackline {
namespace {

constexpr std::string_view kIntervals = "intervals";

PathAlgorithm parse_algorithm(const std::string& name) {
  const auto* const found =
      std::ranges::find(kPathAlgorithms, name, [](PathAlgorithm a) { return to_string(a); });
  if (found != kPathAlgorithms.end()) return *found;
  throw usage_error("unknown algorithm '" + name + "'", "no such name",
                    "Choose dag, dijkstra, delta-stepping, splits or intervals.");
}

std::int64_t parse_ns(const std::string& text, std::string_view what) {
  return text.empty() ? 0 : parse_time_fs(text, what) / kFemtosPerNano;
}

/// On the run's own times, measured or simulated.
Report timed_path(const CriticalPathRequest& request, const LoadedRun& run) {
  const Trace& trace = run.trace();
  const CallMatching& matching = run.matching();
  const ImbalanceMetrics imbalance = imbalance_metrics(trace, matching);
  Json effective{{"algorithm", request.algorithm}};
  if (request.algorithm == kIntervals) {
    const std::int64_t threshold = parse_ns(request.threshold, "--threshold");
    effective["threshold_ns"] = threshold;
    return with_context(describe(interval_path(trace, threshold), imbalance, trace, run.on),
                        "critical-path", run, std::move(effective));
  }
  const CallPaths paths = CallPaths::of_regions_or_functions(trace);
  const PathOptions options{.algorithm = parse_algorithm(request.algorithm),
                            .delta_ns = parse_ns(request.delta, "--delta")};
  effective["delta_ns"] = options.delta_ns;
  const PathDetail detail = request.segments ? PathDetail::segments : PathDetail::sums;
  const CriticalPath path = critical_path(trace, matching, paths, options);
  Report report = describe(path, imbalance, paths, run.on, detail);
  const ComputationCode code(trace, &run.opened.samples);
  describe_functions(path_functions(path, trace, code, {0, path.makespan_ns}, false), path, trace,
                     report);
  return with_context(std::move(report), "critical-path", run, std::move(effective));
}

Report predicted_path(const LoadedGraph& loaded) {
  const Trace& program = loaded.program_or_none();
  const Prediction prediction = predict(program, loaded.graph, loaded.model);
  return with_context(describe_critical_path(prediction, program), "critical-path", loaded);
}

}  // namespace

Report execute(const CriticalPathRequest& /*request*/, const LoadedGraph& loaded) {
  return predicted_path(loaded);
}

Report execute(const CriticalPathRequest& request) {
  if (request.on == "model" || request.on == "predicted") {
    return predicted_path(load_graph(request.input));
  }
  if (!request.on.empty()) {
    return timed_path(request, load_run({.trace = request.input.trace,
                                         .on = request.on,
                                         .clocks = request.input.clocks,
                                         .model = request.input.model,
                                         .platform = request.platform}));
  }
  LoadedGraph loaded =
      load_graph(request.input, CallDetail::named, GraphTime::later, KeepMatching::yes);
  if (!loaded.opened.trace.timed() || request.input.model.given() ||
      request.input.network.given()) {
    complete(loaded);
    return predicted_path(loaded);
  }
  matching_of(loaded.opened);
  LoadedRun run{std::move(loaded.opened), "measured"};
  run.options["on"] = run.on;
  return timed_path(request, run);
}

}  // namespace slackline
