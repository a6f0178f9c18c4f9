// SimGrid's platform files (simgrid.dtd, versions 4 and 4.1). The document is a tree of zones; a
// zone's hosts, links and inner zones stand before the routes that name them, so one walk builds
// everything. What is refused is refused with the line and column of its element.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <pugixml.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text_parsing.h"
#include "sim/platform/declarations.h"
#include "sim/platform/read_platform.h"
#include "sim/platform/star_zone.h"
#include "sim/platform/xml_file.h"

namespace slackline {
namespace {

constexpr FindingKind kDeploymentIgnored{
    "platform_deployment_ignored", Severity::notice,
    "Actors in the platform file are ignored; the ranks of a simulation are those of its trace."};

constexpr FindingKind kProfileIgnored{
    "platform_profile_ignored", Severity::notice,
    "Profiles in the platform file, or parts of them, have no effect."};

struct ConnectedKind {
  std::string_view name;
  Profiled what;
  bool of_host;
};
constexpr ConnectedKind kConnected[] = {{"SPEED", Profiled::speed, true},
                                        {"HOST_AVAIL", Profiled::host_state, true},
                                        {"BANDWIDTH", Profiled::bandwidth, false},
                                        {"LATENCY", Profiled::latency, false},
                                        {"LINK_AVAIL", Profiled::link_state, false}};

class XmlReader {
 public:
  XmlReader(std::string_view text, std::string_view name, Findings& findings)
      : file_(text, name), name_(name), findings_(findings) {}

  Platform read() {
    const pugi::xml_node root = file_.root();
    if (std::string_view(root.name()) != "platform") {
      throw Error(fmt::format("cannot use {}", file_.place_of(root)),
                  fmt::format("its root element is <{}>", root.name()),
                  "The root element of a platform is <platform>.");
    }
    read_top(root);
    for (const pugi::xml_node node : connections_) connect_profile(node);
    for (const auto& [id, declared] : profiles_) {
      if (!declared.connected) ignore(declared.node, "connected to nothing");
    }
    return file_.guarded(root, [&] { return std::move(builder_).finish(); });
  }

 private:
  void read_top(pugi::xml_node platform) {
    file_.check(platform, 0, {"version"});
    const auto is_part = [](pugi::xml_node node) {
      const std::string_view name = node.name();
      return name == "zone" || name == "AS" || name == "cluster";
    };
    const auto parts = std::count_if(platform.begin(), platform.end(), is_part);
    FullZone* world = nullptr;
    if (parts != 1) {
      auto zone = std::make_unique<FullZone>();
      world = zone.get();
      builder_.add_zone(std::move(zone), "_world_", kNone, kNone);
    }
    for (const pugi::xml_node node : platform.children()) {
      const std::string_view name = node.name();
      if (name == "config") {
        for (const pugi::xml_node prop : node.children("prop")) {
          builder_.add_config(xml_text(prop, "id"), xml_text(prop, "value"));
        }
      } else if (is_part(node)) {
        read_inner(node, world);
      } else if (name == "trace") {
        read_profile(node);
      } else if (name == "trace_connect") {
        connections_.push_back(node);
      } else if (name == "actor" || name == "process") {
        findings_.add(kDeploymentIgnored, file_.place_of(node));
      } else if (name != "random" && node.type() == pugi::node_element) {
        file_.refuse_element(node);
      }
    }
  }

  /// A zone or cluster as a member of `parent`; nullptr makes it the root.
  void read_inner(pugi::xml_node node, RoutedZone* parent) {
    constexpr int kDeepest = 256;
    if (depth_ == kDeepest) {
      throw Error(fmt::format("{}: cannot read the zone", file_.place_of(node)),
                  fmt::format("it lies in {} others", kDeepest), "Nest fewer zones.");
    }
    ++depth_;
    const auto id = static_cast<ZoneId>(builder_.zone_count());
    std::uint32_t member = kNone;
    if (parent != nullptr) {
      member = parent->add_member({Member::Kind::zone, id}, xml_text(node, "id"));
    }
    const ZoneId parent_id = parent == nullptr ? kNone : parent->id;
    if (std::string_view(node.name()) == "cluster") {
      file_.guarded(node, [&] { declared_.add_zone(xml_text(node, "id"), id); });
      read_cluster(node, parent_id, member);
    } else {
      read_zone(node, parent_id, member);
    }
    --depth_;
  }

