#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/platform/builder.h"
#include "sim/platform/cluster.h"
#include "sim/platform/routed_zone.h"

namespace slackline {

enum class Direction { none, up, down };

struct LinkUse {
  std::string name;
  Direction direction = Direction::none;
};

/// How a link was declared: half-duplex unless said.
enum class LinkPolicy { shared, fatpipe, duplex };

/// What a platform file declares by name, whatever its syntax: links, hosts, routers, zones,
/// routes. Refusals are usage Errors without a place; the reader adds it.
class Declarations {
 public:
  explicit Declarations(PlatformBuilder& builder) : builder_(builder) {}

  void add_link(const std::string& name, double bandwidth, double latency, LinkPolicy policy);
  /// The link of that name; `X_UP` and `X_DOWN` are those of a duplex link X.
  LinkId link(const std::string& name) const;

  void add_router(const std::string& name, Point point);
  void add_zone(const std::string& name, ZoneId zone);
  ZoneId zone(const std::string& name) const;
  /// The host or router of that name.
  Point point(const std::string& name) const;

  /// Declares a route in `zone` between two of its members, and back unless told otherwise.
  /// Gateways are "" for members that are no zones.
  void add_route(RoutedZone& zone, const std::string& src, const std::string& dst,
                 const std::string& gateway_src, const std::string& gateway_dst,
                 const std::vector<LinkUse>& links, bool symmetrical) const;
  void add_bypass(NetZone& zone, const std::string& src, const std::string& dst,
                  const std::string& gateway_src, const std::string& gateway_dst,
                  const std::vector<LinkUse>& links) const;

 private:
  struct DeclaredLink {
    LinkId first;
    bool duplex;
  };

  std::vector<LinkId> resolve(const std::vector<LinkUse>& links, bool back) const;
  Point gateway(const RoutedZone& zone, std::uint32_t member, const std::string& name) const;
  bool is_inside(Point point, ZoneId zone) const;

  PlatformBuilder& builder_;
  std::unordered_map<std::string, DeclaredLink> links_;
  std::unordered_map<std::string, Point> routers_;
  std::unordered_map<std::string, ZoneId> zones_;
};

}  // namespace slackline
