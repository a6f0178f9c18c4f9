#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/simulation/simulated_actions.h"
#include "analysis/simulation/simulation_report.h"
#include "base/error.h"
#include "base/file.h"
#include "base/output_files.h"
#include "cli/commands.h"
#include "cli/degradations.h"
#include "cli/model_question.h"
#include "cli/output.h"
#include "cli/platform_options.h"
#include "cli/trace_writers.h"
#include "formats/open/open.h"
#include "page/simulated_run.h"
#include "sim/simulated_trace.h"
#include "sim/sweep.h"
#include "sim/tolerance.h"

namespace slackline {
namespace {

constexpr int kMostShown = 1'000'000;

struct SimulateOptions {
  std::string trace;
  PlatformOptions machine;
  std::size_t links = 8;
  std::size_t slowed = 8;
  std::string actions;
  std::string timed;
  std::string sweep;
  std::string tolerance;
  std::vector<std::string> degradations;
  OutputOptions output;
};

Json options_to_json(const SimulateOptions& options, const SmpiOptions& smpi) {
  Json json = to_json(options.machine, smpi);
  if (!options.sweep.empty()) json["sweep"] = options.sweep;
  if (!options.tolerance.empty()) json["tolerance"] = options.tolerance;
  return json;
}

/// A trace and the machine that it is simulated on.
struct Scene {
  const Trace& trace() const { return opened.trace; }

