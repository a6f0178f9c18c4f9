// How a cluster is laid out on a plane.
//
// Problem: 10 hosts and 100,000 have to be drawn in the same room. Idea: nodes are named by the
// coordinates of the cluster's own shape; where there are too many of them, coordinates are made
// coarser, step by step, until few enough differ. Nodes with the same coarse coordinates are drawn
// as one, and so are the links between two of these. Neighbours in a shape have neighbouring
// coordinates, so that what is drawn as one is a subtree, a block of a torus, or a router with its
// hosts, and then a group. O((nodes + links) log(nodes)).

#include "page/drawn_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <span>
#include <utility>

#include "base/units.h"
#include "sim/platform/zone.h"

namespace slackline {
namespace {

constexpr std::size_t kMostNodes = 600;
constexpr std::size_t kMostLines = 2500;
constexpr double kWidth = 4000;

using Coordinates = std::vector<std::uint32_t>;

/// How coarse coordinates become in a step; step 0 leaves them as they are.
class Coarse {
 public:
  Coarse(const ClusterMap& map, std::uint32_t step) : map_(map), step_(step) {
    if (map.kind != ClusterMap::Kind::levels) return;
    for (std::uint32_t i = 0; i < map.nodes(); ++i) {
      const std::uint32_t level = map.node(i)[0];
      if (level >= in_level_.size()) in_level_.resize(level + 1);
      ++in_level_[level];
    }
  }

  Coordinates of(std::uint32_t node) const {
    const std::span<const std::uint32_t> exact = map_.node(node);
    Coordinates result(exact.begin(), exact.end());
    if (step_ == 0) return result;
    switch (map_.kind) {
      case ClusterMap::Kind::levels: {
        constexpr std::uint32_t kInLevel = 256;
        const std::uint32_t most = std::max(1u, kInLevel >> step_);
        result[1] /= (in_level_[result[0]] + most - 1) / most;
        break;
      }
      case ClusterMap::Kind::torus:
        for (std::uint32_t d = 0; d < map_.dimensions; ++d) {
          result[d] >>= (step_ + map_.dimensions - 1 - d) / map_.dimensions;  // one after the other
        }
        break;
      case ClusterMap::Kind::dragonfly:
        result[3] = 0;
        if (step_ > 1) result[2] = 0;
        if (step_ > 2) result[1] = 0;
        if (step_ > 3) result[0] >>= step_ - 3;
        break;
    }
    return result;
  }

