#include "app/requests/run_requests.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/model/model_choice.h"
#include "analysis/model/prediction.h"
#include "analysis/model/training_path.h"
#include "analysis/paths/algorithm_comparison.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/path_functions.h"
#include "analysis/paths/path_report.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_run.h"
#include "app/load/stretched_analyses.h"
#include "app/load/stretched_path.h"
#include "app/load/stretched_run.h"
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

/// One process compares the algorithms on the whole run.
MethodComparison compare_on(const CriticalPathRequest& request, const LoadedRun& run) {
  const CausalOrder order(run.trace(), run.matching());
  const Activities activities(run.trace(), run.matching(), order);
  return {compare_methods(activities, parse_ns(request.delta, "--delta"),
                          parse_ns(request.threshold, "--threshold")),
          activities.makespan_ns()};
}

/// On the run's own times, measured or simulated.
Report timed_path(const CriticalPathRequest& request, const LoadedRun& run) {
  if (request.algorithm == kIntervals) {
    return CriticalPathReports::untyped(interval_report(request, run));
  }
  if (request.algorithm == kAll) {
    return CriticalPathReports::untyped(methods_report(request, run, compare_on(request, run)));
  }
  const Trace& trace = run.trace();
  const CallPaths paths = CallPaths::of_regions_or_functions(trace);
  const PathOptions options{.algorithm = parse_algorithm(request.algorithm),
                            .delta_ns = parse_ns(request.delta, "--delta")};
  const CriticalPath path = critical_path(trace, run.matching(), paths, options);
  const ComputationCode code(trace, &run.opened.samples);
  return CriticalPathReports::untyped(
      timed_report(request, run, paths,
                   {path, imbalance_metrics(trace, run.matching()),
                    path_functions(path, trace, code, {0, path.makespan_ns}, false)}));
}

Report predicted_path(const LoadedGraph& loaded) {
  return CriticalPathReports::untyped(predicted_report(loaded));
}

Report execute_whole(const CriticalPathRequest& request) {
  if (request.on == "model" || request.on == "predicted") {
    return predicted_path(load_graph(request.input));
  }
  if (!request.on.empty()) {
    return timed_path(request, load_run({.trace = request.input.trace,
                                         .on = request.on,
                                         .reading = request.input.reading,
                                         .model = request.input.model,
                                         .platform = request.platform}));
  }
  LoadedGraph loaded =
      load_graph(request.input, CallDetail::named, GraphTime::later, KeepMatching::yes);
  if (!loaded.has_calls || !loaded.opened.trace.timed() || request.input.model.given() ||
      request.input.network.given()) {
    complete(loaded);
    return predicted_path(loaded);
  }
  matching_of(loaded.opened);
  LoadedRun run{std::move(loaded.opened), "measured"};
  return timed_path(request, run);
}

std::optional<Report> execute_in_stretches(const CriticalPathRequest& request,
                                           ProcessGroup& group) {
  group.set_unshared("only the algorithms dag and all, on a measured run, are shared");
  const bool all = request.algorithm == kAll;
  if ((!all && request.algorithm != to_string(PathAlgorithm::dag)) || request.input.model.given() ||
      request.input.network.given() || request.on == "model") {
    return std::nullopt;
  }
  std::optional<StretchedRun> run = load_stretches(
      {.trace = request.input.trace, .on = request.on, .reading = request.input.reading}, group);
  if (!run) return std::nullopt;
  if (all) {
    StretchedMethods methods(*run, parse_ns(request.delta, "--delta"),
                             parse_ns(request.threshold, "--threshold"));
    if (!analyse_in_stretches(*run, group, std::array<StretchAnalysis*, 1>{&methods})) {
      return std::nullopt;
    }
    return CriticalPathReports::untyped(methods_report(request, run->run, methods.take()));
  }
  StretchedPath path(*run);
  if (!analyse_in_stretches(*run, group, std::array<StretchAnalysis*, 1>{&path})) {
    return std::nullopt;
  }
  if (!group.is_first()) return Report();
  const Trace& job = run->trace.job();
  return CriticalPathReports::untyped(
      timed_report(request, run->run, run->trace.paths_of(job), path.take()));
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
  if (auto report = execute_in_stretches(sized, group)) return std::move(*report);
  return group.is_first() ? execute_whole(sized) : Report();
}

CommandSchema critical_path_schema() {
  return CriticalPathReports::schema();
}

}  // namespace slackline
