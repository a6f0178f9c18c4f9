#include "cli/shared_options.h"

#include "app/options/model_names.h"
#include "graph/build.h"
#include "timing/cost/loggps.h"

namespace slackline {

void add_memory(CommandParser& parser, ReadingOptions& reading) {
  parser
      .add_option("--memory", reading.memory,
                  "Memory that the command may take (default: what is available)")
      ->type_name("SIZE");
}

void add_trace(CommandParser& parser, std::string& trace, ReadingOptions& reading) {
  parser
      .add_option("trace", trace,
                  "Trace file or recording folder; default: the newest slackline-trace* in the "
                  "current folder")
      ->type_name("TRACE");
  add_memory(parser, reading);
}

void add_computation(CommandParser& parser, std::string& computation, const std::string& group) {
  CommandOption* const option =
      parser
          .add_option("--computation", computation,
                      "Time between calls that counts as computation: all (wall), CPU time (cpu), "
                      "or CPU time where ranks shared processors (auto)")
          ->one_of({"auto", "wall", "cpu"})
          ->default_str(computation);
  if (!group.empty()) option->group(group);
}

void add_collectives(CommandParser& parser, std::vector<std::string>& collectives,
                     const std::string& group) {
  CommandOption* const option =
      parser
          .add_option("--collectives", collectives,
                      "Collective algorithms: openmpi, mpich or auto, and rules such as "
                      "allreduce=ring or bcast=chain:64KiB.., separated by commas")
          ->type_name("RULES")
          ->allow_extra_args(false);  // or it would swallow the trace that follows
  if (!group.empty()) option->group(group);
}

void add_model_options(CommandParser& parser, ModelOptions& options) {
  const char* group = "Model";
  parser.add_option("-L,--latency", options.latency, "Latency of a message, e.g. 3us")
      ->type_name("TIME")
      ->group(group);
  parser
      .add_option("--overhead", options.overhead,
                  "CPU time to send or to receive a message, e.g. 500ns")
      ->type_name("TIME")
      ->group(group);
  parser
      .add_option("-G,--gap-per-byte", options.gap_per_byte,
                  "Time per byte, e.g. 0.018ns/B, or bandwidth, e.g. 100Gb/s")
      ->type_name("GAP")
      ->group(group);
  parser
      .add_option(
          "-S,--eager-threshold", options.eager_threshold,
          "Eager threshold: longer messages wait for their receiver, e.g. 256KiB or unlimited")
      ->type_name("SIZE")
      ->group(group);
  parser.add_option("--network", options.network, "Preset for parameters not set")
      ->one_of(network_names())
      ->default_str(std::string(named_networks().front().name) + ", or " +
                    std::string(kOneHostNetwork) + " if all ranks ran on one host")
      ->group(group);
  parser
      .add_option("--machine", options.machine,
                  "Machine file from 'slackline calibrate' for parameters not given")
      ->type_name("FILE")
      ->group(group);
  parser
      .add_option("--params", options.params_file,
                  "TOML file with a table [loggps] of L, o, G and S")
      ->type_name("FILE")
      ->group(group);
  parser
      .add_option("--rendezvous", options.rendezvous,
                  "Protocol of messages over the eager threshold")
      ->one_of(rendezvous_names())
      ->default_str(std::string(to_string(GraphOptions{}.rendezvous)))
      ->group(group);
  add_collectives(parser, options.collectives, group);
  add_computation(parser, options.computation, group);
}

void add_model_request(CommandParser& parser, ModelRequest& request, OutputOptions& output) {
  add_trace(parser, request.trace, request.reading);
  add_model_options(parser, request.model);
  add_output_options(parser, output);
}

void add_interval(CommandParser& parser, std::string& interval) {
  parser
      .add_option(
          "--interval", interval,
          "Analysed interval: common (last return from MPI_Init to first entry into "
          "MPI_Finalize), program (first return to last entry), run (all of it), or times such "
          "as 1.5s..2s")
      ->type_name("INTERVAL")
      ->capture_default_str();
}

void add_network_options(CommandParser& parser, NetworkOptions& options) {
  const char* group = "Network";
  parser
      .add_option("--topology", options.topology,
                  "Network topology: fat-tree:k=16,tiers=3, dragonfly:g=8,a=4,p=8, "
                  "torus:dims=4x4x2, crossbar:nodes=64, hops:file=FILE, or a TOML file")
      ->type_name("SPEC")
      ->group(group);
  parser.add_option("--ranks-per-node", options.ranks_per_node, "Number of ranks per node")
      ->positive()
      ->type_name("N")
      ->group(group);
  parser
      .add_option(
          "--placement", options.placement,
          "Placement of ranks: block, cyclic, or a file with one host per line, in rank order")
      ->type_name("HOW")
      ->group(group);
  parser
      .add_option("--hosts", options.hosts,
                  "File with the hosts of the topology, one per line, in order")
      ->type_name("FILE")
      ->group(group);
  parser
      .add_option(
          "--intra-node", options.intra_node,
          "Parameters of messages within a node (default: L and G of --network shared-memory)")
      ->type_name("L=TIME,G=GAP")
      ->delimiter(',')
      ->allow_extra_args(false)  // or it would swallow the trace that follows
      ->group(group);
}

void add_platform_options(CommandParser& parser, PlatformOptions& options, PlatformGroup group) {
  const auto grouped = [&](CommandOption* option) {
    if (group == PlatformGroup::shared) option->group("Platform");
    return option;
  };
  grouped(parser.add_option("--platform", options.platform, "Platform file: SimGrid XML or TOML"))
      ->type_name("FILE");
  grouped(parser.add_option("--hostfile", options.hostfile, "Hosts of the ranks, one per line"))
      ->type_name("FILE");
  grouped(parser.add_option(
              "--map", options.map,
              "Placement without a hostfile: cyclic, block, or with ranks per host, block:4"))
      ->type_name("HOW")
      ->capture_default_str();
  grouped(parser.add_option("--option", options.options, "SimGrid option, name:value"))
      ->type_name("NAME:VALUE")
      ->allow_extra_args(false);  // or it would swallow the trace that follows
  grouped(
      parser.add_option("--options", options.option_files, "File of SimGrid options, one per line"))
      ->type_name("FILE")
      ->allow_extra_args(false);
  grouped(parser.add_option("--compute-scale", options.compute_scale,
                            "Factor on all computation: 0.5 is a machine twice as fast"))
      ->type_name("FACTOR")
      ->not_negative()
      ->capture_default_str();
  grouped(parser.add_option("--reference-speed", options.reference_speed,
                            "Speed of the cores that the trace was measured on, e.g. 2.5Gf "
                            "(default: that of the hosts)"))
      ->type_name("SPEED");
}

void add_run_options(CommandParser& parser, RunRequest& request) {
  parser
      .add_option("--on", request.on,
                  "Run to analyse: measured, predicted (by the model) or simulated (on a "
                  "platform); default: measured if the trace has timestamps, else predicted")
      ->type_name("RUN");
  add_reading_options(parser, request.reading);
  add_model_options(parser, request.model);
  add_network_options(parser, request.network);
  add_platform_options(parser, request.platform);
}

void add_loggops_options(CommandParser& parser, LogGOPSOptions& options) {
  const char* group = "LogGOPS";
  parser
      .add_option("--model", options.model,
                  "loggps: longest path; loggops: LogGOPSim's timing, in which each processor and "
                  "network card handles one operation at a time")
      ->one_of({"loggps", "loggops"})
      ->capture_default_str()
      ->group(group);
  parser.add_option("-g,--gap", options.gap, "loggops: gap between messages of one network card")
      ->type_name("TIME")
      ->capture_default_str()
      ->group(group);
  parser
      .add_option("--overhead-per-byte", options.overhead_per_byte, "loggops: O, CPU time per byte")
      ->type_name("GAP")
      ->capture_default_str()
      ->group(group);
  parser
      .add_option(
          "--noise", options.noise_file,
          "loggops: file of system noise, one interruption per line: begin and length in ns")
      ->type_name("FILE")
      ->group(group);
  parser
      .add_option("--noise-seed", options.noise_seed,
                  "loggops: seed of the ranks' start positions in the noise")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  parser
      .add_flag("--noise-cosched", options.noise_coscheduled,
                "loggops: start all ranks at the same position in the noise")
      ->group(group);
  parser
      .add_flag("--loggopsim-flaws", options.simulator_flaws,
                "loggops: reproduce LogGOPSim's deviations from the model")
      ->group(group);
}

void add_cache_option(CommandParser& parser, CacheOptions& options) {
  parser
      .add_option("--cache", options.where,
                  "Cache of the reduced graph: auto (large traces, in the user's cache folder) or "
                  "a folder")
      ->type_name("WHERE")
      ->capture_default_str();
  parser.add_flag("--no-cache", options.none, "Neither read nor write a cache");
}

void add_degradations(CommandParser& parser, std::vector<std::string>& degradations) {
  parser.add_option("--degrade", degradations, "Allowed increase of the run time, e.g. 1%,2%,5%")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)  // or it would swallow the trace that follows
      ->default_str("1%,2%,5%");
}

void add_reading_options(CommandParser& parser, ReadingOptions& reading) {
  CommandOption* const fix =
      parser.add_flag("--fix-clocks", reading.fix_clocks,
                      "Correct all clock violations, including those within the clocks' error");
  parser
      .add_flag("--keep-clocks", reading.keep_clocks,
                "Leave times as they were measured, whatever the clocks' skew")
      ->excludes(fix);
}

void add_pairs(CommandParser& parser, bool& pairs) {
  parser.add_flag("--pairs", pairs, "Messages and bytes on the critical path by pair of ranks");
}

void add_uncertainty(CommandParser& parser, std::vector<std::string>& also, std::size_t& bootstrap,
                     std::uint64_t& seed) {
  parser
      .add_option("--also", also,
                  "Another run of the same program, for confidence intervals; may be repeated")
      ->type_name("TRACE")
      ->allow_extra_args(false);
  parser
      .add_option("--bootstrap", bootstrap,
                  "Confidence intervals from this many replicates with resampled computation")
      ->type_name("N");
  parser.add_option("--seed", seed, "Seed of the resampling")
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace slackline
