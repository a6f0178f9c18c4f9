#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/picture.h"
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

/// The links of a platform by group (a level of a tree, the cables of a torus), each with its use
/// in a simulated run.
struct LinkMap final : Picture {
  struct Link {
    std::string name;
    double mean = 0;  ///< part of its bandwidth that is used, over the run
    double peak = 0;  ///< in the busiest stretch of time
    double lost_ns = 0;
  };
  /// A cluster's own shape; lines have the numbers of links among those of all groups, in order.
  struct Drawing {
    NetworkDrawing network{};
    std::vector<std::vector<std::size_t>> links{};  ///< by line: those that are in a group
  };
  struct Group {
    std::string name;
    std::vector<Link> links{};   ///< that carried anything, as in the platform
    std::uint64_t left_out = 0;  ///< further ones, with less delay and use
    std::uint64_t unused = 0;
  };

  Json json(BlobList& blobs) const override;

  std::string id = "link-map";
  std::string title = "Links by use";
  std::vector<Group> groups;
  std::vector<Drawing> drawings;  ///< of clusters with links in a group
  std::uint64_t undrawn = 0;      ///< further ones of these
};

}  // namespace slackline
