// A star. From host i to host j: i's limiter, its cable up, the backbone, j's cable down, j's
// limiter. A link that would be crossed twice (the backbone, or without a loopback what a host
// uses to reach itself) is crossed once.

#include <fmt/format.h>

#include "base/error.h"
#include "sim/platform/cluster_zone.h"

namespace slackline {
namespace {

class FlatCluster : public ClusterZone {
 public:
  FlatCluster(PlatformBuilder& builder, const ClusterSpec& spec) {
    prepare(builder, spec, 0);
    router_ = spec.router.empty()
                  ? fmt::format("{}{}_router{}", spec.prefix, spec.name, spec.suffix)
                  : spec.router;
    cables_ = add_cables(
        builder, spec, spec.name + ".cables", host_count(), spec.cable,
        [name = spec.name](std::uint32_t i) { return fmt::format("{}_link_{}", name, i); });
    if (spec.backbone) {
      backbone_ =
          builder.add_links(spec.name + ".backbone", 1, *spec.backbone,
                            [name = spec.name](std::uint32_t) { return name + "_backbone"; });
    }
    figures_ = fmt::format("{} hosts{}", host_count(), spec.backbone ? " on a backbone" : "");
  }

  std::string kind() const override { return "cluster"; }

  bool append_route(std::uint32_t src, std::uint32_t dst, Gateways&,
                    std::vector<LinkId>& links) const override {
    const bool to_itself = src == dst;
    if (to_itself && !is_router(src) && append_loopback(src, links)) return true;
    if (!is_router(src)) {
      append_limiter(src, links);
      links.push_back(cables_.up(src));
    }
    if (backbone_ && !(is_router(src) && is_router(dst))) links.push_back(*backbone_);
    if (!is_router(dst)) {
      if (!to_itself || cables_.duplex) links.push_back(cables_.down(dst));
      if (!to_itself) append_limiter(dst, links);
    }
    return true;
  }

 private:
  void add_shape(ClusterMap& map) const override {
    const std::uint32_t centre = host_count();
    for (std::uint32_t host = 0; host < host_count(); ++host) {
      map.coordinates.insert(map.coordinates.end(), {0, host});
      add_wires(cables_, host, host, centre, map);
    }
    map.coordinates.insert(map.coordinates.end(), {1, 0});
    if (backbone_) map.wires.push_back({*backbone_, centre, centre});
  }

  Cables cables_;
  std::optional<LinkId> backbone_;
};

}  // namespace

std::unique_ptr<ClusterZone> make_flat_cluster(PlatformBuilder& builder, const ClusterSpec& spec) {
  return std::make_unique<FlatCluster>(builder, spec);
}

}  // namespace slackline