  OpenedTrace opened;
  Machine machine;
};

void write_timed(const Scene& scene, const Simulation& result, const std::string& path) {
  const TraceWriter* const writer = writer_by_extension(path);
  if (writer == nullptr) {
    throw usage_error(fmt::format("cannot tell the format of '{}'", path),
                      "its extension is none that a trace is written with",
                      "Write it as .slk and convert that.");
  }
  const Trace timed = simulated_trace(scene.trace(), result);
  OutputFiles files(path, OutputFiles::Existing::refuse_folders);
  writer->write({timed, files.path(), ModelChoice{}});
  files.commit();
}

Report simulate_once(Scene& scene, const SimulateOptions& options, Findings& findings) {
  const bool page = output_format(options.output) == OutputFormat::html;
  SimulationOptions simulation = scene.machine.simulation;
  simulation.record = page || !options.actions.empty() || !options.timed.empty();
  simulation.slowed_kept = options.slowed;
  // It also tells which link held a message back.
  simulation.link_usage = options.links > 0 || options.slowed > 0;
  const Platform& platform = scene.machine.platform;
  const Simulation result = simulate(scene.trace(), platform, scene.machine.hosts, simulation);
  if (!options.actions.empty()) {
    write_file(options.actions, simulated_actions(result, scene.trace()));
  }
  if (!options.timed.empty()) write_timed(scene, result, options.timed);
  findings.merge(result.findings);
  Report report = describe(result, scene.trace(), platform, options.links);
  if (page) {
    report.sections.insert(
        report.sections.begin(),
        simulated_timeline(scene.trace(),
                           {result, platform, options.machine.platform, options.links}));
  }
  return report;
}

/// "latency", "bandwidth", or of a group of links, "bandwidth@c.backbone".
Report find_tolerance(const Scene& scene, const SimulateOptions& options) {
  const std::string& axis = options.tolerance;
  const bool bandwidth = axis.starts_with("bandwidth");
  if (!bandwidth && !axis.starts_with("latency")) {
    throw usage_error(fmt::format("cannot find a tolerance of '{}'", axis),
                      "only latency and bandwidth can vary",
                      "Write latency or bandwidth, or for a group of links bandwidth@backbone.");
  }
  const std::size_t at = axis.find('@');
  const std::string group = at == std::string::npos ? std::string() : axis.substr(at + 1);
  std::vector<double> degradations;
  for (const std::int64_t ppm : parse_degradations(options.degradations)) {
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

/// A program with lines that say nothing would be another program without them.
void require_whole(const Trace& trace) {
  if (trace.timed()) return;
  for (const Findings::Entry& lost : trace.findings().entries()) {
    if (lost.severity != Severity::data_loss) continue;
    const std::string example = lost.examples.empty() ? lost.sentence : lost.examples.front();
    throw Error(
        "cannot simulate a program with defects",
        lost.count == 1 ? example : fmt::format("{} defects, the first {}", lost.count, example),
        "Mend it; slackline info lists what is wrong.");
  }
}

void require_files_apart(const SimulateOptions& options) {
  if (options.actions.empty() || options.actions != options.timed) return;
  throw usage_error(fmt::format("cannot write both to '{}'", options.timed),
                    "--actions and --timed name the same file", "Give each a file of its own.");
}

int run_simulate(const SimulateOptions& options) {
  require_files_apart(options);
  Findings findings;
  const std::string path = options.trace.empty() ? newest_recording() : options.trace;
  OpenedTrace opened = open_trace(path);
  require_whole(opened.trace);
  Machine machine = resolve_machine(options.machine, opened.trace, findings);
  Scene scene{std::move(opened), std::move(machine)};
  Report report;
  if (!options.sweep.empty()) {
    const std::vector<SweepAxis> axes = parse_sweep(options.sweep);
    report = describe(sweep(scene.trace(), scene.machine.platform, scene.machine.hosts,
                            scene.machine.smpi, scene.machine.simulation, axes),
                      axes);
  } else if (!options.tolerance.empty()) {
    report = find_tolerance(scene, options);
  } else {
    report = simulate_once(scene, options, findings);
  }
  report.command = "simulate";
  report.title = fmt::format("simulate: {} on {}", scene.opened.path, options.machine.platform);
  report.options = options_to_json(options, scene.machine.smpi);
  report.input = input_to_json(scene.opened);
  report.findings = scene.trace().findings();
  report.findings.merge(findings);
  write_report(report, options.output);
  return 0;
}

}  // namespace

Run setup_simulate(CommandParser& parser) {
  auto options = std::make_shared<SimulateOptions>();
  parser
      .add_option("trace", options->trace,
                  "A trace file or recording folder; without it the newest slackline-trace* here")
      ->type_name("TRACE");
  add_platform_options(parser, options->machine, "");
  parser.get_option("--platform")->required();
  parser
      .add_option("--model", options->machine.model,
                  "The network's model: smpi, lv08, cm02, raw, loggps (no contention) or constant")
      ->type_name("MODEL");
  parser
      .add_option("--collectives", options->machine.collectives,
                  "Who chooses the collectives' algorithms: default, ompi, mpich, mvapich2 or impi")
      ->type_name("SELECTOR");
  parser
      .add_option("--links", options->links,
                  "How many of the most contended links to show; 0: none")
      ->type_name("N")
      ->in_range(0, kMostShown)
      ->capture_default_str();
  parser
      .add_option("--slowed", options->slowed,
                  "How many of the messages that lost most time to others to show; 0: none")
      ->type_name("N")
      ->in_range(0, kMostShown)
      ->capture_default_str();
  parser
      .add_option("--actions", options->actions,
                  "Write when each action ends: lines of seconds, rank and action")
      ->type_name("FILE");
  parser
      .add_option("--timed", options->timed,
                  "Write the simulated run as a timed trace, in the format of the extension")
      ->type_name("FILE");
  parser
      .add_option(
          "--sweep", options->sweep,
          "Simulate all combinations, as bandwidth=0.5,1,2,latency=1,10,collectives=ompi,mpich")
      ->type_name("AXES");
  parser
      .add_option(
          "--tolerance", options->tolerance,
          "How much worse links may be: latency or bandwidth, of some as bandwidth@backbone")
      ->type_name("WHAT")
      ->excludes(parser.get_option("--sweep"));
  add_degradations(parser, options->degradations);
  add_output_options(parser, options->output);
  examples(parser,
           {"slackline simulate app.slk --platform cluster.xml",
            "slackline simulate trace.ti --platform p.xml --hostfile hosts --options smpi.txt",
            "slackline simulate app.slk --platform p.toml --map block --collectives ompi",
            "slackline simulate app.slk --platform p.xml --sweep bandwidth=0.5,1,2,latency=1,10",
            "slackline simulate app.slk --platform p.xml --tolerance bandwidth@backbone"});
  return [options] { return run_simulate(*options); };
}

}  // namespace slackline
