// Where the route between two hosts comes from. Zones form a tree. The smallest zone that holds
// both hosts knows how to get from the part with the one to the part with the other, and by which
// gateways; what is missing lies inside the parts, and is the same question again, between the
// host and the gateway. Each step goes down the tree, so it ends; the cost is the zones' own
// routing, over a tree that is rarely more than three deep.

#include "sim/platform/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "sim/platform/builder.h"
#include "sim/platform/zone.h"

namespace slackline {
namespace {

class RouteFinder : public InsideRoutes {
 public:
  RouteFinder(const Platform& platform, const PlatformParts& parts)
      : platform_(platform), parts_(parts) {}

  void append(Point src, Point dst, std::vector<LinkId>& links) const override {
    std::uint32_t src_member = src.member;
    std::uint32_t dst_member = dst.member;
    const NetZone& zone = common_zone(src, dst, src_member, dst_member);
    if (append_bypass(zone, src, dst, links)) return;
    Gateways gateways{src, dst, this};
    // The links in the middle are known first but travelled second.
    const bool nested = zone.id != src.zone;
    std::vector<LinkId> middle;
    if (!zone.append_route(src_member, dst_member, gateways, nested ? middle : links)) {
      if (src == dst) {
        links.push_back(parts_.implicit_loopback);
        return;
      }
      throw Error(fmt::format("no route from '{}' to '{}'", zone.member_name(platform_, src_member),
                              zone.member_name(platform_, dst_member)),
                  fmt::format("zone '{}' has no such route", zone.name),
                  "Add a route to the platform.");
    }
    if (nested) {
      if (!(gateways.src == src)) append(src, gateways.src, links);
      links.insert(links.end(), middle.begin(), middle.end());
    }
    if (zone.id != dst.zone && !(gateways.dst == dst)) append(gateways.dst, dst, links);
  }

 private:
  std::uint32_t depth(ZoneId zone) const {
    std::uint32_t depth = 0;
    for (; parts_.zones[zone]->parent != kNone; zone = parts_.zones[zone]->parent) ++depth;
    return depth;
  }

  void step_up(ZoneId& zone, std::uint32_t& member) const {
    member = parts_.zones[zone]->member_in_parent;
    zone = parts_.zones[zone]->parent;
  }

  /// Also turns the members into those of that zone.
  const NetZone& common_zone(Point src, Point dst, std::uint32_t& src_member,
                             std::uint32_t& dst_member) const {
    if (src.zone != dst.zone) {
      std::uint32_t src_depth = depth(src.zone);
      std::uint32_t dst_depth = depth(dst.zone);
      for (; src_depth > dst_depth; --src_depth) step_up(src.zone, src_member);
      for (; dst_depth > src_depth; --dst_depth) step_up(dst.zone, dst_member);
      while (src.zone != dst.zone) {
        step_up(src.zone, src_member);
        step_up(dst.zone, dst_member);
      }
    }
    return *parts_.zones[src.zone];
  }

  /// The zones around a point up to below `top`, innermost first; or the point itself.
  std::vector<BypassEnd> ends_below(const NetZone& top, Point point) const {
    if (point.zone == top.id) return {{point.zone, point.member}};
    std::vector<BypassEnd> result;
    for (ZoneId zone = point.zone; zone != top.id; zone = parts_.zones[zone]->parent) {
      result.push_back({zone, kNone});
    }
    return result;
  }

  /// A declared short cut between the two, or between zones around them; the innermost counts.
  bool append_bypass(const NetZone& zone, Point src, Point dst, std::vector<LinkId>& links) const {
    if (zone.bypasses.empty()) return false;
    const std::vector<BypassEnd> from = ends_below(zone, src);
    const std::vector<BypassEnd> to = ends_below(zone, dst);
    const auto try_pair = [&](std::size_t i, std::size_t j) {
      if (i >= from.size() || j >= to.size()) return false;
      const auto found = zone.bypasses.find({from[i], to[j]});
      if (found == zone.bypasses.end()) return false;
      const Bypass& bypass = found->second;
      if (from[i].member == kNone && !(src == bypass.src)) append(src, bypass.src, links);
      links.insert(links.end(), bypass.links.begin(), bypass.links.end());
      if (to[j].member == kNone && !(dst == bypass.dst)) append(bypass.dst, dst, links);
      return true;
    };
    for (std::size_t most = 0; most < std::max(from.size(), to.size()); ++most) {
      for (std::size_t i = 0; i < most; ++i) {
        if (try_pair(i, most) || try_pair(most, i)) return true;
      }
      if (try_pair(most, most)) return true;
    }
    return false;
  }

