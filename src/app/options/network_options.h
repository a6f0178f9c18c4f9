#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace slackline {

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
