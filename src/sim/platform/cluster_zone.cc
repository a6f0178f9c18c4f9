#include "sim/platform/cluster_zone.h"

#include <fmt/format.h>

#include "base/error.h"

namespace slackline {

Cables add_cables(PlatformBuilder& builder, const ClusterSpec& spec, const std::string& group,
                  std::uint32_t count, const Link& link, PlatformParts::NameOfLink name) {
  if (!spec.duplex) return {builder.add_links(group, count, link, std::move(name)), false};
  const auto directed = [name = std::move(name)](std::uint32_t index) {
    return name(index / 2) + (index % 2 == 0 ? "_UP" : "_DOWN");
  };
  return {builder.add_links(group, 2 * count, link, directed), true};
}

Member ClusterZone::member(std::uint32_t index) const {
  if (is_router(index)) return {Member::Kind::router, 0};
  return {Member::Kind::host, first_host_ + index};
}

std::string ClusterZone::member_name(const Platform& platform, std::uint32_t index) const {
  return is_router(index) ? router_ : platform.host_name(first_host_ + index);
}

void ClusterZone::prepare(PlatformBuilder& builder, const ClusterSpec& spec,
                          std::uint32_t switch_limiters) {
  host_count_ = 0;
  for (const NumberRange& range : spec.numbers) host_count_ += range.count();
  if (spec.loopback) {
    Link loopback = *spec.loopback;
    loopback.sharing = Sharing::fatpipe;
    loopbacks_ = builder.add_links(
        spec.name + ".loopback", host_count_, loopback,
        [name = spec.name](std::uint32_t i) { return fmt::format("{}_{}_loopback", name, i); });
  }
  if (spec.limiter) {
    limiters_ =
        builder.add_links(spec.name + ".limiter", host_count_ + switch_limiters,
                          Link{*spec.limiter, 0, Sharing::shared},
                          [name = spec.name, hosts = host_count_](std::uint32_t i) {
                            return i < hosts ? fmt::format("{}_{}_limiter", name, i)
                                             : fmt::format("{}_switch_{}_limiter", name, i - hosts);
                          });
  }
}

bool ClusterZone::append_loopback(std::uint32_t host, std::vector<LinkId>& links) const {
  if (loopbacks_) links.push_back(*loopbacks_ + host);
  return loopbacks_.has_value();
}

void ClusterZone::append_limiter(std::uint32_t node, std::vector<LinkId>& links) const {
  if (limiters_) links.push_back(*limiters_ + node);
}

std::optional<ClusterMap> ClusterZone::map() const {
  ClusterMap map;
  map.hosts = host_count_;
  add_shape(map);
  for (std::uint32_t host = 0; loopbacks_ && host < host_count_; ++host) {
    map.wires.push_back({*loopbacks_ + host, host, host});
  }
  // Limiters have the numbers of their nodes; a star's centre has none.
  const std::uint32_t limited = router_.empty() ? map.nodes() : host_count_;
  for (std::uint32_t node = 0; limiters_ && node < limited; ++node) {
    map.wires.push_back({*limiters_ + node, node, node});
  }
  return map;
}

void ClusterZone::add_wires(const Cables& cables, std::uint32_t cable, std::uint32_t from,
                            std::uint32_t to, ClusterMap& map) {
  map.wires.push_back({cables.up(cable), from, to});
  if (cables.duplex) map.wires.push_back({cables.down(cable), to, from});
}

AddedCluster add_cluster(PlatformBuilder& builder, const ClusterSpec& spec, ZoneId parent,
                         std::uint32_t member_in_parent) {
  std::uint64_t hosts = 0;
  for (const NumberRange& range : spec.numbers) hosts += range.count();
  if (const auto wanted = hosts_of(spec.shape); wanted && *wanted != hosts) {
    throw usage_error(
        fmt::format("cannot build cluster '{}'", spec.name),
        fmt::format("its topology has {} hosts and the radical names {}", *wanted, hosts),
        "Make the two match.");
  }
  struct Make {
    PlatformBuilder& builder;
    const ClusterSpec& spec;
    std::unique_ptr<ClusterZone> operator()(const FlatShape&) const {
      return make_flat_cluster(builder, spec);
    }
    std::unique_ptr<ClusterZone> operator()(const FatTreeShape& shape) const {
      return make_fat_tree(builder, spec, shape);
    }
    std::unique_ptr<ClusterZone> operator()(const TorusShape& shape) const {
      return make_torus(builder, spec, shape);
    }
    std::unique_ptr<ClusterZone> operator()(const DragonflyShape& shape) const {
      return make_dragonfly(builder, spec, shape);
    }
  };
  auto zone = std::visit(Make{builder, spec}, spec.shape);
  ClusterZone& cluster = *zone;
  AddedCluster added;
  added.zone = builder.add_zone(std::move(zone), spec.name, parent, member_in_parent);
  added.router = cluster.router_;
  added.router_point = {added.zone, cluster.host_count_};
  cluster.first_host_ =
      builder.add_hosts(spec.prefix, spec.suffix, spec.numbers, spec.host_spec, added.zone);
  return added;
}

}  // namespace slackline