  void read_zone(pugi::xml_node node, ZoneId parent, std::uint32_t member) {
    file_.check(node, 2, {"id", "routing"});
    const std::string routing = xml_text(node, "routing");
    const auto id = static_cast<ZoneId>(builder_.zone_count());
    file_.guarded(node, [&] { declared_.add_zone(xml_text(node, "id"), id); });
    if (routing == "Cluster" || routing == "cluster") {
      auto zone = std::make_unique<StarZone>();
      StarZone& star = *zone;
      builder_.add_zone(std::move(zone), xml_text(node, "id"), parent, member);
      read_star(node, star);
      return;
    }
    std::unique_ptr<RoutedZone> zone = make_routed_zone(routing);
    if (zone == nullptr) {
      throw Error(fmt::format("{}: cannot use routing '{}'", file_.place_of(node), routing),
                  "it is not supported", "Choose Full, Floyd, Dijkstra, Cluster or None.");
    }
    RoutedZone& routed = *zone;
    builder_.add_zone(std::move(zone), xml_text(node, "id"), parent, member);
    for (const pugi::xml_node child : node.children()) read_routed_child(child, routed);
    file_.guarded(node, [&] { routed.seal(); });
  }

  void read_routed_child(pugi::xml_node node, RoutedZone& zone) {
    const std::string_view name = node.name();
    if (name == "zone" || name == "AS" || name == "cluster") {
      read_inner(node, &zone);
    } else if (name == "route" || name == "zoneRoute" || name == "ASroute") {
      read_route(node, zone);
    } else if (name == "bypassRoute" || name == "bypassZoneRoute" || name == "bypassASroute") {
      read_bypass(node, zone);
    } else if (!read_common_child(node, zone)) {
      file_.refuse_element(node);
    }
  }

  /// Hosts, routers and links; false for what is none.
  template <class AnyZone>
  bool read_common_child(pugi::xml_node node, AnyZone& zone) {
    const std::string_view name = node.name();
    if (name == "host") {
      read_host(node, zone);
    } else if (name == "router") {
      file_.check(node, 1, {"id", "coordinates"});
      file_.guarded(node, [&] {
        const std::string id = xml_text(node, "id");
        declared_.add_router(id, {zone.id, zone.add_member({Member::Kind::router, 0}, id)});
      });
    } else if (name == "link") {
      read_link(node);
    } else if (name == "trace") {
      read_profile(node);
    } else if (name == "trace_connect") {
      connections_.push_back(node);
    } else {
      return name == "prop" || node.type() != pugi::node_element;
    }
    return true;
  }

  DiskSpec disk_of(pugi::xml_node node) const {
    file_.check(node, 3, {"id", "read_bw", "write_bw"});
    DiskSpec disk{.read_bandwidth = xml_bandwidth(node, "read_bw"),
                  .write_bandwidth = xml_bandwidth(node, "write_bw")};
    if (disk.read_bandwidth <= 0 || disk.write_bandwidth <= 0) {
      throw usage_error(fmt::format("cannot use disk '{}'", xml_text(node, "id")),
                        "a bandwidth of it is not positive", "Set read_bw and write_bw.");
    }
    for (const pugi::xml_node prop : node.children("prop")) {
      if (xml_text(prop, "id") == "mount") disk.mount = xml_text(prop, "value");
    }
    return disk;
  }

  HostSpec spec_of(pugi::xml_node node) const {
    HostSpec spec;
    spec.speeds.clear();
    const std::string speeds = xml_text(node, "speed");
    for (std::size_t at = 0; at <= speeds.size();) {
      const std::size_t end = std::min(speeds.find(',', at), speeds.size());
      spec.speeds.push_back(parse_speed(speeds.substr(at, end - at), xml_what(node, "speed")));
      at = end + 1;
    }
    spec.pstate = node.attribute("pstate").as_uint(0);
    spec.cores = node.attribute("core").as_uint(1);
    for (const pugi::xml_node prop : node.children("prop")) {
      spec.properties.emplace_back(xml_text(prop, "id"), xml_text(prop, "value"));
    }
    for (const pugi::xml_node disk : node.children("disk")) spec.disks.push_back(disk_of(disk));
    return spec;
  }

