#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/host_names.h"
#include "sim/platform/platform.h"
#include "sim/platform/zone.h"

namespace slackline {

/// The data that make a Platform; see there for what they mean.
struct PlatformParts {
  struct HostPlace {
    Point point;
    std::uint32_t spec = 0;
  };
  using NameOfLink = std::function<std::string(std::uint32_t index_in_group)>;

  HostNames host_names;
  std::vector<HostPlace> hosts;
  std::vector<HostSpec> specs;
  std::vector<Link> links;
  std::vector<LinkGroup> link_groups;
  std::vector<NameOfLink> link_names;           // by group
  std::vector<std::unique_ptr<NetZone>> zones;  // [0] is the root
  LinkId implicit_loopback = 0;
  std::vector<std::pair<std::string, std::string>> config;
  std::vector<ResourceProfile> profiles;

  std::string link_name(LinkId link) const;
};

/// Links that a platform may have, of each of which it holds the bandwidth.
inline constexpr std::uint64_t kMostLinks = std::uint64_t{1} << 23;

/// Puts a platform together, outermost zone first; the readers of platform files use it. Every
/// refusal is a usage Error without a place in a file, which the reader adds.
class PlatformBuilder {
 public:
  PlatformBuilder();

  /// Adds a zone; ids are given in order. `parent` kNone makes the root.
  ZoneId add_zone(std::unique_ptr<NetZone> zone, std::string name, ZoneId parent,
                  std::uint32_t member_in_parent);
  NetZone& zone(ZoneId id) { return *parts_.zones[id]; }
  const NetZone& zone(ZoneId id) const { return *parts_.zones[id]; }
  std::size_t zone_count() const { return parts_.zones.size(); }

  std::uint32_t add_spec(HostSpec spec);
  HostId add_host(std::string name, std::uint32_t spec, Point point);
  /// Makes consecutive hosts the members first_member, first_member + 1, ... of `zone`.
  HostId add_hosts(std::string prefix, std::string suffix, const std::vector<NumberRange>& numbers,
                   std::uint32_t spec, ZoneId zone, std::uint32_t first_member = 0);
  std::optional<HostId> find_host(std::string_view name) const;
  Point point_of(HostId host) const { return parts_.hosts[host].point; }
  std::string host_name(HostId host) const { return parts_.host_names.name(host); }

  /// Adds `count` equal links and returns the first one's id.
  LinkId add_links(std::string group, std::uint32_t count, const Link& link,
                   PlatformParts::NameOfLink name);
  LinkId link_count() const { return static_cast<LinkId>(parts_.links.size()); }
  /// The link of that name, or both directions of a duplex link; O(links).
  std::vector<LinkId> find_links(std::string_view name) const;

  void add_profile(Profiled what, std::uint32_t id, const Profile& profile);

  /// Adds an option of the simulation that the file sets ("smpi/os").
  void add_config(std::string name, std::string value);

  Platform finish() &&;

 private:
  PlatformParts parts_;
};

}  // namespace slackline
