// A fat tree in its general form (XGFT; Öhring et al., IPPS 1995) with D-mod-K routing (Zahavi,
// 2010).
//
// Level 0 are the hosts, level L the roots. A node's label has one digit a level, the lowest first;
// digit k has as many values as a level-(k+1) switch has children, or parents below level k+1 when
// the node stands above it. Two nodes of neighbouring levels are connected when their labels agree
// in all digits but the one between them. Upwards, the port is the destination's number, divided by
// the parents of the levels already climbed, modulo the ports: so all traffic to one host meets in
// one root. Downwards the label leaves only the choice among parallel cables, which the source's
// number makes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "sim/platform/cluster_zone.h"

namespace slackline {
namespace {

constexpr std::size_t kMostLevels = 16;

class FatTree : public ClusterZone {
 public:
  FatTree(PlatformBuilder& builder, const ClusterSpec& spec, const FatTreeShape& shape)
      : shape_(shape), levels_(static_cast<std::uint32_t>(shape.children.size())) {
    nodes_.push_back(1);
    for (const std::uint32_t children : shape.children) nodes_[0] *= children;
    first_switch_.push_back(0);
    std::uint32_t switches = 0;
    for (std::uint32_t level = 1; level <= levels_; ++level) {
      nodes_.push_back(nodes_.back() / shape.children[level - 1] * shape.parents[level - 1]);
      first_switch_.push_back(switches);
      switches += nodes_.back();
    }
    prepare(builder, spec, switches);
    spread_.push_back(1);
    for (const std::uint32_t parents : shape.parents) spread_.push_back(spread_.back() * parents);
    for (std::uint32_t host = 0; host < host_count(); ++host) add_steps(host);
    for (std::uint32_t level = 0; level < levels_; ++level) {
      cables_.push_back(add_cables(builder, spec, fmt::format("{}.level{}", spec.name, level + 1),
                                   nodes_[level] * ports(level), spec.cable,
                                   [name = spec.name, level, n = ports(level)](std::uint32_t i) {
                                     return fmt::format("{}_level_{}_node_{}_port_{}", name, level,
                                                        i / n, i % n);
                                   }));
    }
    figures_ = fmt::format("{} hosts, {} levels: children {}, parents {}, cables {}; {} switches",
                           nodes_[0], levels_, fmt::join(shape.children, ","),
                           fmt::join(shape.parents, ","), fmt::join(shape.cables, ","), switches);
  }

  std::string kind() const override { return "fat tree"; }

  bool append_route(std::uint32_t src, std::uint32_t dst, Gateways&,
                    std::vector<LinkId>& links) const override {
    if (src == dst && append_loopback(src, links)) return true;
    const std::uint32_t top = climb(steps_of(src), steps_of(dst), links);
    descend(top, src, steps_of(dst), links);
    append_limiter(dst, links);
    return true;
  }

 private:
  void add_shape(ClusterMap& map) const override {
    std::uint32_t first = 0;  // node of the level
    for (std::uint32_t level = 0; level <= levels_; first += nodes_[level], ++level) {
      for (std::uint32_t node = 0; node < nodes_[level]; ++node) {
        map.coordinates.insert(map.coordinates.end(), {level, node});
        if (level == levels_) continue;
        for (std::uint32_t port = 0; port < ports(level); ++port) {
          add_wires(cables_[level], node * ports(level) + port, first + node,
                    first + nodes_[level] + parent_of(level, node, port), map);
        }
      }
    }
  }

  /// The node of the next level behind a port.
  std::uint32_t parent_of(std::uint32_t level, std::uint32_t node, std::uint32_t port) const {
    const std::uint32_t above = node / spread_[level] / shape_.children[level];
    const std::uint32_t below = node % spread_[level];
    const std::uint32_t behind = port % shape_.parents[level];
    return above * spread_[level + 1] + behind * spread_[level] + below;
  }

  /// Ports upwards of a node of that level.
  std::uint32_t ports(std::uint32_t level) const {
    return shape_.parents[level] * shape_.cables[level];
  }

