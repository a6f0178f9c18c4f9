#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/simulated_actions.h"
#include "analysis/simulation_report.h"
#include "base/error.h"
#include "base/file.h"
#include "base/output_files.h"
#include "cli/commands.h"
#include "cli/degradations.h"
#include "cli/model_question.h"
#include "cli/output.h"
#include "cli/trace_writers.h"
#include "sim/platform/rank_map.h"
#include "sim/platform/read_platform.h"
#include "sim/platform/si_units.h"
#include "sim/simulated_trace.h"
#include "sim/smpi_options.h"
#include "sim/sweep.h"
#include "sim/tolerance.h"
#include "trace/open/open.h"

namespace slackline {
namespace {

struct SimulateOptions {
  std::string trace;
  std::string platform;
  std::string hostfile;
  std::string map = "cyclic";
  std::vector<std::string> options;
  std::vector<std::string> option_files;
  std::optional<std::string> model;
  std::optional<std::string> collectives;
  double compute_scale = 1;
  std::string reference_speed;
  std::size_t links = 8;
  std::string actions;
  std::string timed;
  std::string sweep;
  std::string tolerance;
  std::vector<std::string> degradations;
  OutputOptions output;
};

SmpiOptions smpi_options(const SimulateOptions& options) {
  SmpiOptions smpi;
  // A file of options is SimGrid's, whose rates are lazy unless it says otherwise.
  if (!options.option_files.empty()) smpi.set("network/optim:Lazy", "with --options");
  for (const std::string& file : options.option_files) smpi.read(MappedFile(file).text(), file);
  for (const std::string& line : options.options) smpi.set(line, "in --option");
  if (options.model) smpi.set("network/model:" + *options.model, "in --model");
  if (options.collectives)
    smpi.set("smpi/coll-selector:" + *options.collectives, "in --collectives");
  return smpi;
}

RankMap place(const SimulateOptions& options, const Platform& platform, const Trace& trace) {
  const auto ranks = static_cast<std::uint32_t>(trace.ranks());
  return options.hostfile.empty() ? place_ranks(options.map, platform, ranks)
                                  : read_hostfile(options.hostfile, platform, ranks);
}

Json options_to_json(const SimulateOptions& options, const SmpiOptions& smpi) {
  Json json;
  json["platform"] = options.platform;
  json["hostfile"] = options.hostfile;
  json["map"] = options.hostfile.empty() ? Json(options.map) : Json(nullptr);
  json["compute_scale"] = options.compute_scale;
  if (!options.reference_speed.empty()) json["reference_speed"] = options.reference_speed;
  if (!options.sweep.empty()) json["sweep"] = options.sweep;
  if (!options.tolerance.empty()) json["tolerance"] = options.tolerance;
  Json values = Json::object();
  for (const auto& [name, value] : smpi.values()) values[name] = value;
  json["options"] = values;
  return json;
}

/// A trace, a machine, and who runs where.
struct Scene {
  OpenedTrace opened;
  Platform platform;
  RankMap hosts;
  SmpiOptions smpi;
  SimulationOptions simulation{};
};

void write_timed(const Scene& scene, const Simulation& result, const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const auto writers = trace_writers();
  const auto writer = std::ranges::find(writers, extension, &TraceWriter::extension);
  if (writer == writers.end()) {
    throw usage_error(fmt::format("cannot tell the format of '{}'", path),
                      "its extension is none that a trace is written with",
                      "Write it as .slk and convert that.");
  }
  const Trace timed = simulated_trace(scene.opened.trace, result);
  OutputFiles files(path, OutputFiles::Existing::refuse_folders);
  writer->write({timed, files.path(), ModelChoice{}});
  files.commit();
}

Report simulate_once(Scene& scene, const SimulateOptions& options, Findings& findings) {
  SimulationOptions& simulation = scene.simulation;
  simulation.record = !options.actions.empty() || !options.timed.empty();
  simulation.link_usage = options.links > 0;
  const Trace& trace = scene.opened.trace;
  const Simulation result = simulate(trace, scene.platform, scene.hosts, simulation);
  if (!options.actions.empty()) write_file(options.actions, simulated_actions(result, trace));
  if (!options.timed.empty()) write_timed(scene, result, options.timed);
  findings.merge(result.findings);
  return describe(result, trace, scene.platform, options.links);
}

/// "latency", "bandwidth", or of a group of links, "bandwidth@c.backbone".
Report find_tolerance(const Scene& scene, const SimulateOptions& options) {
  const std::string& axis = options.tolerance;
  const bool bandwidth = axis.starts_with("bandwidth");
  if (!bandwidth && !axis.starts_with("latency")) {
    throw usage_error(fmt::format("cannot find a tolerance of '{}'", axis), "in --tolerance",
                      "Write latency or bandwidth, or of some links, bandwidth@backbone .");
  }
  const std::size_t at = axis.find('@');
  const std::string group = at == std::string::npos ? std::string() : axis.substr(at + 1);
  std::vector<double> degradations;
  for (const std::int64_t ppm : parse_degradations(options.degradations)) {
    degradations.push_back(static_cast<double>(ppm) / 1e6);
  }
  const auto simulated = [&](double factor, bool contention) {
    SimulationOptions worse = scene.simulation;
    worse.model.contention = worse.model.contention && contention;
    LinkScale scale{.group = group};
    (bandwidth ? scale.bandwidth : scale.latency) = bandwidth ? 1 / factor : factor;
    worse.link_scales.push_back(scale);
    return simulate(scene.opened.trace, scene.platform, scene.hosts, worse).makespan;
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

double speed_of(const std::string& text) {
  return text.empty() ? 0 : parse_speed(text, "--reference-speed");
}

int run_simulate(const SimulateOptions& options) {
  Findings findings;
  const std::string path = options.trace.empty() ? newest_recording() : options.trace;
  Scene scene{
      open_trace(path), read_platform(options.platform, findings), {}, smpi_options(options)};
  findings.merge(scene.smpi.ignored());
  scene.simulation.model = scene.smpi.model();
  scene.simulation.choose = scene.smpi.collectives();
  scene.simulation.compute_scale = options.compute_scale;
  scene.simulation.reference_speed = speed_of(options.reference_speed);
  scene.platform.set_implicit_loopback(scene.simulation.model.loopback_bandwidth,
                                       scene.simulation.model.loopback_latency);
  scene.hosts = place(options, scene.platform, scene.opened.trace);
  Report report;
  if (!options.sweep.empty()) {
    const std::vector<SweepAxis> axes = parse_sweep(options.sweep);
    report = describe(
        sweep(scene.opened.trace, scene.platform, scene.hosts, scene.smpi, scene.simulation, axes),
        axes);
  } else if (!options.tolerance.empty()) {
    report = find_tolerance(scene, options);
  } else {
    report = simulate_once(scene, options, findings);
  }
  report.command = "simulate";
  report.title = fmt::format("simulate: {} on {}", scene.opened.path, options.platform);
  report.options = options_to_json(options, scene.smpi);
  report.input = input_to_json(scene.opened);
  report.findings = scene.opened.trace.findings();
  report.findings.merge(findings);
  write_report(report, options.output);
  return 0;
}

}  // namespace

Run setup_simulate(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  app.add_option("trace", options->trace,
                 "A trace file or recording folder; without it the newest slackline-trace* here")
      ->type_name("TRACE");
  app.add_option("--platform", options->platform, "The machine: SimGrid's XML, or TOML")
      ->type_name("FILE")
      ->required();
  app.add_option("--hostfile", options->hostfile, "The host of each rank, one a line")
      ->type_name("FILE");
  app.add_option("--map", options->map,
                 "Without a hostfile: cyclic, block, or with ranks a host, block:4")
      ->type_name("HOW")
      ->capture_default_str();
  app.add_option("--model", options->model,
                 "The network's model: smpi, lv08, cm02, raw, loggps (no contention) or constant")
      ->type_name("MODEL");
  app.add_option("--collectives", options->collectives,
                 "Who chooses the collectives' algorithms: default, ompi, mpich, mvapich2 or impi")
      ->type_name("SELECTOR");
  app.add_option("--option", options->options, "An option of SimGrid, name:value")
      ->type_name("NAME:VALUE");
  app.add_option("--options", options->option_files, "A file of such options, one a line")
      ->type_name("FILE");
  app.add_option("--compute-scale", options->compute_scale,
                 "Multiplies all computation: 0.5 is a machine twice as fast")
      ->type_name("FACTOR")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--reference-speed", options->reference_speed,
                 "Speed of the cores that the trace was measured on, as 2.5Gf; default: the hosts'")
      ->type_name("SPEED");
  app.add_option("--links", options->links, "How many of the most contended links to show; 0: none")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--actions", options->actions,
                 "Write when each action ends: lines of seconds, rank and action")
      ->type_name("FILE");
  app.add_option("--timed", options->timed,
                 "Write the simulated run as a timed trace, in the format of the extension")
      ->type_name("FILE");
  app.add_option(
         "--sweep", options->sweep,
         "Simulate all combinations, as bandwidth=0.5,1,2,latency=1,10,collectives=ompi,mpich")
      ->type_name("AXES");
  app.add_option("--tolerance", options->tolerance,
                 "How much worse links may be: latency or bandwidth, of some as bandwidth@backbone")
      ->type_name("WHAT")
      ->excludes("--sweep");
  add_degradations(app, options->degradations);
  add_output_options(app, options->output);
  examples(app,
           {"slackline simulate app.slk --platform cluster.xml",
            "slackline simulate trace.ti --platform p.xml --hostfile hosts --options smpi.txt",
            "slackline simulate app.slk --platform p.toml --map block --collectives ompi",
            "slackline simulate app.slk --platform p.xml --sweep bandwidth=0.5,1,2,latency=1,10",
            "slackline simulate app.slk --platform p.xml --tolerance bandwidth@backbone"});
  return [options] { return run_simulate(*options); };
}

}  // namespace slackline
