#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

/// A cluster of a platform on a plane: a fat tree and a star as levels with the hosts below, a
/// torus as a grid, a dragonfly as a circle of groups. Of large ones neighbouring nodes are drawn
/// as one.
struct NetworkDrawing {
  struct Node {
    std::string name;
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    bool is_host = false;
  };
  struct Line {
    std::uint32_t from = 0;  ///< a node; equal to `to` for the links inside it
    std::uint32_t to = 0;
    bool round = false;           ///< closes a ring of a torus
    std::vector<LinkId> links{};  ///< in both directions
  };
  std::string name;
  std::string kind;
  std::string note;  ///< what was drawn as one; empty: nothing
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<Node> nodes;
  std::vector<Line> lines;
};

/// One for each cluster, outermost zone first; zones without a shape of their own have none.
/// O((nodes + links) log(nodes)); memory of 4 bytes a coordinate of a node and some 12 a link.
std::vector<NetworkDrawing> network_drawings(const Platform& platform);

}  // namespace slackline
