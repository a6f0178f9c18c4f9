#include "sim/platform/declarations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

Error unknown(std::string_view kind, std::string_view name) {
  return usage_error(fmt::format("unknown {} '{}'", kind, name), "it is not declared above",
                     "Declare it, or correct the name.");
}

Error twice(std::string_view kind, std::string_view name) {
  return usage_error(fmt::format("cannot add {} '{}'", kind, name), "the name is already used",
                     "Give it another name.");
}

}  // namespace

void Declarations::add_link(const std::string& name, double bandwidth, double latency,
                            LinkPolicy policy) {
  const bool duplex = policy == LinkPolicy::duplex;
  const Sharing sharing = policy == LinkPolicy::fatpipe ? Sharing::fatpipe : Sharing::shared;
  if (links_.contains(name)) throw twice("link", name);
  const LinkId first = builder_.add_links(
      name, duplex ? 2 : 1, {bandwidth, latency, sharing}, [name, duplex](std::uint32_t i) {
        return duplex ? name + (i == 0 ? "_UP" : "_DOWN") : name;
      });
  links_.emplace(name, DeclaredLink{first, duplex});
  if (duplex) {
    links_.emplace(name + "_UP", DeclaredLink{first, false});
    links_.emplace(name + "_DOWN", DeclaredLink{first + 1, false});
  }
}

LinkId Declarations::link(const std::string& name) const {
  const auto found = links_.find(name);
  if (found == links_.end()) throw unknown("link", name);
  if (found->second.duplex) {
    throw usage_error(fmt::format("cannot use link '{}' here", name), "it has two directions",
                      fmt::format("Name {0}_UP or {0}_DOWN.", name));
  }
  return found->second.first;
}

void Declarations::add_router(const std::string& name, Point at) {
  if (builder_.find_host(name) || !routers_.emplace(name, at).second) throw twice("router", name);
}

void Declarations::add_zone(const std::string& name, ZoneId zone) {
  if (!zones_.emplace(name, zone).second) throw twice("zone", name);
}

ZoneId Declarations::zone(const std::string& name) const {
  const auto found = zones_.find(name);
  if (found == zones_.end()) throw unknown("zone", name);
  return found->second;
}

Point Declarations::point(const std::string& name) const {
  if (const auto host = builder_.find_host(name)) return builder_.point_of(*host);
  const auto router = routers_.find(name);
  if (router == routers_.end()) throw unknown("host or router", name);
  return router->second;
}

std::vector<LinkId> Declarations::resolve(const std::vector<LinkUse>& uses, bool back) const {
  std::vector<LinkId> result;
  for (const LinkUse& use : uses) {
    const auto found = links_.find(use.name);
    if (found == links_.end()) throw unknown("link", use.name);
    const auto [first, duplex] = found->second;
    if (duplex && use.direction == Direction::none) {
      throw usage_error(fmt::format("cannot use link '{}' in a route", use.name),
                        "it has two directions", "Specify the direction, up or down.");
    }
    const bool down = duplex && (use.direction == Direction::down) != back;
    result.push_back(first + (down ? 1 : 0));
  }
  if (back) std::reverse(result.begin(), result.end());
  return result;
}

bool Declarations::is_inside(Point at, ZoneId outer) const {
  for (ZoneId zone = at.zone; zone != kNone; zone = builder_.zone(zone).parent) {
    if (zone == outer) return true;
  }
  return false;
}

Point Declarations::gateway(const RoutedZone& zone, std::uint32_t member,
                            const std::string& name) const {
  const Member what = zone.member(member);
  if (what.kind != Member::Kind::zone) return {};
  const std::string& inner = builder_.zone(what.id).name;
  if (name.empty()) {
    throw usage_error(fmt::format("a route of zone '{}' needs a gateway", inner),
                      "a zone is entered through one of its hosts or routers",
                      "Name it (a zoneRoute with gw_src and gw_dst).");
  }
  const Point at = point(name);
  if (!is_inside(at, what.id)) {
    throw usage_error(fmt::format("'{}' cannot be a gateway of zone '{}'", name, inner),
                      "it belongs to another zone", "Name a host or router of that zone.");
  }
  return at;
}

void Declarations::add_route(RoutedZone& zone, const std::string& src, const std::string& dst,
                             const std::string& gateway_src, const std::string& gateway_dst,
                             const std::vector<LinkUse>& links, bool symmetrical) const {
  const std::uint32_t from = zone.find_member(src);
  const std::uint32_t to = zone.find_member(dst);
  for (const auto& [member, name] : {std::pair(from, &src), std::pair(to, &dst)}) {
    if (member == kNone) {
      throw usage_error(fmt::format("cannot route to or from '{}'", *name),
                        fmt::format("zone '{}' has no member of that name", zone.name),
                        "Declare it in that zone, or correct the name.");
    }
  }
  const Gateways there{gateway(zone, from, gateway_src), gateway(zone, to, gateway_dst), nullptr};
  const Gateways back{there.dst, there.src, nullptr};
  const bool added =
      zone.add_route(from, to, there, resolve(links, false)) &&
      (!symmetrical || from == to || zone.add_route(to, from, back, resolve(links, true)));
  if (!added) {
    throw usage_error(fmt::format("cannot add a route from '{}' to '{}'", src, dst),
                      "it exists already (routes are symmetric by default)", "Remove one of them.");
  }
}

void Declarations::add_bypass(NetZone& zone, const std::string& src, const std::string& dst,
                              const std::string& gateway_src, const std::string& gateway_dst,
                              const std::vector<LinkUse>& links) const {
  const bool of_zones = !gateway_src.empty();
  const auto end_of = [&](const std::string& name) {
    if (of_zones) return BypassEnd{this->zone(name), kNone};
    const Point at = point(name);
    return BypassEnd{at.zone, at.member};
  };
  Bypass bypass{of_zones ? point(gateway_src) : point(src),
                of_zones ? point(gateway_dst) : point(dst), resolve(links, false)};
  if (!zone.bypasses.emplace(std::pair(end_of(src), end_of(dst)), std::move(bypass)).second) {
    throw twice("bypass between", fmt::format("{}' and '{}", src, dst));
  }
}

}  // namespace slackline
