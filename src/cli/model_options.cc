#include "cli/model_options.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/units.h"
#include "timing/model_file.h"

namespace slackline {
namespace {

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const NamedNetwork& network : named_networks()) names.emplace_back(network.name);
  return names;
}

std::vector<std::string> rendezvous_names() {
  std::vector<std::string> names;
  for (const Rendezvous protocol :
       {Rendezvous::handshake, Rendezvous::rdma_read, Rendezvous::sync, Rendezvous::loggopsim}) {
    names.emplace_back(to_string(protocol));
  }
  return names;
}

/// `-o` is the output file on other commands, and habit writes it here too.
std::int64_t parse_overhead_fs(const std::string& text) {
  try {
    return parse_time_fs(text, "overhead o");
  } catch (const Error&) {
    throw usage_error(fmt::format("cannot use '{}' as overhead o", text),
                      "a time with a unit is needed",
                      "Write it like 500ns; a file to write to is given with -O or --output.");
  }
}

ModelSettings given_settings(const ModelOptions& options) {
  ModelSettings given;
  if (options.latency) given.latency_fs = parse_time_fs(*options.latency, "latency L");
  if (options.overhead) given.overhead_fs = parse_overhead_fs(*options.overhead);
  if (options.gap_per_byte) {
    given.gap_per_byte_fs = parse_gap_per_byte_fs(*options.gap_per_byte, "gap per byte G");
  }
  if (options.eager_threshold) {
    given.eager_threshold_bytes = parse_bytes(*options.eager_threshold, "eager threshold S");
  }
  return given;
}

void apply(const ModelSettings& settings, ModelChoice& choice) {
  LogGPS& loggps = choice.model;
  loggps.latency_fs = settings.latency_fs.value_or(loggps.latency_fs);
  loggps.overhead_fs = settings.overhead_fs.value_or(loggps.overhead_fs);
  loggps.gap_per_byte_fs = settings.gap_per_byte_fs.value_or(loggps.gap_per_byte_fs);
  std::uint64_t& threshold = choice.graph.eager_threshold_bytes;
  threshold = settings.eager_threshold_bytes.value_or(threshold);
}

}  // namespace

void add_model_options(CommandParser& parser, ModelOptions& options, OverheadShortName short_name) {
  const char* group = "Model";
  parser.add_option("-L,--latency", options.latency, "Latency of one message, as 3us")
      ->type_name("TIME")
      ->group(group);
  parser
      .add_option(short_name == OverheadShortName::lower ? "-o,--overhead" : "--overhead",
                  options.overhead, "CPU time to send or to receive a message, as 500ns")
      ->type_name("TIME")
      ->group(group);
  parser
      .add_option("-G,--gap-per-byte", options.gap_per_byte,
                  "Time per byte, as 0.018ns/B, or the bandwidth, as 100Gb/s")
      ->type_name("GAP")
      ->group(group);
  parser
      .add_option("-S,--eager-threshold", options.eager_threshold,
                  "Longer messages wait for their receiver, as 256KiB or unlimited")
      ->type_name("SIZE")
      ->group(group);
  parser.add_option("--network", options.network, "Values for what is not given")
      ->one_of(network_names())
      ->default_str(std::string(named_networks().front().name))
      ->group(group);
  parser
      .add_option("--params", options.params_file,
                  "TOML file with a table [loggps]: L, o, G and S as above")
      ->type_name("FILE")
      ->group(group);
  parser.add_option("--rendezvous", options.rendezvous, "Protocol of messages over the threshold")
      ->one_of(rendezvous_names())
      ->default_str(std::string(to_string(GraphOptions{}.rendezvous)))
      ->group(group);
  parser
      .add_option("--collectives", options.collectives,
                  "openmpi, mpich or auto, and rules as allreduce=ring or bcast=chain:64KiB..,"
                  " joined by commas")
      ->type_name("RULES")
      ->allow_extra_args(false)  // or it would swallow the trace that follows
      ->group(group);
}

ModelChoice resolve_model(const ModelOptions& options) {
  const NamedNetwork& network =
      options.network.empty() ? named_networks().front() : find_network(options.network);
  ModelChoice choice{network.model, {}, std::string(network.name)};
  choice.graph.eager_threshold_bytes = network.eager_threshold_bytes;
  if (!options.params_file.empty()) apply(read_model_file(options.params_file), choice);
  apply(given_settings(options), choice);
  if (!options.rendezvous.empty()) choice.graph.rendezvous = parse_rendezvous(options.rendezvous);
  for (const std::string& rules : options.collectives) choice.graph.collectives.add(rules);
  return choice;
}

}  // namespace slackline