 private:
  const ClusterMap& map_;
  std::uint32_t step_;
  std::vector<std::uint32_t> in_level_;
};

struct Point2 {
  double x = 0;
  double y = 0;
};

/// Nodes that are drawn as one.
struct Box {
  Coordinates at;
  std::uint32_t first;  ///< its nodes
  std::uint32_t last;
  std::uint32_t count = 0;
};

struct Boxes {
  std::vector<Box> boxes;
  std::vector<std::uint32_t> of_node;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<LinkId>> lines;
};

Boxes boxes_of(const ClusterMap& map, std::uint32_t step) {
  const Coarse coarse(map, step);
  Boxes result;
  std::map<Coordinates, std::uint32_t> places;
  for (std::uint32_t node = 0; node < map.nodes(); ++node) {
    Coordinates at = coarse.of(node);
    const auto next = static_cast<std::uint32_t>(result.boxes.size());
    const auto [place, is_new] = places.try_emplace(std::move(at), next);
    if (is_new) result.boxes.push_back({place->first, node, node});
    Box& box = result.boxes[place->second];
    box.last = node;
    ++box.count;
    result.of_node.push_back(place->second);
  }
  for (const Wire& wire : map.wires) {
    const auto ends = std::minmax(result.of_node[wire.from], result.of_node[wire.to]);
    result.lines[{ends.first, ends.second}].push_back(wire.link);
  }
  return result;
}

/// Number of values of each coordinate.
Coordinates extents_of(const std::vector<Box>& boxes) {
  Coordinates extents(boxes.front().at.size(), 1);
  for (const Box& box : boxes) {
    for (std::size_t d = 0; d < extents.size(); ++d) {
      extents[d] = std::max(extents[d], box.at[d] + 1);
    }
  }
  return extents;
}

/// Hosts below, roots above, each level as wide as the others.
std::vector<Point2> levels(const std::vector<Box>& boxes) {
  std::map<std::uint32_t, std::uint32_t> in_level;
  for (const Box& box : boxes) ++in_level[box.at[0]];
  const auto top = static_cast<double>(in_level.rbegin()->first);
  std::vector<Point2> points;
  for (const Box& box : boxes) {
    const double place = (box.at[1] + 0.5) / in_level[box.at[0]];
    points.push_back({place, (top - box.at[0]) * 0.15});
  }
  return points;
}

/// The first two dimensions are a grid, the third one a diagonal within its cells; further ones are
/// such grids beside and below each other.
std::vector<Point2> grid(const std::vector<Box>& boxes) {
  const Coordinates extents = extents_of(boxes);
  std::vector<Point2> steps;
  std::array<double, 2> size{1, 1};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (d == 2) {
      steps.push_back({0.7 / extents[2], -0.7 / extents[2]});
      continue;
    }
    const std::size_t axis = d < 2 ? d : (d + 1) % 2;
    steps.push_back(axis == 0 ? Point2{size[0], 0} : Point2{0, size[1]});
    size[axis] *= extents[d] + (d < 2 ? 0.5 : 0.0);
  }
  std::vector<Point2> points;
  for (const Box& box : boxes) {
    Point2 point;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      point.x += box.at[d] * steps[d].x;
      point.y += box.at[d] * steps[d].y;
    }
    points.push_back(point);
  }
  return points;
}

Point2 on_circle(Point2 centre, double radius, double turn) {
  const double angle = 2 * std::numbers::pi * turn;
  return {centre.x + radius * std::sin(angle), centre.y - radius * std::cos(angle)};
}

/// Groups on a circle, the routers of each on a circle of its own, hosts outside of their router.
std::vector<Point2> circles(const std::vector<Box>& boxes) {
  const Coordinates extents = extents_of(boxes);
  const double groups = extents[0];
  const double routers = static_cast<double>(extents[1]) * extents[2];
  const double hosts = std::max(1.0, extents[3] - 1.0);
  const double room = groups > 1 ? std::min(0.45, 0.85 * std::sin(std::numbers::pi / groups)) : 1.0;
  std::vector<Point2> points;
  for (const Box& box : boxes) {
    const Point2 group = groups > 1 ? on_circle({}, 1, box.at[0] / groups) : Point2{};
    if (routers <= 1 && extents[3] <= 1) {
      points.push_back(group);
      continue;
    }
    double turn = box.at[0] / groups + (box.at[1] * extents[2] + box.at[2]) / routers;
    const bool is_host = box.at[3] > 0;
    if (is_host) turn += ((box.at[3] - 0.5) / hosts - 0.5) * 0.8 / routers;
    points.push_back(on_circle(group, is_host ? room : 0.65 * room, turn));
  }
  return points;
}

std::vector<Point2> points_of(ClusterMap::Kind kind, const std::vector<Box>& boxes) {
  switch (kind) {
    case ClusterMap::Kind::levels:
      return levels(boxes);
    case ClusterMap::Kind::torus:
      return grid(boxes);
    case ClusterMap::Kind::dragonfly:
      return circles(boxes);
  }
  return {};
}