  template <class AnyZone>
  void read_host(pugi::xml_node node, AnyZone& zone) {
    file_.check(node, 2,
                {"id", "speed", "core", "pstate", "speed_file", "availability_file", "state_file",
                 "coordinates"});
    file_.guarded(node, [&] {
      const std::uint32_t spec = builder_.add_spec(spec_of(node));
      const std::uint32_t member = zone.member_count();
      const HostId host = builder_.add_host(xml_text(node, "id"), spec, {zone.id, member});
      zone.add_member({Member::Kind::host, host}, xml_text(node, "id"));
      add_file(node, "speed_file", Profiled::speed, host);
      add_file(node, "availability_file", Profiled::speed, host);  // its former name
      add_file(node, "state_file", Profiled::host_state, host);
    });
  }

  void read_link(pugi::xml_node node) {
    file_.check(node, 2,
                {"id", "bandwidth", "latency", "sharing_policy", "bandwidth_file", "latency_file",
                 "state_file"});
    file_.guarded(node, [&] {
      const LinkId first = builder_.link_count();
      declared_.add_link(xml_text(node, "id"), xml_bandwidth(node, "bandwidth"),
                         xml_latency(node, "latency"),
                         policy(xml_text(node, "sharing_policy", "SHARED")));
      for (LinkId link = first; link < builder_.link_count(); ++link) {
        add_file(node, "bandwidth_file", Profiled::bandwidth, link);
        add_file(node, "latency_file", Profiled::latency, link);
        add_file(node, "state_file", Profiled::link_state, link);
      }
    });
  }

  /// A profile's file is looked for here, then beside the platform's, as SimGrid does.
  Profile profile_from(const std::string& file) const {
    const std::filesystem::path here(file);
    const std::filesystem::path beside = std::filesystem::path(name_).parent_path() / here;
    const MappedFile text(std::filesystem::exists(here) ? here : beside);
    return parse_profile(text.text(), fmt::format("'{}'", file));
  }

  void add_file(pugi::xml_node node, const char* attribute, Profiled what, std::uint32_t id) {
    const std::string file = xml_text(node, attribute);
    if (!file.empty()) builder_.add_profile(what, id, profile_from(file));
  }

  void read_profile(pugi::xml_node node) {
    file_.check(node, 1, {"id", "file", "periodicity"});
    file_.guarded(node, [&] {
      const std::string id = xml_text(node, "id");
      const std::string file = xml_text(node, "file");
      const double period = periodicity(node);
      const std::string_view text = node.child_value();
      const auto [at, added] = profiles_.try_emplace(id, DeclaredProfile{node});
      if (!added) {
        throw usage_error(fmt::format("cannot add the profile '{}'", id),
                          "the platform has another one of that id", "Rename one of them.");
      }
      at->second.profile =
          file.empty() ? parse_profile(text, fmt::format("'{}'", id), period) : profile_from(file);
      // SimGrid requires one with a file, too, and ignores it.
      if (!file.empty() && period > 0) ignore(node, "its periodicity, as it has a file");
      if (!file.empty() && !trimmed(text).empty()) ignore(node, "its lines, as it has a file");
    });
  }

  /// 0: the profile does not repeat.
  static double periodicity(pugi::xml_node node) {
    const std::string text = xml_text(node, "periodicity", "0");
    const auto value = number_in<double>(trimmed(text));
    if (value && std::isfinite(*value) && *value >= 0) return *value;
    throw usage_error(fmt::format("cannot use '{}' as {}", text, xml_what(node, "periodicity")),
                      "it is not a number of seconds", "Example: 3600.");
  }

  void ignore(pugi::xml_node node, std::string_view why) const {
    findings_.add(kProfileIgnored,
                  fmt::format("'{}' at {}: {}", xml_text(node, "id"), file_.place_of(node), why));
  }

