#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/simulated_actions.h"
#include "analysis/simulation_report.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/model_question.h"
#include "cli/output.h"
#include "sim/platform/rank_map.h"
#include "sim/platform/read_platform.h"
#include "sim/smpi_options.h"
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
  std::string actions;
  OutputOptions output;
};

SmpiOptions smpi_options(const SimulateOptions& options) {
  SmpiOptions smpi;
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
  Json values = Json::object();
  for (const auto& [name, value] : smpi.values()) values[name] = value;
  json["options"] = values;
  return json;
}

int run_simulate(const SimulateOptions& options) {
  const SmpiOptions smpi = smpi_options(options);
  const std::string path = options.trace.empty() ? newest_recording() : options.trace;
  const OpenedTrace opened = open_trace(path);
  Findings findings = smpi.ignored();
  Platform platform = read_platform(options.platform, findings);
  SimulationOptions simulation;
  simulation.model = smpi.model();
  simulation.choose = smpi.collectives();
  simulation.compute_scale = options.compute_scale;
  simulation.record = !options.actions.empty();
  platform.set_implicit_loopback(simulation.model.loopback_bandwidth,
                                 simulation.model.loopback_latency);
  const RankMap hosts = place(options, platform, opened.trace);
  const Simulation result = simulate(opened.trace, platform, hosts, simulation);
  if (!options.actions.empty())
    write_file(options.actions, simulated_actions(result, opened.trace));
  Report report = describe(result, opened.trace, platform);
  report.command = "simulate";
  report.title = fmt::format("simulate: {} on {}", opened.path, options.platform);
  report.options = options_to_json(options, smpi);
  report.input = input_to_json(opened);
  report.findings = opened.trace.findings();
  report.findings.merge(findings);
  report.findings.merge(result.findings);
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
                 "The network's model: smpi, lv08, cm02, raw, contention-free or constant")
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
  app.add_option("--actions", options->actions,
                 "Write when each action ends: lines of seconds, rank and action")
      ->type_name("FILE");
  add_output_options(app, options->output);
  examples(app, {"slackline simulate app.slk --platform cluster.xml",
                 "slackline simulate trace.ti --platform p.xml --hostfile hosts --options smpi.txt",
                 "slackline simulate app.slk --platform p.toml --map block --collectives ompi"});
  return [options] { return run_simulate(*options); };
}

}  // namespace slackline
