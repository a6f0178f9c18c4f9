#include "app/options/shared_options.h"

#include "calibration/samples.h"
#include "graph/build.h"
#include "timing/cost/loggps.h"

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

}  // namespace

void declare_buffers(OptionList& options, std::string& buffers, const std::string& help) {
  options.add("--buffers", buffers, help,
              {.choices = {kBuffersNames.begin(), kBuffersNames.end()},
               .shown_default = std::string(kBuffersNames[0])});
}

void declare_memory(OptionList& options, ReadingOptions& reading) {
  options.add("--memory SIZE", reading.memory,
              "Memory that the command may take (default: what is available)",
              {.example = "4GiB", .unit = QuantityUnit::bytes});
}

void describe_memory_of_stretches(OptionList& options) {
  options["--memory"].help =
      "Memory that the command may take (default: what is available); a larger native trace is "
      "analysed in stretches";
}

void declare_trace(OptionList& options, std::string& trace, ReadingOptions& reading) {
  options.add("trace TRACE", trace,
              "Trace file or recording folder; default: the newest slackline-trace* in the current "
              "folder");
  declare_memory(options, reading);
}

void declare_clocks(OptionList& options, ReadingOptions& reading, OptionCallers callers) {
  options.add("--fix-clocks", reading.fix_clocks,
              "Correct all clock violations, including those within the clocks' error",
              {.callers = callers});
  options.add("--keep-clocks", reading.keep_clocks,
              "Leave times as they were measured, whatever the clocks' skew",
              {.excludes = "--fix-clocks", .callers = callers});
}

void declare_computation(OptionList& options, std::string& computation) {
  options.add("--computation", computation,
              "Time between calls that counts as computation: all (wall), CPU time (cpu), or CPU "
              "time where ranks shared processors (auto)",
              {.choices = {"auto", "wall", "cpu"}});
}

void declare_collectives(OptionList& options, std::vector<std::string>& collectives) {
  options.add("--collectives RULES", collectives,
              "Collective algorithms: openmpi, mpich or auto, and rules such as allreduce=ring or "
              "bcast=chain:64KiB.., separated by commas");
}

void declare(OptionList& options, ModelOptions& model) {
  const OptionGroup group(options, "Model");
  options.add("-L,--latency TIME", model.latency, "Latency of a message, e.g. 3us",
              {.example = "3us", .unit = QuantityUnit::time});
  options.add("--overhead TIME", model.overhead,
              "CPU time to send or to receive a message, e.g. 500ns",
              {.example = "500ns", .unit = QuantityUnit::time, .keyword = "o"});
  options.add("-G,--gap-per-byte GAP", model.gap_per_byte,
              "Time per byte, e.g. 0.018ns/B, or bandwidth, e.g. 100Gb/s",
              {.example = "100Gb/s", .unit = QuantityUnit::time_per_byte});
  options.add("-S,--eager-threshold SIZE", model.eager_threshold,
              "Eager threshold: longer messages wait for their receiver, e.g. 256KiB or unlimited",
              {.example = "64KiB", .unit = QuantityUnit::bytes});
  options.add("--network", model.network, "Preset for parameters not set",
              {.choices = network_names(),
               .shown_default = std::string(named_networks().front().name) + ", or " +
                                std::string(kOneHostNetwork) + " if all ranks ran on one host"});
  options.add("--machine FILE", model.machine,
              "Machine file from 'slackline calibrate' for parameters not given");
  declare_buffers(options, model.buffers,
                  "With --machine, the messages that were measured: from buffers that were written "
                  "before, from reused ones that were not, or from the same that receive");
  options.add("--params FILE", model.params_file,
              "TOML file with a table [loggps] of L, o, G and S");
  options.add("--rendezvous", model.rendezvous, "Protocol of messages over the eager threshold",
              {.choices = rendezvous_names(),
               .shown_default = std::string(to_string(GraphOptions{}.rendezvous))});
  options.add("--occupancy", model.occupancy,
              "What messages occupy: the links of sender and receiver, one message at a time "
              "(links), or nothing, as in LogGPS (none)",
              {.choices = {std::string(kLinksOccupied), std::string(kNoOccupancy)},
               .shown_default = "links; none for GOAL files"});
  declare_collectives(options, model.collectives);
  declare_computation(options, model.computation);
}

