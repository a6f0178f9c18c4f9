#pragma once

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

}  // namespace slackline
