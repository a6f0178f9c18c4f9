#include "app/requests/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/model/sensitivity.h"
#include "analysis/runs/measured.h"
#include "analysis/runs/scheduled_calls.h"
#include "app/load/loaded_graph.h"
#include "app/options/option_values.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/units.h"
#include "calibration/calibration_report.h"
#include "calls/disturbance.h"
#include "calls/summary.h"
#include "formats/open/open.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

constexpr const char* kComputation = "computation";
constexpr std::size_t kCurvePoints = 60;

/// Mean over ranks by name: computation, and every operation between MPI_Init and MPI_Finalize.
using TimeByOperation = std::map<std::string, double>;

TimeByOperation operation_times(const Trace& trace) {
  const TraceSummary summary = summarize(trace);
  TimeByOperation times{{kComputation, summary.compute_time_ns.mean}};
  for (const OperationSummary& o : summary.operations) {
    if (operation_class(o.operation) == OperationClass::environment) continue;
    times[std::string(mpi_name(o.operation))] +=
        static_cast<double>(o.time_ns) / std::max(1, summary.ranks);
  }
  return times;
}

/// The model with `added_ns` more latency.
ModelChoice with_latency(ModelChoice choice, std::int64_t added_ns) {
  choice.model.latency_fs += added_ns * kFemtosPerNano;
  return choice;
}

/// What is known of all runs with one latency.
struct Latency {
  std::vector<double> measured{};
  std::vector<double> predicted{};
  std::vector<TimeByOperation> measured_operations{};
  std::vector<TimeByOperation> predicted_operations{};
};
using Latencies = std::map<std::int64_t, Latency>;

double measured_makespan(const Trace& trace, const std::string& path) {
  const auto run = measured_run(trace);
  if (run) return static_cast<double>(run->makespan_ns);
  throw Error(fmt::format("cannot use the recording '{}'", path), "it contains no times",
              "Remove it and validate again.");
}

void add_measured(const Trace& trace, const std::string& path, Latency& latency) {
  latency.measured.push_back(measured_makespan(trace, path));
  latency.measured_operations.push_back(operation_times(trace));
}

/// Predictions from recordings without added latency.
class Predictions {
 public:
  explicit Predictions(const std::vector<std::int64_t>& ppm) : ppm_(ppm), found_(ppm.size()) {}

  void add(const LoadedGraph& loaded, Latencies& latencies) {
    const VariedParameter parameter = parse_varied_parameter("L");
    MakespanFunction makespan = makespan_function(loaded.graph, loaded.model, parameter);
    const std::int64_t base_fs = loaded.model.model.latency_fs;
    const auto at = [&](std::int64_t added_ns) {
      const Ticks x = makespan.from_fs(base_fs + added_ns * kFemtosPerNano);
      return makespan.value_ns(makespan.line_at(x), x);
    };
    for (auto& [added_ns, latency] : latencies) {
      latency.predicted.push_back(at(added_ns));
      const ModelChoice choice = with_latency(loaded.model, added_ns);
      const Schedule schedule = model_schedule(loaded.graph, picosecond_cost(loaded.graph, choice));
      latency.predicted_operations.push_back(
          operation_times(modelled_trace(loaded.program(), loaded.graph, schedule)));
    }
    add_curve(latencies.rbegin()->first, at);
    add_tolerances(tolerances(makespan, parameter, ppm_));
  }

  std::vector<PredictedTolerance> tolerances_found() const {
    std::vector<PredictedTolerance> result;
    for (std::size_t d = 0; d < ppm_.size(); ++d) {
      result.push_back({static_cast<double>(ppm_[d]) / 1e6, found_[d]});
    }
    return result;
  }

  /// The median over the recordings.
  PredictedCurve curve() const {
    PredictedCurve curve;
    for (const auto& [added_ns, values] : curve_) {
      curve.added_ns.push_back(static_cast<double>(added_ns));
      curve.makespan_ns.push_back(sample_median(values));
    }
    return curve;
  }

 private:
  template <typename At>
  void add_curve(std::int64_t last_ns, At at) {
    const auto count = static_cast<std::int64_t>(kCurvePoints);
    for (std::int64_t i = 0; i <= count; ++i) {
      const std::int64_t added_ns = last_ns * i / count;
      curve_[added_ns].push_back(at(added_ns));
      if (last_ns == 0) return;
    }
  }