  const Platform& platform_;
  const PlatformParts& parts_;
};

std::size_t group_index(const std::vector<LinkGroup>& groups, LinkId link) {
  const auto after =
      std::upper_bound(groups.begin(), groups.end(), link,
                       [](LinkId id, const LinkGroup& group) { return id < group.first; });
  return static_cast<std::size_t>(after - groups.begin()) - 1;
}

}  // namespace

std::string_view to_string(Sharing sharing) {
  return sharing == Sharing::shared ? "shared" : "fatpipe";
}

std::size_t HostSpec::disk_of(std::string_view file) const {
  std::size_t best = 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < disks.size(); ++i) {
    const std::string& mount = disks[i].mount;
    if (!file.starts_with(mount) || mount.size() <= length) continue;
    best = i;
    length = mount.size();
  }
  return best;
}

const std::string* HostSpec::property(std::string_view name) const {
  for (const auto& [key, value] : properties) {
    if (key == name) return &value;
  }
  return nullptr;
}

Platform::Platform(PlatformParts parts)
    : parts_(std::make_unique<PlatformParts>(std::move(parts))) {}
Platform::Platform(Platform&&) noexcept = default;
Platform& Platform::operator=(Platform&&) noexcept = default;
Platform::~Platform() = default;

std::uint32_t Platform::host_count() const {
  return static_cast<std::uint32_t>(parts_->hosts.size());
}

std::string Platform::host_name(HostId host) const {
  return parts_->host_names.name(host);
}

std::optional<HostId> Platform::find_host(std::string_view name) const {
  return parts_->host_names.find(name);
}

const HostSpec& Platform::host(HostId host) const {
  return parts_->specs[parts_->hosts[host].spec];
}

std::uint32_t Platform::link_count() const {
  return static_cast<std::uint32_t>(parts_->links.size());
}

const Link& Platform::link(LinkId link) const {
  return parts_->links[link];
}

std::string PlatformParts::link_name(LinkId link) const {
  const std::size_t group = group_index(link_groups, link);
  return link_names[group](link - link_groups[group].first);
}

std::string Platform::link_name(LinkId link) const {
  return parts_->link_name(link);
}

const std::vector<LinkGroup>& Platform::link_groups() const {
  return parts_->link_groups;
}

const LinkGroup& Platform::group_of(LinkId link) const {
  return parts_->link_groups[group_index(parts_->link_groups, link)];
}

double Platform::route(HostId src, HostId dst, std::vector<LinkId>& links) const {
  expects(src < host_count() && dst < host_count(), "hosts of this platform");
  links.clear();
  RouteFinder(*this, *parts_).append(parts_->hosts[src].point, parts_->hosts[dst].point, links);
  double latency = 0;
  for (const LinkId link : links) latency += parts_->links[link].latency;
  return latency;
}

LinkId Platform::implicit_loopback() const {
  return parts_->implicit_loopback;
}

void Platform::set_implicit_loopback(double bandwidth, double latency) {
  expects(bandwidth > 0 && latency >= 0, "a loopback has a bandwidth");
  parts_->links[parts_->implicit_loopback] = {bandwidth, latency, Sharing::fatpipe};
}

const std::vector<std::pair<std::string, std::string>>& Platform::config() const {
  return parts_->config;
}

const std::vector<ResourceProfile>& Platform::profiles() const {
  return parts_->profiles;
}

const NetZone& Platform::zone(std::uint32_t id) const {
  return *parts_->zones[id];
}

const NetZone& Platform::root() const {
  return *parts_->zones.front();
}

FoundRoute find_route(const Platform& platform, HostId from, HostId to) {
  FoundRoute answer{.from = from, .to = to};
  answer.latency = platform.route(from, to, answer.links);
  answer.bandwidth = std::numeric_limits<double>::infinity();
  for (const LinkId link : answer.links) {
    answer.bandwidth = std::min(answer.bandwidth, platform.link(link).bandwidth);
  }
  return answer;
}

}  // namespace slackline
