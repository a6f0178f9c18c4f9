#include "app/load/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "sim/platform/read_platform.h"
#include "whatif/edit.h"

namespace slackline {
namespace {

constexpr const char* kAddNoise = "Example: --noise 'amplitude=5% messages=1us'.";

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

/// As the edit of that name, of computation and, as `messages`, of the latency of messages.
void set_noise(const PlatformOptions& options, SimulationOptions& simulation) {
  if (!options.noise) {
    if (options.seed == PlatformOptions().seed) return;
    throw usage_error("cannot use --seed", "there is no noise", kAddNoise);
  }
  constexpr std::array<std::string_view, 3> kKnown{"amplitude", "messages", "distribution"};
  const Edit edit = parse_edit("--noise " + *options.noise, "--noise amplitude=5%");
  if (edit.find("amplitude") == nullptr && edit.find("messages") == nullptr) {
    throw usage_error(fmt::format("cannot use '{}' as --noise", *options.noise),
                      "it has neither amplitude nor messages", kAddNoise);
  }
  for (const auto& [key, value] : edit.arguments) {
    if (std::ranges::find(kKnown, key) != kKnown.end()) continue;
    refuse(edit, key, "--noise has no such argument",
           "Its arguments are amplitude, messages and distribution; the seed is --seed.");
  }
  const auto in_seconds = [&](std::string_view amplitude) {
    Noise noise = edit.noise(amplitude);
    noise.time *= 1e-9;
    noise.seed = options.seed;
    return noise;
  };
  simulation.compute_noise = in_seconds("amplitude");
  simulation.message_noise = in_seconds("messages");
}

auto platform_object(const PlatformOptions& options, const SmpiOptions& smpi) {
  JsonMap<std::string> values;
  for (const auto& [name, value] : smpi.values()) values.add(name, value);
  return Object{"platform"_key = options.platform,
                "hostfile"_key = options.hostfile,
                "map"_key = known_if(options.hostfile.empty(), options.map),
                "compute_scale"_key = options.compute_scale,
                "reference_speed"_key.when(known_text(options.reference_speed)),
                "noise"_key.when(options.noise),
                "seed"_key.when(options.noise.has_value(), options.seed),
                "options"_key = values};
}

}  // namespace

Machine resolve_machine(const PlatformOptions& options, const Trace& trace, Findings& findings) {
  if (std::isnan(options.compute_scale)) {
    throw usage_error("cannot use 'nan' as --compute-scale", "it is not a number", "Example: 0.5.");
  }
  if (!options.given()) {
    throw usage_error("cannot simulate the run", "no platform given",
                      "Add --platform FILE (SimGrid XML or TOML).");
  }
  Machine machine{read_platform(options.platform, findings), {}, smpi_options(options)};
  findings.merge(machine.smpi.ignored());
  SimulationOptions& simulation = machine.simulation;
  simulation.model = machine.smpi.model();
  simulation.choose = machine.smpi.collectives();
  simulation.compute_scale = options.compute_scale;
  simulation.reference_speed = speed_of(options.reference_speed);
  set_noise(options, simulation);
  machine.platform.set_implicit_loopback(simulation.model.loopback_bandwidth,
                                         simulation.model.loopback_latency);
  machine.hosts = place(options, machine.platform, trace);
  return machine;
}

const JsonType& declared_type(const PlatformJsonTag*) {
  return json_type_by<platform_object>();
}

PlatformJson to_json(const PlatformOptions& options, const SmpiOptions& smpi) {
  return platform_object(options, smpi);
}

}  // namespace slackline
