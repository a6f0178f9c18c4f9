// A torus with dimension-order routing: the first dimension that still differs is travelled to its
// end, and so on. In a dimension of n places the way is in the positive direction when the target
// lies at most n/2 places ahead of the *start* (with or without the wrap-around), else in the
// negative one. A node owns the cable to its next neighbour in each dimension: its up link leads
// there, its down link back.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/platform/cluster_zone.h"

namespace slackline {
namespace {

class Torus : public ClusterZone {
 public:
  Torus(PlatformBuilder& builder, const ClusterSpec& spec, const TorusShape& shape)
      : sides_(shape.sides) {
    prepare(builder, spec, 0);
    const auto dimensions = static_cast<std::uint32_t>(sides_.size());
    cables_ = add_cables(builder, spec, spec.name + ".cables", host_count() * dimensions,
                         spec.cable, [name = spec.name, dimensions](std::uint32_t i) {
                           return fmt::format("{}_{}_dim_{}", name, i / dimensions, i % dimensions);
                         });
    figures_ = fmt::format("{} hosts, {}", host_count(), fmt::join(sides_, " x "));
  }

  std::string kind() const override { return "torus"; }

  bool append_route(std::uint32_t src, std::uint32_t dst, Gateways&,
                    std::vector<LinkId>& links) const override {
    if (src == dst) return append_loopback(src, links);
    std::uint32_t node = src;
    std::uint32_t stride = 1;
    for (std::uint32_t dimension = 0; dimension < sides_.size(); ++dimension) {
      const std::uint32_t side = sides_[dimension];
      const std::uint32_t from = (src / stride) % side;
      const std::uint32_t to = (dst / stride) % side;
      const bool forward = goes_forward(from, to, side);
      for (std::uint32_t at = from; at != to;) {
        append_limiter(node, links);
        const std::uint32_t next_at = forward ? (at + 1) % side : (at + side - 1) % side;
        const std::uint32_t next = node - at * stride + next_at * stride;
        links.push_back(forward ? cables_.up(cable(node, dimension))
                                : cables_.down(cable(next, dimension)));
        at = next_at;
        node = next;
      }
      stride *= side;
    }
    append_limiter(dst, links);
    return true;
  }

 private:
  void add_shape(ClusterMap& map) const override {
    map.kind = ClusterMap::Kind::torus;
    map.dimensions = static_cast<std::uint32_t>(sides_.size());
    for (std::uint32_t node = 0; node < host_count(); ++node) {
      std::uint32_t stride = 1;
      for (std::uint32_t dimension = 0; dimension < sides_.size(); ++dimension) {
        const std::uint32_t side = sides_[dimension];
        const std::uint32_t at = (node / stride) % side;
        const std::uint32_t next = node - at * stride + (at + 1) % side * stride;
        map.coordinates.push_back(at);
        add_wires(cables_, cable(node, dimension), node, next, map);
        stride *= side;
      }
    }
  }

  static bool goes_forward(std::uint32_t from, std::uint32_t to, std::uint32_t side) {
    const std::uint32_t half = side / 2;
    return (to > from && to <= from + half) || (from > half && (from + half) % side >= to);
  }
  std::uint32_t cable(std::uint32_t node, std::uint32_t dimension) const {
    return node * static_cast<std::uint32_t>(sides_.size()) + dimension;
  }

  std::vector<std::uint32_t> sides_;
  Cables cables_;
};

}  // namespace

std::unique_ptr<ClusterZone> make_torus(PlatformBuilder& builder, const ClusterSpec& spec,
                                        const TorusShape& shape) {
  return std::make_unique<Torus>(builder, spec, shape);
}

}  // namespace slackline