  /// Once all hosts and links are known, those of clusters included.
  void connect_profile(pugi::xml_node node) {
    file_.check(node, 2, {"trace", "element", "kind"});
    file_.guarded(node, [&] {
      const std::string kind = xml_text(node, "kind", "HOST_AVAIL");
      const auto what = std::ranges::find(kConnected, kind, &ConnectedKind::name);
      const auto profile = profiles_.find(xml_text(node, "trace"));
      if (what == std::end(kConnected)) {
        throw usage_error(fmt::format("cannot connect a profile as '{}'", kind),
                          "there is no such kind",
                          "Kinds: SPEED, HOST_AVAIL, BANDWIDTH, LATENCY, LINK_AVAIL.");
      }
      if (profile == profiles_.end()) {
        throw usage_error(fmt::format("cannot connect the profile '{}'", xml_text(node, "trace")),
                          "the platform has no <trace> of that id", "Correct the id.");
      }
      profile->second.connected = true;
      for (const std::uint32_t id : element(xml_text(node, "element"), what->of_host)) {
        builder_.add_profile(what->what, id, profile->second.profile);
      }
    });
  }

  std::vector<std::uint32_t> element(const std::string& name, bool of_host) const {
    const auto host = builder_.find_host(name);
    std::vector<std::uint32_t> found;
    if (!of_host) {
      found = builder_.find_links(name);
    } else if (host) {
      found = {*host};
    }
    if (!found.empty()) return found;
    throw usage_error(fmt::format("unknown {} '{}'", of_host ? "host" : "link", name),
                      "the platform has none of that name", "Correct the name.");
  }

  static LinkPolicy policy(const std::string& name) {
    if (name == "SHARED") return LinkPolicy::shared;
    if (name == "FATPIPE") return LinkPolicy::fatpipe;
    if (name == "SPLITDUPLEX" || name == "FULLDUPLEX") return LinkPolicy::duplex;
    throw usage_error(fmt::format("cannot use sharing policy '{}'", name), "it is not supported",
                      "Choose SHARED, SPLITDUPLEX or FATPIPE.");
  }

  std::vector<LinkUse> links_of(pugi::xml_node route) const {
    std::vector<LinkUse> links;
    for (const pugi::xml_node child : route.children()) {
      if (child.type() != pugi::node_element) continue;
      if (std::string_view(child.name()) != "link_ctn") file_.refuse_element(child);
      file_.check(child, 1, {"id", "direction"});
      const std::string direction = xml_text(child, "direction", "NONE");
      links.push_back({xml_text(child, "id"), direction == "UP"     ? Direction::up
                                              : direction == "DOWN" ? Direction::down
                                                                    : Direction::none});
    }
    return links;
  }

  void read_route(pugi::xml_node node, RoutedZone& zone) {
    file_.check(node, 2, {"src", "dst", "gw_src", "gw_dst", "symmetrical"});
    const std::string symmetrical = xml_text(node, "symmetrical", "YES");
    const std::vector<LinkUse> links = links_of(node);
    file_.guarded(node, [&] {
      declared_.add_route(zone, xml_text(node, "src"), xml_text(node, "dst"),
                          xml_text(node, "gw_src"), xml_text(node, "gw_dst"), links,
                          symmetrical == "YES" || symmetrical == "yes");
    });
  }

  void read_bypass(pugi::xml_node node, RoutedZone& zone) {
    file_.check(node, 2, {"src", "dst", "gw_src", "gw_dst"});
    const std::vector<LinkUse> links = links_of(node);
    file_.guarded(node, [&] {
      declared_.add_bypass(zone, xml_text(node, "src"), xml_text(node, "dst"),
                           xml_text(node, "gw_src"), xml_text(node, "gw_dst"), links);
    });
  }

  void read_star(pugi::xml_node node, StarZone& zone) {
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = child.name();
      if (name == "backbone") {
        read_link(child);
        file_.guarded(child, [&] { zone.set_backbone(declared_.link(xml_text(child, "id"))); });
      } else if (name == "host_link") {
        file_.check(child, 3, {"id", "up", "down"});
        file_.guarded(child, [&] {
          zone.set_links(zone_member(zone, xml_text(child, "id")),
                         declared_.link(xml_text(child, "up")),
                         declared_.link(xml_text(child, "down")));
        });
      } else if (name == "cabinet") {
        read_cabinet(child, zone);
      } else if (!read_common_child(child, zone)) {
        file_.refuse_element(child);
      }
    }
  }

  static std::uint32_t zone_member(const StarZone& zone, const std::string& name) {
    const std::uint32_t member = zone.find_member(name);
    if (member == kNone) {
      throw usage_error(fmt::format("unknown host '{}'", name), "the zone has no host of that name",
                        "Declare it above.");
    }
    return member;
  }

