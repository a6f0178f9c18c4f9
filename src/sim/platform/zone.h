#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

using ZoneId = std::uint32_t;

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// A host or router, by the zone that holds it and its number there.
struct Point {
  ZoneId zone = kNone;
  std::uint32_t member = kNone;

  bool operator==(const Point&) const = default;
};

/// Gives a zone the way between two points inside one of its members.
class InsideRoutes {
 public:
  virtual ~InsideRoutes() = default;
  virtual void append(Point src, Point dst, std::vector<LinkId>& links) const = 0;
};

/// Where a route between two members leaves and enters when they are zones; untouched for hosts.
struct Gateways {
  Point src;
  Point dst;
  const InsideRoutes* inside = nullptr;
};

struct Member {
  enum class Kind : std::uint8_t { host, router, zone };
  Kind kind = Kind::host;
  std::uint32_t id = 0;  ///< HostId or ZoneId; unused for routers
};

/// An end of a short cut: a zone (member kNone), or a host or router of the zone that declares it.
struct BypassEnd {
  ZoneId zone = kNone;
  std::uint32_t member = kNone;

  auto operator<=>(const BypassEnd&) const = default;
};

/// What is travelled instead of what the zones would say.
struct Bypass {
  Point src;
  Point dst;
  std::vector<LinkId> links;
};

/// A link and the nodes that it goes from and to, by their numbers: equal for what is inside a node
/// (a backbone, a limiter, a loopback). A link that serves both directions is given in one.
struct Wire {
  LinkId link = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The nodes of a cluster by the coordinates of its own shape, and the links between them. Hosts
/// come first, in the order of the zone's members; then switches.
struct ClusterMap {
  enum class Kind : std::uint8_t {
    levels,    ///< a star, a fat tree: level (0: hosts), number in it
    torus,     ///< place in each dimension
    dragonfly  ///< group, chassis, router, and 0, or of a host 1 + its number at the router
  };
  Kind kind = Kind::levels;
  std::uint32_t hosts = 0;
  std::uint32_t dimensions = 2;              ///< coordinates of a node
  std::vector<std::uint32_t> coordinates{};  ///< of all nodes, one after the other
  std::vector<Wire> wires{};

  std::uint32_t nodes() const {
    return static_cast<std::uint32_t>(coordinates.size()) / dimensions;
  }
  std::span<const std::uint32_t> node(std::uint32_t number) const {
    return std::span(coordinates).subspan(std::size_t{number} * dimensions, dimensions);
  }
};

/// A part of a platform with one way of routing among its members: hosts, routers and zones.
class NetZone {
 public:
  NetZone() = default;
  NetZone(const NetZone&) = delete;
  NetZone& operator=(const NetZone&) = delete;
  virtual ~NetZone() = default;

  /// Appends the links from one member to another, and says by which gateways if they are zones.
  /// False when there is no route. `src` and `dst` can be equal for hosts: their loopback, or
  /// false if they have none of their own.
  virtual bool append_route(std::uint32_t src, std::uint32_t dst, Gateways& gateways,
                            std::vector<LinkId>& links) const = 0;

  virtual std::uint32_t member_count() const = 0;
  virtual Member member(std::uint32_t index) const = 0;
  virtual std::string member_name(const Platform& platform, std::uint32_t index) const = 0;
  /// "Full", "Dijkstra", "cluster", "fat tree"...: what it is, and its figures, for descriptions.
  virtual std::string kind() const = 0;
  virtual std::string figures() const { return {}; }
  /// None of a zone without a shape of its own. O(nodes + links).
  virtual std::optional<ClusterMap> map() const { return std::nullopt; }

  std::string name;
  ZoneId id = 0;
  ZoneId parent = kNone;
  std::uint32_t member_in_parent = kNone;
  std::map<std::pair<BypassEnd, BypassEnd>, Bypass> bypasses;
};

}  // namespace slackline