  /// What a host has to do with a level, the roots' included. All of it is there before any route
  /// is asked for: it takes divisions, and the way down from the roots is the same from everywhere.
  struct Step {
    std::uint32_t above;   ///< its label's digits from that level on, as one number
    std::uint32_t node;    ///< the level's node on the way down to the host
    std::uint32_t port;    ///< of any node of the level, upwards, of what goes to the host
    std::uint32_t parent;  ///< behind that port
    std::uint32_t digit;   ///< of the host's label
  };
  const Step* steps_of(std::uint32_t host) const {
    return steps_.data() + std::size_t{host} * (levels_ + 1);
  }
  void add_steps(std::uint32_t host) {
    std::uint32_t above = host;
    std::uint32_t divided = host;
    std::uint32_t below = 0;  // the label's digits below the level, which name parents
    for (std::uint32_t k = 0; k < levels_; ++k) {
      const std::uint32_t port = divided % ports(k);
      const std::uint32_t behind = port % shape_.parents[k];
      steps_.push_back(
          {above, above * spread_[k] + below, port, behind, above % shape_.children[k]});
      above /= shape_.children[k];
      divided /= shape_.parents[k];
      below += behind * spread_[k];
    }
    steps_.push_back({above, above * spread_[levels_] + below, 0, 0, 0});
  }

  void append_node_limiter(std::uint32_t level, std::uint32_t position,
                           std::vector<LinkId>& links) const {
    append_limiter(level == 0 ? position : host_count() + first_switch_[level] + position, links);
  }

  /// To the lowest level at which a node stands above both; which is returned.
  std::uint32_t climb(const Step* own, const Step* target, std::vector<LinkId>& links) const {
    std::uint32_t level = 0;
    do {
      // The target's node there, but for the digits that are still the source's.
      const std::uint32_t here =
          target[level].node + (own[level].above - target[level].above) * spread_[level];
      append_node_limiter(level, here, links);
      links.push_back(cables_[level].up(here * ports(level) + target[level].port));
      ++level;
    } while (own[level].above != target[level].above);
    return level;
  }

  /// Which of the parallel cables: SimGrid numbers a switch's ports by cable, then child, starts
  /// at the cable that the source's number gives, and goes on from that port, not afresh, at the
  /// next switch when that has such a port left.
  void descend(std::uint32_t level, std::uint32_t src, const Step* target,
               std::vector<LinkId>& links) const {
    std::uint32_t next_port = 0;
    bool fresh = true;
    for (; level > 0; --level) {
      const Step& below = target[level - 1];
      const std::uint32_t cable = cable_down(level, below.digit, fresh, next_port, src);
      fresh = false;
      next_port = cable * shape_.children[level - 1] + below.digit + 1;
      const std::uint32_t port = below.parent + cable * shape_.parents[level - 1];
      links.push_back(cables_[level - 1].down(below.node * ports(level - 1) + port));
      append_node_limiter(level, target[level].node, links);
    }
  }

  /// At the switch of that level, on the way to its child.
  std::uint32_t cable_down(std::uint32_t level, std::uint32_t child, bool fresh,
                           std::uint32_t next_port, std::uint32_t src) const {
    const std::uint32_t cables = shape_.cables[level - 1];
    if (cables == 1) return 0;
    const std::uint32_t children = shape_.children[level - 1];
    const std::uint32_t cable = next_port / children + (next_port % children > child ? 1 : 0);
    return fresh || cable >= cables ? src % cables : cable;
  }

  FatTreeShape shape_;
  std::uint32_t levels_;
  std::vector<std::uint32_t> nodes_;         // by level, hosts first
  std::vector<std::uint32_t> first_switch_;  // by level
  std::vector<Cables> cables_;               // [level]: from there to the next
  std::vector<std::uint32_t> spread_;        // by level: what a label's digits there count for
  std::vector<Step> steps_;                  // by host, then by level, roots included
};

}  // namespace

std::unique_ptr<ClusterZone> make_fat_tree(PlatformBuilder& builder, const ClusterSpec& spec,
                                           const FatTreeShape& shape) {
  if (shape.children.size() > kMostLevels) {
    throw usage_error(
        fmt::format("cannot build cluster '{}'", spec.name),
        fmt::format("{} levels exceed the maximum of {}", shape.children.size(), kMostLevels),
        "Use fewer levels.");
  }
  return std::make_unique<FatTree>(builder, spec, shape);
}

}  // namespace slackline
