#include "cli/platform_options.h"

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "sim/platform/read_platform.h"
#include "sim/platform/si_units.h"

namespace slackline {
namespace {

SmpiOptions smpi_options(const PlatformOptions& options) {
  SmpiOptions smpi;
  // A file of options is SimGrid's, whose rates are lazy unless it says otherwise.
  if (!options.option_files.empty()) smpi.set("network/optim:Lazy", "with --options");
  for (const std::string& file : options.option_files) smpi.read(MappedFile(file).text(), file);
  for (const std::string& line : options.options) smpi.set(line, "in --option");
  if (options.model) smpi.set("network/model:" + *options.model, "in --model");
  if (options.collectives) {
    smpi.set("smpi/coll-selector:" + *options.collectives, "in --collectives");
  }
  return smpi;
}

RankMap place(const PlatformOptions& options, const Platform& platform, const Trace& trace) {
  const auto ranks = static_cast<std::uint32_t>(trace.ranks());
  return options.hostfile.empty() ? place_ranks(options.map, platform, ranks)
                                  : read_hostfile(options.hostfile, platform, ranks);
}

double speed_of(const std::string& text) {
  return text.empty() ? 0 : parse_speed(text, "--reference-speed");
}

}  // namespace

void add_platform_options(CommandParser& parser, PlatformOptions& options,
                          const std::string& group) {
  const auto grouped = [&](CommandOption* option) {
    if (!group.empty()) option->group(group);
    return option;
  };
  grouped(parser.add_option("--platform", options.platform, "The machine: SimGrid's XML, or TOML"))
      ->type_name("FILE");
  grouped(parser.add_option("--hostfile", options.hostfile, "The host of each rank, one a line"))
      ->type_name("FILE");
  grouped(parser.add_option("--map", options.map,
                            "Without a hostfile: cyclic, block, or with ranks a host, block:4"))
      ->type_name("HOW")
      ->capture_default_str();
  grouped(parser.add_option("--option", options.options, "An option of SimGrid, name:value"))
      ->type_name("NAME:VALUE")
      ->allow_extra_args(false);  // or it would swallow the trace that follows
  grouped(
      parser.add_option("--options", options.option_files, "A file of such options, one a line"))
      ->type_name("FILE")
      ->allow_extra_args(false);
  grouped(parser.add_option("--compute-scale", options.compute_scale,
                            "Multiplies all computation: 0.5 is a machine twice as fast"))
      ->type_name("FACTOR")
      ->not_negative()
      ->capture_default_str();
  grouped(parser.add_option(
              "--reference-speed", options.reference_speed,
              "Speed of the cores that the trace was measured on, as 2.5Gf; default: the hosts'"))
      ->type_name("SPEED");
}

Machine resolve_machine(const PlatformOptions& options, const Trace& trace, Findings& findings) {
  if (std::isnan(options.compute_scale)) {
    throw usage_error("cannot use 'nan' as --compute-scale", "it is no number",
                      "Write for example 0.5.");
  }
  Machine machine{read_platform(options.platform, findings), {}, smpi_options(options)};
  findings.merge(machine.smpi.ignored());
  SimulationOptions& simulation = machine.simulation;
  simulation.model = machine.smpi.model();
  simulation.choose = machine.smpi.collectives();
  simulation.compute_scale = options.compute_scale;
  simulation.reference_speed = speed_of(options.reference_speed);
  machine.platform.set_implicit_loopback(simulation.model.loopback_bandwidth,
                                         simulation.model.loopback_latency);
  machine.hosts = place(options, machine.platform, trace);
  return machine;
}

Json to_json(const PlatformOptions& options, const SmpiOptions& smpi) {
  Json json;
  json["platform"] = options.platform;
  json["hostfile"] = options.hostfile;
  json["map"] = options.hostfile.empty() ? Json(options.map) : Json(nullptr);
  json["compute_scale"] = options.compute_scale;
  if (!options.reference_speed.empty()) json["reference_speed"] = options.reference_speed;
  Json values = Json::object();
  for (const auto& [name, value] : smpi.values()) values[name] = value;
  json["options"] = std::move(values);
  return json;
}

}  // namespace slackline
