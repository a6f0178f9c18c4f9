#include "app/load/loaded_run.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/cube/severity_cube.h"
#include "analysis/runs/scheduled_calls.h"
#include "analysis/waits/wait_states.h"
#include "app/load/computation.h"
#include "app/load/input.h"
#include "app/load/loaded_graph.h"
#include "app/load/machine.h"
#include "base/error.h"
#include "base/progress.h"
#include "sim/simulation.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

LoadedRun load_predicted(const RunRequest& request) {
  LoadedGraph loaded = load_graph({.trace = request.trace,
                                   .reading = request.reading,
                                   .model = request.model,
                                   .network = request.network},
                                  CallDetail::named, GraphTime::now, KeepMatching::yes);
  const Schedule schedule =
      model_schedule(loaded.graph, picosecond_cost(loaded.graph, loaded.model));
  const bool timed = loaded.trace().timed();
  loaded.opened.trace = modelled_trace(loaded.take_program(), loaded.graph, schedule);
  LoadedRun run{std::move(loaded.opened), "predicted"};
  run.eager_bytes = loaded.model.graph.eager_threshold_bytes;
  run.model = to_json(loaded.model);
  run.trace_timed = timed;
  run.findings = std::move(loaded.findings);
  run.findings.merge(loaded.graph.findings());
  return run;
}

LoadedRun load_measured(const RunRequest& request) {
  return {open_input(request.trace, open_options(request.reading, ClockPolicy::when_needed, true)),
          "measured"};
}

LoadedRun load_simulated(const RunRequest& request) {
  LoadedRun run = load_measured(request);
  run.on = "simulated";
  ComputationChoice computation = choose_computation(request.model.computation, run.trace());
  if (computation.cpu_time) run.opened.trace = std::move(*computation.cpu_time);
  run.findings = std::move(computation.findings);
  Machine machine = resolve_machine(request.platform, run.opened.trace, run.findings);
  machine.simulation.record = true;
  begin_stage("simulating the run");
  const Simulation result =
      simulate(run.opened.trace, machine.platform, machine.hosts, machine.simulation);
  run.findings.merge(result.findings);
  run.opened.trace = simulated_trace(run.opened.trace, result);
  run.platform = to_json(request.platform, machine.smpi);
  return run;
}

LoadedRun load_requested(const RunRequest& request) {
  if (request.on == "measured") {
    LoadedRun run = load_measured(request);
    if (run.opened.trace.timed()) return run;
    throw usage_error("cannot use the measured run", "the trace has no timestamps",
                      "Use --on predicted or --on simulated.");
  }
  if (request.on == "predicted") return load_predicted(request);
  if (request.on == "simulated") return load_simulated(request);
  throw usage_error(fmt::format("unknown value '{}' for --on", request.on), "no such name",
                    "Choose measured, predicted or simulated.");
}

auto simulated_options(const LoadedRun& run) {
  return Object{*run.platform, "on"_key = run.on};
}

auto predicted_options(const LoadedRun& run) {
  return Object{*run.model, "trace_timed"_key = run.trace_timed, "on"_key = run.on};
}

auto measured_options(const LoadedRun& run) {
  return Object{"on"_key = run.on};
}

std::variant<ReturnedBy<simulated_options>, ReturnedBy<predicted_options>,
             ReturnedBy<measured_options>>
options_object(const LoadedRun& run) {
  if (run.platform) return simulated_options(run);
  if (run.model) return predicted_options(run);
  return measured_options(run);
}

}  // namespace

LoadedRun load_run(const RunRequest& request) {
  LoadedRun run = request.on.empty() ? load_measured(request) : load_requested(request);
  if (!run.opened.trace.timed()) run = load_predicted(request);
  begin_stage("analysing the run");
  matching_of(run.opened);  // of a GOAL file nobody has asked for it yet
  run.requested = !request.on.empty();
  return run;
}

WaitOptions wait_options(const LoadedRun& run) {
  WaitOptions options{.eager_bytes = run.eager_bytes};
  if (run.on == "measured") options.sends = &run.opened.sends;
  return options;
}

SeverityCube severities_of(const LoadedRun& run) {
  const CallPaths paths = CallPaths::of_regions_or_functions(run.trace());
  return severity_cube(run.trace(), paths,
                       wait_states(run.trace(), run.matching(), wait_options(run)));
}

const JsonType& declared_type(const RunOptionsJsonTag*) {
  return json_type_by<options_object>();
}

RunOptionsJson options_of(const LoadedRun& run) {
  return options_object(run);
}

void describe_run_choice(std::vector<Section>& sections, const LoadedRun& run) {
  if (run.on == "measured") return;
  std::string text =
      run.on == "predicted" ? "Run predicted by the model" : "Run simulated on the platform";
  if (!run.requested) text += ": the trace has no timestamps";
  Section section{.id = "run", .title = "Run"};
  section.items.emplace_back(Paragraph{text + "."});
  sections.insert(sections.begin(), std::move(section));
}

}  // namespace slackline