void declare(OptionList& options, LogGOPSOptions& loggops) {
  const OptionGroup group(options, "LogGOPS");
  options.add("--model", loggops.model,
              "loggps: longest path; loggops: LogGOPSim's timing, in which each processor and "
              "network card handles one operation at a time",
              {.choices = {"loggps", "loggops"}});
  options.add("-g,--gap TIME", loggops.gap, "loggops: gap between messages of one network card",
              {.example = "10ns", .unit = QuantityUnit::time});
  options.add("--overhead-per-byte GAP", loggops.overhead_per_byte, "loggops: O, CPU time per byte",
              {.example = "0.01ns/B"});
  options.add("--noise FILE", loggops.noise_file,
              "loggops: file of system noise, one interruption per line: begin and length in ns");
  options.add("--noise-seed N", loggops.noise_seed,
              "loggops: seed of the ranks' start positions in the noise");
  options.add("--noise-cosched", loggops.noise_coscheduled,
              "loggops: start all ranks at the same position in the noise");
  options.add("--loggopsim-flaws", loggops.simulator_flaws,
              "loggops: reproduce LogGOPSim's deviations from the model");
}

void declare(OptionList& options, NetworkOptions& network) {
  const OptionGroup group(options, "Network");
  options.add("--topology SPEC", network.topology,
              "Network topology: fat-tree:k=16,tiers=3, dragonfly:g=8,a=4,p=8, torus:dims=4x4x2, "
              "crossbar:nodes=64, hops:file=FILE, or a TOML file");
  options.add("--latency-matrix FILE", network.latency_matrix,
              "CSV file with L of messages between any two nodes: a row per sender, values with "
              "units",
              {.excludes = "--topology"});
  options.add("--gap-matrix FILE", network.gap_matrix,
              "CSV file with G (or bandwidth) of messages between any two nodes",
              {.excludes = "--topology"});
  options.add("--ranks-per-node N", network.ranks_per_node, "Number of ranks per node",
              {.positive = true});
  options.add("--placement HOW", network.placement,
              "Placement of ranks: block, cyclic, or a file with one host per line, in rank order");
  options.add("--hosts FILE", network.hosts,
              "File with the hosts of the topology, one per line, in order");
  options.add("--intra-node L=TIME,G=GAP", network.intra_node,
              "Parameters of messages within a node (default: L and G of --network shared-memory)",
              {.separator = ','});
}

void declare_platform(OptionList& options, PlatformOptions& platform) {
  options.add("--platform FILE", platform.platform, "Platform file: SimGrid XML or TOML");
  options.add("--hostfile FILE", platform.hostfile, "Hosts of the ranks, one per line");
  options.add("--map HOW", platform.map,
              "Placement without a hostfile: cyclic, block, or with ranks per host, block:4");
  options.add("--option NAME:VALUE", platform.options, "SimGrid option, name:value");
  options.add("--options FILE", platform.option_files, "File of SimGrid options, one per line");
  options.add("--compute-scale FACTOR", platform.compute_scale,
              "Factor on all computation: 0.5 is a machine twice as fast", {.not_negative = true});
  options.add("--reference-speed SPEED", platform.reference_speed,
              "Speed of the cores that the trace was measured on, e.g. 2.5Gf (default: that of the "
              "hosts)");
}

void declare(OptionList& options, PlatformOptions& platform) {
  const OptionGroup group(options, "Platform");
  declare_platform(options, platform);
}

void declare(OptionList& options, ModelRequest& request) {
  declare_trace(options, request.trace, request.reading);
  declare(options, request.model);
  declare(options, request.network);
}

void declare(OptionList& options, RunRequest& request) {
  options.add("--on RUN", request.on,
              "Run to analyse: measured, predicted (by the model) or simulated (on a platform); "
              "default: measured if the trace has timestamps, else predicted");
  declare_clocks(options, request.reading);
  declare(options, request.model);
  declare(options, request.network);
  declare(options, request.platform);
}

void declare_interval(OptionList& options, std::string& interval) {
  options.add("--interval INTERVAL", interval,
              "Analysed interval: common (last return from MPI_Init to first entry into "
              "MPI_Finalize), program (first return to last entry), run (all of it), or times such "
              "as 1.5s..2s",
              {.example = "1.5s..2s"});
}

void declare(OptionList& options, CacheOptions& cache) {
  options.add("--cache WHERE", cache.where,
              "Cache of the reduced graph: auto (large traces, in the user's cache folder) or a "
              "folder");
  options.add("--no-cache", cache.none, "Neither read nor write a cache");
}

void declare_degradations(OptionList& options, std::vector<std::string>& degradations) {
  options.add("--degrade LIST", degradations, "Allowed increase of the run time, e.g. 1%,2%,5%",
              {.shown_default = "1%,2%,5%", .separator = ',', .example = "5%"});
}

void declare_uncertainty(OptionList& options, std::vector<std::string>& also,
                         std::size_t& bootstrap, std::uint64_t& seed) {
  options.add("--also TRACE", also,
              "Another run of the same program, for confidence intervals; may be repeated");
  options.add("--bootstrap N", bootstrap,
              "Confidence intervals from this many replicates with resampled computation");
  options.add("--seed N", seed, "Seed of the resampling");
}

void declare_pairs(OptionList& options, bool& pairs) {
  options.add("--pairs", pairs, "Messages and bytes on the critical path by pair of ranks");
}

}  // namespace slackline
