// Where the route between two hosts comes from. Zones form a tree. The smallest zone that holds
// both hosts knows how to get from the part with the one to the part with the other, and by which
// gateways; what is missing lies inside the parts, and is the same question again, between the
// host and the gateway. Each step goes down the tree, so it ends; the cost is the zones' own
// routing, over a tree that is rarely more than three deep.

#include "sim/platform/platform.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "sim/platform/builder.h"
#include "sim/platform/zone.h"

namespace slackline {
namespace {

class RouteFinder {
 public:
  RouteFinder(const Platform& platform, const PlatformParts& parts, std::vector<LinkId>& links)
      : platform_(platform), parts_(parts), links_(links) {}

  void find(Point src, Point dst) {
    std::uint32_t src_member = src.member;
    std::uint32_t dst_member = dst.member;
    const Zone& zone = common_zone(src, dst, src_member, dst_member);
    Gateways gateways{src, dst};
    // The links in the middle are known first but travelled second.
    const std::size_t before = links_.size();
    std::vector<LinkId> middle;
    const bool nested = zone.id != src.zone;
    if (!zone.append_route(src_member, dst_member, gateways, nested ? middle : links_)) {
      if (src == dst) {
        links_.push_back(parts_.implicit_loopback);
        return;
      }
      throw Error(fmt::format("no route from '{}' to '{}'", zone.member_name(platform_, src_member),
                              zone.member_name(platform_, dst_member)),
                  fmt::format("zone '{}' has none", zone.name), "Add a route to the platform.");
    }
    if (nested) {
      links_.resize(before);
      if (!(gateways.src == src)) find(src, gateways.src);
      links_.insert(links_.end(), middle.begin(), middle.end());
    }
    if (!(gateways.dst == dst) && zone.id != dst.zone) find(gateways.dst, dst);
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
  const Zone& common_zone(Point src, Point dst, std::uint32_t& src_member,
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

  const Platform& platform_;
  const PlatformParts& parts_;
  std::vector<LinkId>& links_;
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

std::string Platform::link_name(LinkId link) const {
  const std::size_t group = group_index(parts_->link_groups, link);
  return parts_->link_names[group](link - parts_->link_groups[group].first);
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
  RouteFinder(*this, *parts_, links).find(parts_->hosts[src].point, parts_->hosts[dst].point);
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

const Zone& Platform::root() const {
  return *parts_->zones.front();
}

}  // namespace slackline
