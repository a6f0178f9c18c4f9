#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/platform/builder.h"
#include "sim/platform/host_names.h"
#include "sim/platform/platform.h"

namespace slackline {

/// A star: every host has a cable to the centre, which can be a backbone or nothing.
struct FlatShape {};

/// A fat tree, by level from the hosts up: children of a switch, parents of a node below it, and
/// parallel cables between the two. The number of hosts is the product of `children`.
struct FatTreeShape {
  std::vector<std::uint32_t> children;
  std::vector<std::uint32_t> parents;
  std::vector<std::uint32_t> cables;
};

/// A torus with as many hosts as the product of its sides. The first dimension varies fastest.
struct TorusShape {
  std::vector<std::uint32_t> sides;
};

/// A dragonfly: groups of chassis of routers of hosts. n parallel cables are one link of n times
/// the bandwidth.
struct DragonflyShape {
  std::uint32_t groups = 1;
  std::uint32_t blue_cables = 1;  ///< between two groups
  std::uint32_t chassis = 1;
  std::uint32_t black_cables = 1;  ///< between two chassis of a group
  std::uint32_t routers = 1;
  std::uint32_t green_cables = 1;  ///< between two routers of a chassis
  std::uint32_t hosts = 1;         ///< at a router
};

using ClusterShape = std::variant<FlatShape, FatTreeShape, TorusShape, DragonflyShape>;

/// Reads SimGrid's topo_parameters: "3;3,3,3;1,2,2;1,1,2" for FAT_TREE, "4,4,4" for TORUS,
/// "3,2;2,3;5,1;2" for DRAGONFLY, "" for FLAT. Throws usage Error.
ClusterShape parse_shape(std::string_view topology, std::string_view parameters);

/// The number of hosts that a shape takes; nothing for a star, which takes any number.
std::optional<std::uint64_t> hosts_of(const ClusterShape& shape);

/// A homogeneous set of hosts and the network among them.
struct ClusterSpec {
  std::string name;
  std::string prefix;
  std::string suffix;
  std::vector<NumberRange> numbers;
  std::uint32_t host_spec = 0;  ///< PlatformBuilder::add_spec
  ClusterShape shape;
  Link cable;
  /// Each cable is two links, one per direction; else one link serves both.
  bool duplex = true;
  std::optional<Link> backbone;   ///< of a star
  std::optional<double> limiter;  ///< bytes per second, of all that goes in and out of a node
  std::optional<Link> loopback;
  std::string router;  ///< of a star; "" gives it the usual name
};

struct AddedCluster {
  ZoneId zone = 0;
  std::string router;  ///< its name; "" when the shape has none
  Point router_point;
};

/// Adds a cluster as a zone. Throws usage Error when the shape does not take that many hosts.
AddedCluster add_cluster(PlatformBuilder& builder, const ClusterSpec& spec, ZoneId parent,
                         std::uint32_t member_in_parent);

}  // namespace slackline
