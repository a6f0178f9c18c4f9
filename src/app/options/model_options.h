#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

struct ModelChoice;

/// The parameters of the network and of the MPI library as a caller writes them: text with units.
/// Error messages name parameters by their command-line options.
struct ModelOptions {
  std::optional<std::string> latency{};          ///< -L, as "3us"
  std::optional<std::string> overhead{};         ///< -o, as "500ns"
  std::optional<std::string> gap_per_byte{};     ///< -G, as "0.018ns/B" or "100Gb/s"
  std::optional<std::string> eager_threshold{};  ///< -S, as "256KiB" or "unlimited"
  std::string network{};                         ///< --network; empty: the default one
  std::string machine{};                         ///< --machine, a file that `calibrate` wrote
  std::string buffers{};                         ///< --buffers; empty: written
  std::string params_file{};                     ///< --params
  std::vector<std::string> collectives{};  ///< --collectives, each as CollectiveChoice::add reads
  std::string rendezvous{};                ///< --rendezvous; empty: the default one
  std::string occupancy{};                 ///< --occupancy; empty: links, of a trace
  std::string computation = "auto";        ///< --computation: auto, wall or cpu

  bool given() const {
    return latency || overhead || gap_per_byte || eager_threshold || !network.empty() ||
           !machine.empty() || !params_file.empty() || !collectives.empty() ||
           !rendezvous.empty() || !occupancy.empty();
  }
  /// Nothing says on which network: the trace may.
  bool network_is_open() const { return network.empty() && machine.empty(); }
};

/// Values of --occupancy.
inline constexpr std::string_view kLinksOccupied = "links";
inline constexpr std::string_view kNoOccupancy = "none";

/// Parses and combines the options. Later sources override earlier ones: the named network, the
/// measured machine, the parameter file, the individual options. Reads the files. The automatic
/// selector of collective algorithms stays automatic, because it depends on the trace
/// (CollectiveChoice::resolve_automatic). Throws usage Error.
ModelChoice resolve_model(const ModelOptions& options);

/// The preset for traces whose ranks all ran on one host.
inline constexpr std::string_view kOneHostNetwork = "shared-memory";

/// The same of options that leave the network open, for a trace: on one host the preset is
/// kOneHostNetwork, and a finding says so.
ModelChoice resolve_model(const ModelOptions& options, const Trace& trace, Findings& findings);

/// The choice between LogGPS and LogGOPS, and LogGOPS's own parameters, as a caller writes them.
struct LogGOPSOptions {
  std::string model = "loggps";             ///< --model: loggps or loggops
  std::string gap = "0ns";                  ///< g
  std::string overhead_per_byte = "0ns/B";  ///< O
  std::string noise_file{};                 ///< empty: no noise
  std::uint64_t noise_seed = 1;
  bool noise_coscheduled = false;
  bool simulator_flaws = false;  ///< reproduces LogGOPSim's deviations from the model

  bool wanted() const { return model == "loggops"; }
};

/// For requests that cannot be answered under LogGOPS: throws usage Error when it is asked for.
void refuse_loggops(const LogGOPSOptions& options);

struct LogGPS;
struct PairNetwork;
struct NodePlacement;

/// Where ranks run and how their nodes are connected, as a caller writes it.
struct NetworkOptions {
  std::string topology{};                 ///< --topology: a specification or a TOML file
  std::string latency_matrix{};           ///< --latency-matrix: a file
  std::string gap_matrix{};               ///< --gap-matrix: a file
  std::int32_t ranks_per_node = 0;        ///< --ranks-per-node; 0: not given
  std::string placement{};                ///< --placement: block, cyclic or a file
  std::string hosts{};                    ///< --hosts: a file
  std::vector<std::string> intra_node{};  ///< --intra-node: "L=600ns", "G=0.12ns/B"

  bool has_matrix() const { return !latency_matrix.empty() || !gap_matrix.empty(); }
  bool given() const {
    return !topology.empty() || has_matrix() || ranks_per_node > 0 || !placement.empty();
  }
};

/// The node that each rank runs on, and the nodes' names as far as they are known. Reads files.
/// Throws Error.
NodePlacement resolve_placement(const NetworkOptions& options, std::int32_t ranks);

/// Null if nothing was given: all pairs of ranks are alike. Reads files. Throws usage Error.
std::shared_ptr<const PairNetwork> resolve_network(const NetworkOptions& options,
                                                   const LogGPS& model, std::int32_t ranks);

}  // namespace slackline
