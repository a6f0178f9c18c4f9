#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include "cli/command_parser.h"

#include "timing/loggps.h"
#include "timing/network/pair_network.h"
#include "timing/network/placement.h"

namespace slackline {

/// Where ranks run and how their nodes are connected, as typed.
struct NetworkOptions {
  std::string topology{};                 ///< --topology
  std::int32_t ranks_per_node = 0;        ///< --ranks-per-node; 0: not given
  std::string placement{};                ///< --placement
  std::string hosts{};                    ///< --hosts
  std::vector<std::string> intra_node{};  ///< --intra-node

  bool given() const { return !topology.empty() || ranks_per_node > 0 || !placement.empty(); }
};

void add_network_options(CommandParser& parser, NetworkOptions& options);

/// Which node each rank runs on, and the nodes' names as far as they are known. Reads files.
Placement resolve_placement(const NetworkOptions& options, std::int32_t ranks);

/// Null if nothing was given: all pairs of ranks are alike. Throws usage Error; reads files.
std::shared_ptr<const PairNetwork> resolve_network(const NetworkOptions& options,
                                                   const LogGPS& model, std::int32_t ranks);

}  // namespace slackline
