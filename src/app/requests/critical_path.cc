#include "app/requests/run_requests.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/model/model_choice.h"
#include "analysis/model/prediction.h"
#include "analysis/model/training_path.h"
#include "analysis/paths/algorithm_comparison.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/path_functions.h"
#include "analysis/paths/path_report.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_run.h"
#include "app/load/path_analysis.h"
#include "app/load/run.h"
#include "app/load/run_analyses.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/units.h"
#include "parallel/process_group.h"
#include "report/report.h"

namespace slackline {
namespace {

constexpr std::string_view kIntervals = "intervals";
constexpr std::string_view kAll = "all";

PathAlgorithm parse_algorithm(const std::string& name) {
  const auto* const found =
      std::ranges::find(kPathAlgorithms, name, [](PathAlgorithm a) { return to_string(a); });
  if (found != kPathAlgorithms.end()) return *found;
  throw usage_error("unknown algorithm '" + name + "'", "no such name",
                    "Choose dag, dijkstra, delta-stepping, splits, intervals or all.");
}

std::int64_t parse_ns(const std::string& text, std::string_view what) {
  return text.empty() ? 0 : parse_time_fs(text, what) / kFemtosPerNano;
}

auto interval_report(const CriticalPathRequest& request, const LoadedRun& run) {
  const std::int64_t threshold = parse_ns(request.threshold, "--threshold");
  return with_context(describe(interval_path(run.trace(), threshold),
                               imbalance_metrics(run.trace(), run.matching()), run.trace(), run.on),
                      "critical-path", run,
                      Object{"algorithm"_key = request.algorithm, "threshold_ns"_key = threshold});
}

auto methods_report(const CriticalPathRequest& request, const LoadedRun& run,
                    const MethodComparison& comparison) {
  return with_context(describe(comparison), "critical-path", run,
                      Object{"algorithm"_key = request.algorithm,
                             "delta_ns"_key = parse_ns(request.delta, "--delta"),
                             "threshold_ns"_key = parse_ns(request.threshold, "--threshold")});
}

auto timed_report(const CriticalPathRequest& request, const LoadedRun& run, const CallPaths& paths,
                  const MeasuredPath& timed) {
  const PathDetail detail = request.segments ? PathDetail::segments : PathDetail::sums;
  auto described = describe(timed.path, timed.imbalance, paths, run.on, detail);
  const auto functions =
      describe_functions(timed.functions, timed.path, run.trace(), described.sections.front());
  return with_context(std::move(described).with("by_function"_key = functions), "critical-path",
                      run,
                      Object{"algorithm"_key = request.algorithm,
                             "delta_ns"_key = parse_ns(request.delta, "--delta")});
}

auto predicted_report(const LoadedGraph& loaded) {
  const Trace& program = loaded.program_or_none();
  const ModelledRun modelled(program, loaded.graph, loaded.model);
  const Prediction prediction =
      predict(program, ModelFunctions(loaded.graph, loaded.model), modelled);
  auto described = describe_critical_path(prediction, program);
  std::optional<TrainingPathJson> by_activity;
  if (loaded.training) {
    const auto& [run, moments] = *loaded.training;
    by_activity = describe_training_path(
        training_path({run, moments, loaded.graph, modelled.schedule, modelled.cost}),
        described.sections[1]);
  }
  return with_context(std::move(described).with("by_activity"_key.when(by_activity)),
                      "critical-path", loaded);
}

using CriticalPathReports = CommandReports<ReturnedBy<interval_report>, ReturnedBy<methods_report>,
                                           ReturnedBy<timed_report>, ReturnedBy<predicted_report>>;

/// On the run's own times, measured or simulated; nothing in processes other than the first.
Report timed_path(const CriticalPathRequest& request, Run run, ProcessGroup& group) {
  if (request.algorithm == kIntervals) {
    if (!group.is_first()) return Report();
    return CriticalPathReports::untyped(interval_report(request, run.loaded()));
  }
  const std::int64_t delta_ns = parse_ns(request.delta, "--delta");
  if (request.algorithm == kAll) {
    MethodAnalysis methods(delta_ns, parse_ns(request.threshold, "--threshold"));
    run.analyse({&methods});
    if (!group.is_first()) return Report();
    return CriticalPathReports::untyped(methods_report(request, run.loaded(), methods.take()));
  }
  PathAnalysis path({.algorithm = parse_algorithm(request.algorithm), .delta_ns = delta_ns});
  run.analyse({&path});
  if (!group.is_first()) return Report();
  return CriticalPathReports::untyped(
      timed_report(request, run.loaded(), run.paths(), path.take()));
}

Report predicted_path(const LoadedGraph& loaded) {
  return CriticalPathReports::untyped(predicted_report(loaded));
}

/// The path of the measured run, if the trace has one; else of the predicted one.
Report path_of_trace(const CriticalPathRequest& request) {
  LoadedGraph loaded =
      load_graph(request.input, CallDetail::named, GraphTime::later, KeepMatching::yes);
  if (!loaded.has_calls || !loaded.opened.trace.timed()) {
    complete(loaded);
    return predicted_path(loaded);
  }
  matching_of(loaded.opened);
  ProcessGroup& alone = this_process();
  return timed_path(request, Run({std::move(loaded.opened), "measured"}, alone), alone);
}

bool asks_for_model(const CriticalPathRequest& request) {
  if (request.on.empty()) return request.input.model.given() || request.input.network.given();
  return request.on == "model" || request.on == "predicted";
}

/// The algorithms that are shared among processes tell the same of stretches as of the whole.
StretchUse stretch_use(const CriticalPathRequest& request) {
  const bool shared =
      request.algorithm == kAll || request.algorithm == to_string(PathAlgorithm::dag);
  const bool plain = !request.input.model.given() && !request.input.network.given();
  return shared && plain ? StretchUse::for_speed : StretchUse::never;
}

}  // namespace

void declare(OptionList& options, CriticalPathRequest& request) {
  declare(options, request.input);
  options.add("--on RUN", request.on,
              "Run to analyse: measured, predicted (by the model) or simulated (on a platform); "
              "default: measured if the trace has timestamps and no model option is given, else "
              "predicted");
  options.add("--algorithm NAME", request.algorithm,
              "Algorithm for measured and simulated runs: dag, dijkstra, delta-stepping, splits, "
              "intervals, or all of them to compare");
  options.add("--delta TIME", request.delta, "Bucket width of delta-stepping (default: automatic)",
              {.example = "1us", .unit = QuantityUnit::time});
  options.add("--threshold TIME", request.threshold,
              "With intervals: minimum length of a computation",
              {.example = "1us", .unit = QuantityUnit::time});
  declare_clocks(options, request.input.reading);
  describe_memory_of_stretches(options);
  declare(options, request.platform);
}

Report execute(const CriticalPathRequest& /*request*/, const LoadedGraph& loaded) {
  return predicted_path(loaded);
}

Report execute(const CriticalPathRequest& request, ProcessGroup& group) {
  if (request.algorithm != kIntervals && request.algorithm != kAll) {
    parse_algorithm(request.algorithm);
  }
  parse_ns(request.delta, "--delta");
  parse_ns(request.threshold, "--threshold");
  CriticalPathRequest sized = request;
  if (request.algorithm != to_string(PathAlgorithm::dag) && request.algorithm != kIntervals) {
    sized.input.reading.bytes_per_call += bytes_per_call::kWrittenGraph;
  }
  group.set_unshared("only the algorithms dag and all, on a measured run, are shared");
  if (asks_for_model(sized)) {
    return group.is_first() ? predicted_path(load_graph(sized.input)) : Report();
  }
  const RunRequest run{.trace = sized.input.trace,
                       .on = sized.on,
                       .reading = sized.input.reading,
                       .model = sized.input.model,
                       .platform = sized.platform};
  if (!sized.on.empty()) {
    return timed_path(sized, Run::open(run, group, stretch_use(sized)), group);
  }
  if (auto in_stretches = Run::open_in_stretches(run, group, stretch_use(sized))) {
    return timed_path(sized, std::move(*in_stretches), group);
  }
  return group.is_first() ? path_of_trace(sized) : Report();
}

CommandSchema critical_path_schema() {
  return CriticalPathReports::schema();
}

}  // namespace slackline