  void add_tolerances(const Tolerances& t) {
    for (std::size_t d = 0; d < ppm_.size(); ++d) {
      const std::optional<double>& value = t.rows[d].value_ns;
      found_[d].push_back(value ? std::optional(*value - t.base_ns) : std::nullopt);
    }
  }

  std::vector<std::int64_t> ppm_;
  std::vector<std::vector<std::optional<double>>> found_;  // by degradation
  std::map<std::int64_t, std::vector<double>> curve_{};
};

std::vector<double> values_of(const std::vector<TimeByOperation>& runs, const std::string& name) {
  std::vector<double> values;
  for (const TimeByOperation& times : runs) {
    const auto found = times.find(name);
    values.push_back(found == times.end() ? 0 : found->second);
  }
  return values;
}

std::vector<OperationTime> operations_of(const Latency& latency) {
  TimeByOperation names;
  for (const TimeByOperation& times : latency.measured_operations)
    names.insert(times.begin(), times.end());
  for (const TimeByOperation& times : latency.predicted_operations)
    names.insert(times.begin(), times.end());
  std::vector<OperationTime> operations;
  for (const auto& [name, unused] : names) {
    operations.push_back({name, sample_median(values_of(latency.measured_operations, name)),
                          sample_median(values_of(latency.predicted_operations, name))});
  }
  return operations;
}

ValidationSamples samples_of(const Latencies& latencies, const Predictions& predictions) {
  ValidationSamples samples;
  for (const auto& [added_ns, latency] : latencies) {
    samples.points.push_back({static_cast<double>(added_ns), latency.measured, latency.predicted,
                              operations_of(latency)});
  }
  samples.tolerances = predictions.tolerances_found();
  return samples;
}

/// The undisturbed runs of each latency, or all of its runs where there is none.
std::vector<ValidateRequest::Run> undisturbed_runs(const std::vector<ValidateRequest::Run>& runs,
                                                   ComparedRuns& summary) {
  std::map<std::int64_t, std::vector<ValidateRequest::Run>> by_latency;
  for (const ValidateRequest::Run& run : runs) by_latency[run.added_ns].push_back(run);
  std::vector<ValidateRequest::Run> evaluated;
  for (const auto& [added_ns, group] : by_latency) {
    std::vector<Disturbance> disturbances;
    for (const ValidateRequest::Run& run : group) {
      disturbances.push_back(disturbance_of(open_trace(run.trace).trace));
    }
    const std::vector<bool> kept = undisturbed(disturbances, summary);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (kept[i]) evaluated.push_back(group[i]);
    }
  }
  return evaluated;
}

ModelRequest model_request(const ValidateRequest& request, const std::string& trace) {
  ModelRequest input;
  input.trace = trace;
  input.model = request.model;
  return input;
}

auto validate_report(Described<ValidationJson> described, const ValidateRequest& request,
                     const LoadedGraph& loaded, const std::vector<std::int64_t>& ppm) {
  return with_context(std::move(described), "validate", loaded,
                      Object{"degrade"_key = ratios_of(ppm), "replicates"_key = request.replicates,
                             "seed"_key = request.seed, "runs"_key = request.runs.size()});
}
using ValidateReports = CommandReports<ReturnedBy<validate_report>>;

}  // namespace

Report execute(const ValidateRequest& request) {
  const std::vector<std::int64_t> ppm = parse_degradations(request.degradations);
  Latencies latencies;
  for (const ValidateRequest::Run& run : request.runs) latencies[run.added_ns];
  if (!latencies.contains(0)) {
    throw usage_error("cannot validate", "there is no run without added latency",
                      "Include 0 in --latencies.");
  }
  Predictions predictions(ppm);
  std::optional<LoadedGraph> first;
  ComparedRuns compared;
  for (const ValidateRequest::Run& run : undisturbed_runs(request.runs, compared)) {
    if (run.added_ns > 0) {
      add_measured(open_trace(run.trace).trace, run.trace, latencies[run.added_ns]);
      continue;
    }
    LoadedGraph loaded = load_graph(model_request(request, run.trace));
    add_measured(loaded.trace(), run.trace, latencies[0]);
    predictions.add(loaded, latencies);
    if (!first) first = std::move(loaded);
  }
  ValidationSamples samples = samples_of(latencies, predictions);
  samples.runs = compared;
  return ValidateReports::untyped(validate_report(
      describe(validate(samples, request.replicates, request.seed), samples, predictions.curve()),
      request, *first, ppm));
}

CommandSchema validate_schema() {
  return ValidateReports::schema();
}

}  // namespace slackline
