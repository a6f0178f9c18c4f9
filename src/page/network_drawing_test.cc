#include "page/drawn_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sim/platform/testing/cluster.h"

namespace slackline {
namespace {

using testing::cluster;

/// Every link but the loopback is in one line, lines and nodes are few, and no two nodes are at the
/// same place.
NetworkDrawing checked(const Platform& platform) {
  const std::vector<NetworkDrawing> all = network_drawings(platform);
  EXPECT_EQ(all.size(), 1u);
  const NetworkDrawing& drawing = all.front();
  std::multiset<LinkId> links;
  for (const NetworkDrawing::Line& line : drawing.lines) {
    EXPECT_LT(line.to, drawing.nodes.size());
    links.insert(line.links.begin(), line.links.end());
  }
  EXPECT_EQ(links.size(), platform.link_count() - 1);
  EXPECT_EQ(std::set(links.begin(), links.end()).size(), links.size());
  EXPECT_EQ(links.count(platform.implicit_loopback()), 0u);
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const NetworkDrawing::Node& node : drawing.nodes) {
    EXPECT_TRUE(places.insert({node.x, node.y}).second) << node.name;
    EXPECT_LE(node.x, drawing.width);
    EXPECT_LE(node.y, drawing.height);
  }
  EXPECT_LE(drawing.nodes.size(), 600u);
  EXPECT_LE(drawing.lines.size(), 2500u);
  return drawing;
}

std::size_t hosts_in(const NetworkDrawing& drawing) {
  return static_cast<std::size_t>(
      std::ranges::count_if(drawing.nodes, [](const auto& node) { return node.is_host; }));
}

TEST(NetworkDrawing, DrawsEveryNodeOfSmallClusters) {
  const NetworkDrawing tree = checked(cluster(FatTreeShape{{4, 4}, {1, 2}, {1, 2}}, "0-15"));
  EXPECT_EQ(tree.nodes.size(), 16u + 4u + 2u);
  EXPECT_EQ(tree.lines.size(), 16u + 8u) << "parallel cables are one line";
  EXPECT_EQ(hosts_in(tree), 16u);
  EXPECT_EQ(tree.note, "");
  EXPECT_EQ(checked(cluster(FlatShape{}, "0-63")).nodes.size(), 65u);
  const NetworkDrawing fly = checked(cluster(DragonflyShape{3, 2, 2, 3, 3, 1, 2}, "0-35"));
  EXPECT_EQ(fly.nodes.size(), 36u + 18u);
}

TEST(NetworkDrawing, RingsOfATorusAreClosedByRoundLines) {
  const NetworkDrawing torus = checked(cluster(TorusShape{{4, 3, 2}}, "0-23"));
  EXPECT_EQ(torus.nodes.size(), 24u);
  const auto round =
      std::ranges::count_if(torus.lines, [](const auto& line) { return line.round; });
  EXPECT_EQ(round, 3 * 2 + 4 * 2) << "one for each ring of 4 and of 3; two places are neighbours";
  EXPECT_EQ(torus.lines.size(), 24u + 24u + 12u);
}

TEST(NetworkDrawing, DrawsNeighboursOfLargeClustersTogether) {
  const NetworkDrawing tree =
      checked(cluster(FatTreeShape{{16, 16, 32}, {1, 16, 16}, {1, 1, 1}}, "0-8191"));
  EXPECT_NE(tree.note, "");
  EXPECT_EQ(tree.nodes.front().name.substr(0, 6), "n0 to ");
  EXPECT_EQ(checked(cluster(TorusShape{{16, 16, 16}}, "0-4095")).nodes.size(), 8u * 8 * 8);
  const TorusShape ten_dimensions{std::vector<std::uint32_t>(10, 2)};
  EXPECT_EQ(checked(cluster(ten_dimensions, "0-1023")).nodes.size(), 256u)
      << "512 would have 9 * 256 lines between nodes and 512 inside";
  const NetworkDrawing fly = checked(cluster(DragonflyShape{9, 1, 4, 1, 9, 1, 8}, "0-2591"));
  EXPECT_NE(fly.note, "");
  EXPECT_EQ(hosts_in(fly), 0u);
}

}  // namespace
}  // namespace slackline
