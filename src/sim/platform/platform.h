#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/platform/profile.h"

namespace slackline {

using HostId = std::uint32_t;
using LinkId = std::uint32_t;

/// How the flows on a link share it: `shared` divides its bandwidth among them, `fatpipe` only
/// bounds each of them. A duplex link is two shared links, one a direction.
enum class Sharing : std::uint8_t { shared, fatpipe };
std::string_view to_string(Sharing sharing);

struct Link {
  double bandwidth = 0;  ///< bytes a second
  double latency = 0;    ///< seconds
  Sharing sharing = Sharing::shared;
};

/// Bandwidths in bytes a second.
struct DiskSpec {
  double read_bandwidth = 0, write_bandwidth = 0;
  std::string mount = "/";  ///< files under this path are on it
};

/// The computing capacity of a host, and its disks. Hosts of a cluster share one.
struct HostSpec {
  std::vector<double> speeds{1e9};  ///< flop/s of one core, by pstate
  std::uint32_t pstate = 0;         ///< the one in use
  std::uint32_t cores = 1;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<DiskSpec> disks{};

  /// The number of the disk that a file of that name is on: the one with the longest path before
  /// it, else the first.
  std::size_t disk_of(std::string_view file) const;
  /// flop/s of one core.
  double speed() const { return speeds[pstate]; }
  /// The property of that name, or nullptr.
  const std::string* property(std::string_view name) const;
};

/// Links with the same role in a platform ("c.up", "c.backbone"), which LinkScale can name. Their
/// ids are [first, first + count).
struct LinkGroup {
  std::string name;
  LinkId first = 0;
  std::uint32_t count = 0;
};

class NetZone;
struct PlatformParts;

/// Hosts, links and the routes between them: what a simulation shares bandwidth over. Immutable
/// but for the loopback; safe to share among threads. No table of routes: clusters compute theirs
/// from coordinates, and a host costs some 12 bytes (on a fat tree 20 a level more) and its links.
class Platform {
 public:
  explicit Platform(PlatformParts parts);  ///< made by PlatformBuilder (builder.h)
  Platform(Platform&&) noexcept;
  Platform& operator=(Platform&&) noexcept;
  ~Platform();

  std::uint32_t host_count() const;
  std::string host_name(HostId host) const;
  std::optional<HostId> find_host(std::string_view name) const;
  const HostSpec& host(HostId host) const;

  std::uint32_t link_count() const;
  const Link& link(LinkId link) const;
  std::string link_name(LinkId link) const;
  /// All groups of links, in order of ids; every link is in one of them.
  const std::vector<LinkGroup>& link_groups() const;
  const LinkGroup& group_of(LinkId link) const;

  /// Fills `links` with the route in order of travel and returns its latency, the sum of the
  /// links' in seconds. A host's route to itself goes over its loopback. A link can be in a
  /// declared route twice. Throws Error when the platform has no such route.
  /// Cost: the route's length for clusters, a search in Dijkstra zones.
  double route(HostId src, HostId dst, std::vector<LinkId>& links) const;

  /// Sets the loopback of every host whose zone declares none: a fatpipe, of 10 GB/s and 0 s unless
  /// set; bytes per second and seconds.
  LinkId implicit_loopback() const;
  void set_implicit_loopback(double bandwidth, double latency);

  /// What changes over time, at most one profile of a kind for each host and link.
  const std::vector<ResourceProfile>& profiles() const;

  /// The options of the simulation that the platform file sets, in its order (SimGrid's <config>).
  const std::vector<std::pair<std::string, std::string>>& config() const;

  /// The zones as a tree, for descriptions; the root has no parent.
  const NetZone& root() const;
  const NetZone& zone(std::uint32_t id) const;

 private:
  std::unique_ptr<PlatformParts> parts_;
};

/// What a message from one host to another crosses.
struct FoundRoute {
  HostId from = 0;
  HostId to = 0;
  std::vector<LinkId> links{};
  double latency = 0;    ///< seconds, the sum of the links'
  double bandwidth = 0;  ///< bytes a second, the least of the links', with the network for itself
};

/// Throws Error when there is no route.
FoundRoute find_route(const Platform& platform, HostId from, HostId to);

}  // namespace slackline
