#include "app/requests/simulate.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "analysis/model/model_choice.h"
#include "analysis/simulation/simulation_report.h"
#include "app/load/computation.h"
#include "app/load/input.h"
#include "app/load/machine.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "app/trace_writers.h"
#include "base/error.h"
#include "base/file.h"
#include "page/simulated_run.h"
#include "report/report.h"
#include "sim/experiments.h"
#include "sim/simulation.h"

namespace slackline {
namespace {

/// A trace and the machine that it is simulated on.
struct Scene {
  const Trace& trace() const { return opened.trace; }

  OpenedTrace opened;
  Machine machine;
};

void write_timed(Scene& scene, const Simulation& result, const std::string& path,
                 Findings& findings) {
  const TraceWriter* const writer = writer_by_extension(path);
  if (writer == nullptr) {
    throw usage_error(fmt::format("cannot determine the format of '{}'", path),
                      "unknown file extension", "Write it as .slk and use 'slackline convert'.");
  }
  const Trace timed = simulated_trace(scene.trace(), result);
  OutputFiles files = output_of(*writer, path);
  const auto matching = [&]() -> const CallMatching& { return matching_of(scene.opened); };
  findings.merge(writer->write({timed, matching, files.path(), ModelChoice{}, nullptr,
                                TimelineArrows::path, &scene.opened.samples}));
  files.commit_with_command();
}

Described<SimulationJson> simulate_once(Scene& scene, const SimulateRequest& request,
                                        Findings& findings) {
  SimulationOptions simulation = scene.machine.simulation;
  simulation.record = request.pictures || !request.actions.empty() || !request.timed.empty();
  simulation.slowed_kept = request.slowed;
  // It also tells which link held a message back.
  simulation.link_usage = request.links > 0 || request.slowed > 0;
  const Platform& platform = scene.machine.platform;
  const Simulation result = simulate(scene.trace(), platform, scene.machine.hosts, simulation);
  if (!request.actions.empty()) {
    write_output(request.actions, simulated_actions(result, scene.trace()));
  }
  if (!request.timed.empty()) write_timed(scene, result, request.timed, findings);
  findings.merge(result.findings);
  auto report = describe(result, scene.trace(), platform, request.links);
  if (request.pictures) {
    add_link_map(report.sections, {result, platform, request.machine.platform, request.links});
    report.sections.insert(
        report.sections.begin() + 1,
        simulated_timeline(scene.trace(), matching_of(scene.opened),
                           {result, platform, request.machine.platform, request.links}));
  }
  return report;
}

/// "latency", "bandwidth", or of a group of links, "bandwidth@c.backbone".
Described<ToleranceSearchJson> find_tolerance(const Scene& scene, const SimulateRequest& request) {
  const std::string& axis = request.tolerance;
  const bool bandwidth = axis.starts_with("bandwidth");
  if (!bandwidth && !axis.starts_with("latency")) {
    throw usage_error(fmt::format("cannot compute the tolerance to '{}'", axis),
                      "only latency and bandwidth can vary",
                      "Use latency or bandwidth, or for a group of links bandwidth@backbone.");
  }
  const std::size_t at = axis.find('@');
  const std::string group = at == std::string::npos ? std::string() : axis.substr(at + 1);
  std::vector<double> degradations;
  for (const std::int64_t ppm : parse_degradations(request.degradations)) {
    degradations.push_back(static_cast<double>(ppm) / 1e6);
  }
  const auto simulated = [&](double factor, bool contention) {
    SimulationOptions worse = scene.machine.simulation;
    worse.model.contention = worse.model.contention && contention;
    LinkScale scale{.group = group};
    (bandwidth ? scale.bandwidth : scale.latency) = bandwidth ? 1 / factor : factor;
    worse.link_scales.push_back(scale);
    return simulate(scene.trace(), scene.machine.platform, scene.machine.hosts, worse).makespan;
  };
  const std::string what = fmt::format("{} of {}", bandwidth ? "1 / bandwidth" : "latency",
                                       group.empty() ? "all links" : group);
  const auto makespan = [&](double factor) { return simulated(factor, true); };
  const auto alone = [&](double factor) { return simulated(factor, false); };
  constexpr double kLargest = 1 << 16;
  constexpr double kExact = 1e-6;
  return describe(search_tolerances(makespan, degradations),
                  search_tolerances(alone, degradations, kLargest, kExact), what);
}

/// A program without its defective lines would be another program.
void require_whole(const Trace& trace) {
  if (trace.timed()) return;
  for (const Findings::Entry& lost : trace.findings().entries()) {
    if (lost.severity != Severity::data_loss) continue;
    const std::string example = lost.examples.empty() ? lost.sentence : lost.examples.front();
    throw Error(
        "cannot simulate an erroneous program",
        lost.count == 1 ? example : fmt::format("{} errors, the first {}", lost.count, example),
        "Fix it; 'slackline info' lists the errors.");
  }
}

void require_files_apart(const SimulateRequest& request) {
  if (request.actions.empty() || request.actions != request.timed) return;
  throw usage_error(fmt::format("cannot write both to '{}'", request.timed),
                    "--actions and --timed name the same file", "Choose two different files.");
}

template <class Result>
auto simulate_report(Described<Result> described, const SimulateRequest& request,
                     const Scene& scene, const std::string& computation) {
  return typed_report(
      "simulate", fmt::format("simulate: {} on {}", scene.opened.path, request.machine.platform),
      Object{to_json(request.machine, scene.machine.smpi),
             "sweep"_key.when(known_text(request.sweep)),
             "tolerance"_key.when(known_text(request.tolerance)),
             "computation"_key.when(known_text(computation))},
      input_to_json(scene.opened), std::move(described));
}
using SimulateReports = CommandReports<ReturnedBy<simulate_report<SimulationJson>>,
                                       ReturnedBy<simulate_report<SweepJson>>,
                                       ReturnedBy<simulate_report<ToleranceSearchJson>>>;

}  // namespace

void declare(OptionList& options, SimulateRequest& request) {
  constexpr int kMostShown = 1'000'000;
  declare_trace(options, request.trace, request.reading);
  declare_platform(options, request.machine);
  options["--platform"].rules.required = true;
  options.add("--model MODEL", request.machine.model,
              "Network model: smpi, lv08, cm02, raw, loggps (no contention) or constant");
  options.add("--collectives SELECTOR", request.machine.collectives,
              "Selector of collective algorithms: default, ompi, mpich, mvapich2 or impi");
  options.add("--noise SPEC", request.machine.noise,
              "Lengthen each computation (amplitude=) and message latency (messages=) randomly, by "
              "a share or a time at most, or on average (distribution=exponential)");
  options.add("--seed N", request.machine.seed, "Seed of the noise");
  declare_computation(options, request.computation);
  options.add("--links N", request.links, "Number of most contended links to show; 0: none",
              {.range = OptionRange{0, kMostShown}});
  options.add("--slowed N", request.slowed,
              "Number of messages most delayed by contention to show; 0: none",
              {.range = OptionRange{0, kMostShown}});
  options.add("--actions FILE", request.actions,
              "Write the end time of each action: lines of seconds, rank and action");
  options.add("--timed,--trace FILE", request.timed,
              "Write the simulated run as a timed trace; format by extension");
  options.add("--sweep AXES", request.sweep,
              "Simulate all combinations, e.g. "
              "bandwidth=0.5,1,2,latency=1,10,collectives=ompi,mpich");
  options.add("--tolerance WHAT", request.tolerance,
              "Tolerance to reduced link performance: latency or bandwidth, of a link group "
              "bandwidth@backbone",
              {.excludes = "--sweep"});
  declare_degradations(options, request.degradations);
}

Report execute(const SimulateRequest& request) {
  require_files_apart(request);
  Findings findings;
  OpenedTrace opened = open_input(
      request.trace, open_options(request.reading, ClockPolicy::as_read, request.pictures));
  require_whole(opened.trace);
  ComputationChoice computation = choose_computation(request.computation, opened.trace);
  if (computation.cpu_time) opened.trace = std::move(*computation.cpu_time);
  findings.merge(computation.findings);
  Machine machine = resolve_machine(request.machine, opened.trace, findings);
  Scene scene{std::move(opened), std::move(machine)};
  const auto report_of = [&](auto described) {
    return SimulateReports::untyped(
        simulate_report(std::move(described), request, scene, computation.name));
  };
  Report report;
  if (!request.sweep.empty()) {
    const std::vector<SweepAxis> axes = parse_sweep(request.sweep);
    report = report_of(describe(sweep(scene.trace(), scene.machine.platform, scene.machine.hosts,
                                      scene.machine.smpi, scene.machine.simulation, axes),
                                axes));
  } else if (!request.tolerance.empty()) {
    report = report_of(find_tolerance(scene, request));
  } else {
    report = report_of(simulate_once(scene, request, findings));
  }
  report.findings = scene.trace().findings();
  report.findings.merge(findings);
  return report;
}

CommandSchema simulate_schema() {
  return SimulateReports::schema();
}

}  // namespace slackline
