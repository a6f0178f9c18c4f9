// A dragonfly (Kim et al., ISCA 2008) as the Cray Cascade has it, with minimal routing. Hosts hang
// on routers; the routers of a chassis are all connected (green), and so are the routers of the
// same place in all chassis of a group (black). The one (blue) cable between groups i and j hangs
// on router (i, chassis 0, place j) and router (j, chassis 0, place i); hence a chassis needs at
// least as many routers as there are groups. A way out of a group thus goes green to the place of
// the target's group, black to chassis 0, blue; and inside of the target's group green, then black.

#include <fmt/format.h>

#include "base/error.h"
#include "sim/platform/cluster_zone.h"

namespace slackline {
namespace {

struct RouterAt {
  std::uint32_t group;
  std::uint32_t chassis;
  std::uint32_t place;

  bool operator==(const RouterAt&) const = default;
};

// All pairs i < j of n, numbered row by row.
std::uint32_t pairs_of(std::uint32_t n) {
  return n * (n - 1) / 2;
}
std::uint32_t pair_index(std::uint32_t i, std::uint32_t j, std::uint32_t n) {
  return i * (2 * n - i - 1) / 2 + (j - i - 1);
}

class Dragonfly : public ClusterZone {
 public:
  Dragonfly(PlatformBuilder& builder, const ClusterSpec& spec, const DragonflyShape& shape)
      : shape_(shape) {
    const std::uint32_t routers = shape.groups * shape.chassis * shape.routers;
    prepare(builder, spec, routers);
    const auto named = [&spec](std::string_view color) {
      return [text = fmt::format("{}_{}", spec.name, color)](std::uint32_t i) {
        return fmt::format("{}_{}", text, i);
      };
    };
    const auto cables = [&](std::string_view color, std::uint32_t count, std::uint32_t width) {
      Link link = spec.cable;
      link.bandwidth *= width;
      return add_cables(builder, spec, fmt::format("{}.{}", spec.name, color), count, link,
                        named(color));
    };
    local_ = cables("local", host_count(), 1);
    green_ =
        cables("green", shape.groups * shape.chassis * pairs_of(shape.routers), shape.green_cables);
    black_ =
        cables("black", shape.groups * pairs_of(shape.chassis) * shape.routers, shape.black_cables);
    blue_ = cables("blue", pairs_of(shape.groups), shape.blue_cables);
    figures_ = fmt::format("{} hosts, {} groups x {} chassis x {} routers x {} hosts", host_count(),
                           shape.groups, shape.chassis, shape.routers, shape.hosts);
  }

  std::string kind() const override { return "dragonfly"; }

  bool append_route(std::uint32_t src, std::uint32_t dst, Gateways&,
                    std::vector<LinkId>& links) const override {
    if (src == dst && append_loopback(src, links)) return true;
    RouterAt at = router_of(src);
    const RouterAt target = router_of(dst);
    append_limiter(src, links);
    links.push_back(local_.up(src));
    if (at.group != target.group) append_way_out(at, target.group, links);
    if (at.place != target.place) {
      append_green(at, target.place, links);
      // As SimGrid has it: after the green cable the way goes on from chassis 0, wherever it was.
      at.chassis = 0;
    }
    if (at.chassis != target.chassis) append_black(at, target.chassis, links);
    append_router_limiter(target, links);
    links.push_back(local_.down(dst));
    append_limiter(dst, links);
    return true;
  }

 private:
  void add_shape(ClusterMap& map) const override {
    map.kind = ClusterMap::Kind::dragonfly;
    map.dimensions = 4;
    for (std::uint32_t host = 0; host < host_count(); ++host) {
      const RouterAt at = router_of(host);
      add_node(at, 1 + host % shape_.hosts, map);
      add_wires(local_, host, host, number_of(at), map);
    }
    for (std::uint32_t group = 0; group < shape_.groups; ++group) {
      for (std::uint32_t chassis = 0; chassis < shape_.chassis; ++chassis) {
        for (std::uint32_t place = 0; place < shape_.routers; ++place) {
          add_node({group, chassis, place}, 0, map);
        }
      }
      add_wires_within(group, map);
      for (std::uint32_t other = group + 1; other < shape_.groups; ++other) {
        add_wires(blue_, pair_index(group, other, shape_.groups), number_of({group, 0, other}),
                  number_of({other, 0, group}), map);
      }
    }
  }

