#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "timing/network/pair_network.h"
#include "timing/network/wire_topology.h"

namespace slackline {

/// A topology with what its wires and switches cost.
struct TopologySpec {
  std::shared_ptr<const WireTopology> topology;
  std::vector<std::int64_t> wire_fs;  ///< by class of wires
  std::int64_t switch_fs = 0;
  std::string description;  ///< as the short form; reports show it
};

/// Reads the short form "KIND:key=value,...", or a TOML file with a table [topology] of the same
/// keys and `kind`, if `text` names a file:
///   fat-tree   k (ports of a switch), tiers
///   dragonfly  g, a, p, and h (0: as few as suffice)
///   torus      dims (as 4x4x2; in TOML also [4, 4, 2]), hosts (at each switch, 1)
///   crossbar   nodes
///   hops       file: a text file with a row of whole numbers for each node; in TOML also `matrix`
/// and for all: wire, switch (times; 274ns and 108ns, LLAMP section IV-2), and the name of a class
/// of wires for one that differs. Throws usage Error that names the key, and of a file the line.
TopologySpec read_topology(const std::string& text);

}  // namespace slackline