/// Puts the points into the drawing, with a margin around them.
void place(std::vector<Point2> points, NetworkDrawing& drawing) {
  constexpr double kMargin = 0.04 * kWidth;
  const auto [left, right] = std::ranges::minmax(points, {}, &Point2::x);
  const auto [above, below] = std::ranges::minmax(points, {}, &Point2::y);
  const double size = std::max({right.x - left.x, below.y - above.y, 1e-9});
  const double scale = (kWidth - 2 * kMargin) / size;
  const auto inside = [&](double at, double least) {
    return static_cast<std::uint32_t>(std::lround((at - least) * scale + kMargin));
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    drawing.nodes[i].x = inside(points[i].x, left.x);
    drawing.nodes[i].y = inside(points[i].y, above.y);
  }
  drawing.width = inside(right.x, left.x) + static_cast<std::uint32_t>(kMargin);
  drawing.height = inside(below.y, above.y) + static_cast<std::uint32_t>(kMargin);
}

/// Steps round a ring: from its last place to its first one.
bool closes_ring(ClusterMap::Kind kind, const Coordinates& a, const Coordinates& b) {
  if (kind != ClusterMap::Kind::torus) return false;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (std::max(a[d], b[d]) - std::min(a[d], b[d]) > 1) return true;
  }
  return false;
}

std::string switch_name(const ClusterMap& map, std::uint32_t node) {
  const std::span<const std::uint32_t> at = map.node(node);
  if (map.kind == ClusterMap::Kind::levels) {
    return fmt::format("level {} switch {}", at[0], at[1]);
  }
  return fmt::format("group {} chassis {} router {}", at[0], at[1], at[2]);
}

class Cluster {
 public:
  Cluster(const Platform& platform, const NetZone& zone, ClusterMap map)
      : platform_(platform), zone_(zone), map_(std::move(map)) {}

  NetworkDrawing drawn() const {
    std::uint32_t step = 0;
    Boxes drawn = boxes_of(map_, step);
    while (drawn.boxes.size() > kMostNodes || drawn.lines.size() > kMostLines) {
      drawn = boxes_of(map_, ++step);
    }
    NetworkDrawing drawing;
    drawing.name = zone_.name;
    drawing.kind = zone_.kind();
    if (step > 0) {
      const Box& largest = *std::ranges::max_element(drawn.boxes, {}, &Box::count);
      drawing.note = fmt::format("{} nodes, up to {} neighbours drawn as one",
                                 format_count(map_.nodes()), format_count(largest.count));
    }
    for (const Box& box : drawn.boxes) {
      drawing.nodes.push_back({name_of(box), 0, 0, box.last < map_.hosts});
    }
    place(points_of(map_.kind, drawn.boxes), drawing);
    for (auto& [ends, links] : drawn.lines) {
      drawing.lines.push_back(
          {ends.first, ends.second,
           closes_ring(map_.kind, drawn.boxes[ends.first].at, drawn.boxes[ends.second].at),
           std::move(links)});
    }
    return drawing;
  }

 private:
  std::string name_of(std::uint32_t node) const {
    return node < map_.hosts ? zone_.member_name(platform_, node) : switch_name(map_, node);
  }
  std::string name_of(const Box& box) const {
    if (box.count == 1) return name_of(box.first);
    return fmt::format("{} to {} ({} nodes)", name_of(box.first), name_of(box.last), box.count);
  }

  const Platform& platform_;
  const NetZone& zone_;
  ClusterMap map_;
};

void add_drawings(const Platform& platform, const NetZone& zone,
                  std::vector<NetworkDrawing>& drawings) {
  if (std::optional<ClusterMap> map = zone.map()) {
    drawings.push_back(Cluster(platform, zone, std::move(*map)).drawn());
    return;
  }
  for (std::uint32_t i = 0; i < zone.member_count(); ++i) {
    const Member member = zone.member(i);
    if (member.kind == Member::Kind::zone) {
      add_drawings(platform, platform.zone(member.id), drawings);
    }
  }
}

}  // namespace

std::vector<NetworkDrawing> network_drawings(const Platform& platform) {
  std::vector<NetworkDrawing> drawings;
  add_drawings(platform, platform.root(), drawings);
  return drawings;
}

}  // namespace slackline