  static void add_node(const RouterAt& at, std::uint32_t which, ClusterMap& map) {
    map.coordinates.insert(map.coordinates.end(), {at.group, at.chassis, at.place, which});
  }

  void add_wires_within(std::uint32_t group, ClusterMap& map) const {
    for (std::uint32_t chassis = 0; chassis < shape_.chassis; ++chassis) {
      for (std::uint32_t place = 0; place < shape_.routers; ++place) {
        const std::uint32_t router = number_of({group, chassis, place});
        for (std::uint32_t other = place + 1; other < shape_.routers; ++other) {
          add_wires(green_, first_green(group, chassis) + pair_index(place, other, shape_.routers),
                    router, number_of({group, chassis, other}), map);
        }
        for (std::uint32_t other = chassis + 1; other < shape_.chassis; ++other) {
          add_wires(black_, first_black(group, place) + pair_index(chassis, other, shape_.chassis),
                    router, number_of({group, other, place}), map);
        }
      }
    }
  }

  /// Behind the hosts.
  std::uint32_t number_of(const RouterAt& at) const {
    return host_count() + (at.group * shape_.chassis + at.chassis) * shape_.routers + at.place;
  }
  std::uint32_t first_green(std::uint32_t group, std::uint32_t chassis) const {
    return (group * shape_.chassis + chassis) * pairs_of(shape_.routers);
  }
  /// Per group and place, the pairs of chassis.
  std::uint32_t first_black(std::uint32_t group, std::uint32_t place) const {
    return (group * shape_.routers + place) * pairs_of(shape_.chassis);
  }

  RouterAt router_of(std::uint32_t host) const {
    const std::uint32_t router = host / shape_.hosts;
    const std::uint32_t chassis = router / shape_.routers;
    return {chassis / shape_.chassis, chassis % shape_.chassis, router % shape_.routers};
  }

  void append_router_limiter(const RouterAt& at, std::vector<LinkId>& links) const {
    append_limiter(number_of(at), links);
  }

  static LinkId directed(const Cables& cables, std::uint32_t first, std::uint32_t from,
                         std::uint32_t to, std::uint32_t n) {
    return from < to ? cables.up(first + pair_index(from, to, n))
                     : cables.down(first + pair_index(to, from, n));
  }

  void append_way_out(RouterAt& at, std::uint32_t group, std::vector<LinkId>& links) const {
    if (at.place != group) append_green(at, group, links);
    if (at.chassis != 0) append_black(at, 0, links);
    links.push_back(directed(blue_, 0, at.group, group, shape_.groups));
    append_router_limiter(at, links);
    at = {group, 0, at.group};
  }

  void append_green(RouterAt& at, std::uint32_t place, std::vector<LinkId>& links) const {
    append_router_limiter(at, links);
    const std::uint32_t first = first_green(at.group, at.chassis);
    links.push_back(directed(green_, first, at.place, place, shape_.routers));
    at.place = place;
  }

  void append_black(RouterAt& at, std::uint32_t chassis, std::vector<LinkId>& links) const {
    append_router_limiter(at, links);
    const std::uint32_t first = first_black(at.group, at.place);
    links.push_back(directed(black_, first, at.chassis, chassis, shape_.chassis));
    at.chassis = chassis;
  }

  DragonflyShape shape_;
  Cables local_, green_, black_, blue_;
};

}  // namespace

std::unique_ptr<ClusterZone> make_dragonfly(PlatformBuilder& builder, const ClusterSpec& spec,
                                            const DragonflyShape& shape) {
  if (shape.groups > 1 && shape.routers < shape.groups) {
    throw usage_error(
        fmt::format("cannot build cluster '{}'", spec.name),
        fmt::format("{} groups need {} routers per chassis for their cables, but there are {}",
                    shape.groups, shape.groups, shape.routers),
        "Use more routers per chassis or fewer groups.");
  }
  return std::make_unique<Dragonfly>(builder, spec, shape);
}

}  // namespace slackline
