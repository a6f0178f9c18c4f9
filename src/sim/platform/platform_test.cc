#include "sim/platform/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/error.h"
#include "sim/platform/testing/cluster.h"
#include "sim/platform/testing/route_names.h"
#include "sim/platform/zone.h"

namespace slackline {
namespace {

using testing::cluster;
using ::testing::ElementsAre;

/// All shapes, with all that a cluster may have.
std::vector<Platform> clusters() {
  const auto with_all = [](ClusterSpec& spec) {
    spec.limiter = 150e6;
    spec.loopback = Link{1e9, 1e-7, Sharing::fatpipe};
  };
  std::vector<Platform> all;
  all.push_back(cluster(FlatShape{}, "0-6", [&](ClusterSpec& spec) {
    with_all(spec);
    spec.backbone = Link{1e9, 1e-6, Sharing::fatpipe};
  }));
  all.push_back(cluster(TorusShape{{4, 3, 2}}, "0-23", with_all));
  all.push_back(cluster(TorusShape{{5, 1, 2}}, "0-9"));
  all.push_back(cluster(FatTreeShape{{4, 4}, {1, 2}, {1, 2}}, "0-15", with_all));
  all.push_back(cluster(FatTreeShape{{3, 2, 4}, {2, 3, 2}, {1, 2, 1}}, "0-23"));
  all.push_back(cluster(DragonflyShape{3, 2, 1, 3, 4, 1, 2}, "0-23", with_all));
  all.push_back(cluster(DragonflyShape{3, 2, 2, 3, 3, 1, 2}, "0-35"));
  all.push_back(cluster(FatTreeShape{{4, 3}, {2, 2}, {1, 2}}, "0-11",
                        [](ClusterSpec& spec) { spec.duplex = false; }));
  return all;
}

/// SimGrid's dragonfly goes on from chassis 0 behind the cables within a chassis.
bool is_jump_of_dragonfly(const ClusterMap& map, std::uint32_t from, std::uint32_t to) {
  if (map.kind != ClusterMap::Kind::dragonfly) return false;
  const auto a = map.node(from);
  const auto b = map.node(to);
  return a[0] == b[0] && a[2] == b[2] && b[1] == 0;
}

TEST(ClusterMap, HasEveryLinkOnceAndEveryRouteIsAWalkOnIt) {
  for (const Platform& platform : clusters()) {
    const std::optional<ClusterMap> map = platform.root().map();
    ASSERT_TRUE(map);
    std::vector<const Wire*> wire_of(platform.link_count());
    for (const Wire& wire : map->wires) {
      EXPECT_EQ(wire_of[wire.link], nullptr) << platform.link_name(wire.link);
      wire_of[wire.link] = &wire;
    }
    for (LinkId link = 0; link < platform.link_count(); ++link) {
      EXPECT_EQ(wire_of[link] == nullptr, link == platform.implicit_loopback())
          << platform.link_name(link);
    }
    std::vector<LinkId> route;
    for (HostId src = 0; src < platform.host_count(); ++src) {
      for (HostId dst = 0; dst < platform.host_count(); ++dst) {
        if (src == dst) continue;
        route.clear();
        platform.route(src, dst, route);
        std::uint32_t at = src;
        std::uint32_t before = src;
        for (const LinkId link : route) {
          Wire wire = *wire_of[link];
          if (wire.from == wire.to) {  // a limiter stands before or behind the cable
            EXPECT_TRUE(wire.from == at || wire.from == before ||
                        is_jump_of_dragonfly(*map, at, wire.from))
                << platform.link_name(link) << " from " << src << " to " << dst;
            continue;
          }
          const bool is_duplex = platform.link_name(link).find("UP") != std::string::npos ||
                                 platform.link_name(link).find("DOWN") != std::string::npos;
          if (!is_duplex && wire.to == at) std::swap(wire.from, wire.to);
          EXPECT_TRUE(wire.from == at || is_jump_of_dragonfly(*map, at, wire.from))
              << platform.link_name(link) << " from " << src << " to " << dst;
          before = std::exchange(at, wire.to);
        }
        EXPECT_TRUE(at == dst || is_jump_of_dragonfly(*map, at, dst));
      }
    }
  }
}

TEST(FlatCluster, GoesUpAndDown) {
  const Platform platform = cluster(FlatShape{}, "0-3");
  EXPECT_EQ(platform.host_count(), 4u);
  EXPECT_THAT(testing::route_names(platform, "n1", "n3"),
              ElementsAre("c_link_1_UP", "c_link_3_DOWN"));
  EXPECT_THAT(testing::route_names(platform, "n1", "n1"),
              ElementsAre("c_link_1_UP", "c_link_1_DOWN"));
  std::vector<LinkId> links;
  EXPECT_DOUBLE_EQ(platform.route(1, 3, links), 100e-6);
}

TEST(FlatCluster, CrossesTheBackboneOnceAndBothLimiters) {
  const Platform platform = cluster(FlatShape{}, "0-3", [](ClusterSpec& spec) {
    spec.duplex = false;
    spec.limiter = 150e6;
    spec.backbone = Link{1e9, 1e-6, Sharing::fatpipe};
    spec.loopback = Link{1e9, 1e-7, Sharing::fatpipe};
  });
  EXPECT_THAT(testing::route_names(platform, "n0", "n2"),
              ElementsAre("c_0_limiter", "c_link_0", "c_backbone", "c_link_2", "c_2_limiter"));
  EXPECT_THAT(testing::route_names(platform, "n2", "n2"), ElementsAre("c_2_loopback"));
}

TEST(Torus, TakesTheShorterWayRound) {
  const Platform platform = cluster(TorusShape{{4, 3}}, "0-11");
  // 3 -> 0 wraps around forwards, over the cable that node 3 owns.
  EXPECT_THAT(testing::route_names(platform, "n3", "n0"), ElementsAre("c_3_dim_0_UP"));
  // 0 -> 3 goes back over the same cable.
  EXPECT_THAT(testing::route_names(platform, "n0", "n3"), ElementsAre("c_3_dim_0_DOWN"));
  // First x (1 -> 2), then y (0 -> 2, one back around: node 10 = (2, 2) owns it).
  EXPECT_THAT(testing::route_names(platform, "n1", "n10"),
              ElementsAre("c_1_dim_0_UP", "c_10_dim_1_DOWN"));
}

TEST(FatTree, RoutesByTheDestination) {
  // Two levels, four leaves of four hosts, two roots with two cables to each leaf.
  const Platform platform = cluster(FatTreeShape{{4, 4}, {1, 2}, {1, 2}}, "0-15");
  EXPECT_THAT(testing::route_names(platform, "n0", "n3"),
              ElementsAre("c_level_0_node_0_port_0_UP", "c_level_0_node_3_port_0_DOWN"));
  // d = 6 mod (2 * 2) = port 2: root 0, second cable. Down from root 0: the source's 1 mod 2 picks
  // the second cable, which is port 0 + 1 * 2 of leaf 1.
  EXPECT_THAT(testing::route_names(platform, "n1", "n6"),
              ElementsAre("c_level_0_node_1_port_0_UP", "c_level_1_node_0_port_2_UP",
                          "c_level_1_node_1_port_2_DOWN", "c_level_0_node_6_port_0_DOWN"));
}

TEST(Dragonfly, TakesTheMinimalWay) {
  // 3 groups x 2 chassis x 3 routers x 2 hosts.
  const Platform platform = cluster(DragonflyShape{3, 2, 2, 3, 3, 1, 2}, "0-35");
  EXPECT_THAT(testing::route_names(platform, "n0", "n1"),
              ElementsAre("c_local_0_UP", "c_local_1_DOWN"));
  // Host 8 is router (0, 1, 1); host 35 is router (2, 1, 2): green 1 -> 2, black 1 -> 0, blue
  // 0 -> 2 arriving at place 0, green 0 -> 2, black 0 -> 1.
  // Green cables: 3 a chassis, in the order 01 02 12; chassis 1 starts at 3, chassis 4 at 12.
  // Black: 1 a group and place, (0, place 2) is 2, (2, place 2) is 8. Blue in the order 01 02 12.
  EXPECT_THAT(testing::route_names(platform, "n8", "n35"),
              ElementsAre("c_local_8_UP", "c_green_5_UP", "c_black_2_DOWN", "c_blue_1_UP",
                          "c_green_13_UP", "c_black_8_UP", "c_local_35_DOWN"));
  EXPECT_DOUBLE_EQ(platform
                       .link(*[&] {
                         std::vector<LinkId> links;
                         platform.route(8, 35, links);
                         return std::make_optional(links[3]);
                       }())
                       .bandwidth,
                   2 * 125e6);
}

TEST(Dragonfly, NeedsARouterForEveryGroup) {
  EXPECT_THROW(cluster(DragonflyShape{3, 1, 1, 1, 2, 1, 1}, "0-5"), Error);
}

TEST(Cluster, WantsAsManyHostsAsTheShapeTakes) {
  EXPECT_THROW(cluster(TorusShape{{4, 4}}, "0-14"), Error);
}

TEST(Names, FollowTheRadical) {
  const Platform platform = cluster(FlatShape{}, "0-2,7,20-21");
  EXPECT_EQ(platform.host_count(), 6u);
  EXPECT_EQ(platform.host_name(3), "n7");
  EXPECT_EQ(platform.host_name(5), "n21");
  EXPECT_EQ(platform.find_host("n20"), HostId{4});
  EXPECT_EQ(platform.find_host("n3"), std::nullopt);
  EXPECT_EQ(platform.find_host("n07"), std::nullopt);
}

}  // namespace
}  // namespace slackline