  void read_cabinet(pugi::xml_node node, StarZone& zone) {
    file_.check(node, 7, {"id", "prefix", "suffix", "radical", "speed", "bw", "lat"});
    file_.guarded(node, [&] {
      const std::vector<NumberRange> numbers =
          parse_radical(xml_text(node, "radical"), xml_what(node, "radical"));
      const std::uint32_t spec = builder_.add_spec(spec_of(node));
      const HostId first = builder_.add_hosts(xml_text(node, "prefix"), xml_text(node, "suffix"),
                                              numbers, spec, zone.id, zone.member_count());
      std::uint32_t count = 0;
      for (const NumberRange& range : numbers) count += range.count();
      for (HostId host = first; host < first + count; ++host) {
        const std::string name = builder_.host_name(host);
        const std::string link = "link_" + name;
        declared_.add_link(link, xml_bandwidth(node, "bw"), xml_latency(node, "lat"),
                           LinkPolicy::duplex);
        const std::uint32_t member = zone.add_member({Member::Kind::host, host}, name);
        zone.set_links(member, declared_.link(link + "_UP"), declared_.link(link + "_DOWN"));
      }
    });
  }

  void read_cluster(pugi::xml_node node, ZoneId parent, std::uint32_t member) {
    file_.check(node, 7,
                {"id", "prefix", "suffix", "radical", "speed", "bw", "lat", "core",
                 "sharing_policy", "topology", "topo_parameters", "bb_bw", "bb_lat",
                 "bb_sharing_policy", "router_id", "limiter_link", "loopback_bw", "loopback_lat"});
    file_.guarded(node, [&] {
      const ClusterSpec spec = cluster_of(node);
      const AddedCluster added = add_cluster(builder_, spec, parent, member);
      if (!added.router.empty()) declared_.add_router(added.router, added.router_point);
    });
  }

  ClusterSpec cluster_of(pugi::xml_node node) {
    ClusterSpec spec;
    spec.name = xml_text(node, "id");
    spec.prefix = xml_text(node, "prefix");
    spec.suffix = xml_text(node, "suffix");
    spec.numbers = parse_radical(xml_text(node, "radical"), xml_what(node, "radical"));
    spec.host_spec = builder_.add_spec(spec_of(node));
    spec.shape = parse_shape(xml_text(node, "topology", "FLAT"), xml_text(node, "topo_parameters"));
    spec.cable = {xml_bandwidth(node, "bw"), xml_latency(node, "lat"), Sharing::shared};
    // SimGrid takes a cluster's FATPIPE for SHARED.
    spec.duplex = policy(xml_text(node, "sharing_policy", "SPLITDUPLEX")) == LinkPolicy::duplex;
    spec.router = xml_text(node, "router_id");
    if (!xml_text(node, "bb_bw").empty()) {
      const bool fatpipe =
          policy(xml_text(node, "bb_sharing_policy", "SHARED")) == LinkPolicy::fatpipe;
      spec.backbone = Link{xml_bandwidth(node, "bb_bw"), xml_latency(node, "bb_lat"),
                           fatpipe ? Sharing::fatpipe : Sharing::shared};
    }
    if (!xml_text(node, "limiter_link").empty()) spec.limiter = xml_bandwidth(node, "limiter_link");
    if (!xml_text(node, "loopback_bw").empty()) {
      spec.loopback = Link{xml_bandwidth(node, "loopback_bw"), xml_latency(node, "loopback_lat"),
                           Sharing::fatpipe};
    }
    return spec;
  }

  XmlFile file_;
  std::string_view name_;
  Findings& findings_;
  PlatformBuilder builder_;
  Declarations declared_{builder_};
  struct DeclaredProfile {
    pugi::xml_node node;
    Profile profile{};
    bool connected = false;
  };
  std::map<std::string, DeclaredProfile> profiles_;  // by the id of their <trace>
  std::vector<pugi::xml_node> connections_;
  int depth_ = 0;  // of the zone that is read
};

}  // namespace

Platform parse_platform_xml(std::string_view text, std::string_view name, Findings& findings) {
  return XmlReader(text, name, findings).read();
}

}  // namespace slackline
