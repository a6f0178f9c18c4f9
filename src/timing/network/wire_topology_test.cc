#include "timing/network/wire_topology.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <numeric>

#include "base/error.h"
#include "timing/network/topology_spec.h"

namespace slackline {
namespace {

using Wires = std::vector<std::int32_t>;

struct Found {
  std::int32_t switches;
  Wires wires;
  bool operator==(const Found&) const = default;
};

Found route(const WireTopology& t, std::int32_t a, std::int32_t b) {
  Wires wires(t.wire_classes().size(), 0);
  const std::int32_t switches = t.route(a, b, wires);
  return {switches, wires};
}

/// Every route crosses one wire more than switches, and is as long back as forth.
void expect_sound(const WireTopology& t) {
  for (std::int32_t a = 0; a < t.nodes(); ++a) {
    for (std::int32_t b = 0; b < t.nodes(); ++b) {
      if (a == b) continue;
      const Found f = route(t, a, b);
      ASSERT_EQ(std::accumulate(f.wires.begin(), f.wires.end(), 0), f.switches + 1);
      ASSERT_EQ(f, route(t, b, a)) << a << " " << b;
    }
  }
}

// LLAMP section IV-2: k = 16, three tiers; 8 nodes a switch, 64 a pod, 1024 in all.
TEST(FatTree, ThePapersHasOneThreeOrFiveSwitches) {
  const auto t = make_fat_tree(16, 3);
  EXPECT_EQ(t->nodes(), 1024);
  EXPECT_EQ(route(*t, 0, 7), (Found{1, {2, 0, 0}}));
  EXPECT_EQ(route(*t, 0, 8), (Found{3, {2, 2, 0}}));
  EXPECT_EQ(route(*t, 63, 5), (Found{3, {2, 2, 0}}));
  EXPECT_EQ(route(*t, 63, 64), (Found{5, {2, 2, 2}}));
  EXPECT_EQ(route(*t, 0, 1023), (Found{5, {2, 2, 2}}));
}

TEST(FatTree, AnyRadixAndLevels) {
  EXPECT_EQ(make_fat_tree(8, 1)->nodes(), 8);
  EXPECT_EQ(route(*make_fat_tree(8, 1), 0, 7), (Found{1, {2, 0, 0}}));
  const auto two = make_fat_tree(4, 2);
  EXPECT_EQ(two->nodes(), 8);
  EXPECT_EQ(route(*two, 1, 2), (Found{3, {2, 0, 2}}));
  const auto four = make_fat_tree(4, 4);
  EXPECT_EQ(four->nodes(), 32);
  EXPECT_EQ(route(*four, 0, 31), (Found{7, {2, 4, 2}}));
  EXPECT_EQ(route(*four, 0, 4), (Found{5, {2, 4, 0}}));
  expect_sound(*four);
}

// g = 8, a = 4, p = 8: seven other groups need two links a router. Link 0 of a group, on router 0,
// leads one group on; that group's link 6, on router 3, leads seven on, which is back.
TEST(Dragonfly, ThePapersHasOneToFourSwitches) {
  const auto t = make_dragonfly(8, 4, 8, 0);
  EXPECT_EQ(t->nodes(), 256);
  EXPECT_EQ(route(*t, 0, 7), (Found{1, {2, 0, 0}}));
  EXPECT_EQ(route(*t, 0, 8), (Found{2, {2, 1, 0}}));
  EXPECT_EQ(route(*t, 0, 32 + 24), (Found{2, {2, 0, 1}}));
  EXPECT_EQ(route(*t, 0, 32), (Found{3, {2, 1, 1}}));
  EXPECT_EQ(route(*t, 8, 32), (Found{4, {2, 2, 1}}));
  expect_sound(*t);
}

TEST(Dragonfly, OfParallelLinksTheNearestIsTaken) {
  // Two groups of two routers with a link each: both lead to the other group, from the same router.
  const auto t = make_dragonfly(2, 2, 1, 1);
  EXPECT_EQ(route(*t, 0, 2), (Found{2, {2, 0, 1}}));
  EXPECT_EQ(route(*t, 1, 3), (Found{2, {2, 0, 1}}));
  EXPECT_EQ(route(*t, 0, 3), (Found{3, {2, 1, 1}}));
  expect_sound(*make_dragonfly(9, 4, 2, 3));
}

/// Steps between the points of a grid whose ends meet, found by breadth-first search.
std::vector<std::int32_t> steps_from(std::int32_t from, const std::vector<std::int32_t>& dims) {
  const std::int32_t points = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies{});
  std::vector<std::int32_t> steps(static_cast<std::size_t>(points), -1);
  steps[static_cast<std::size_t>(from)] = 0;
  for (std::deque<std::int32_t> open{from}; !open.empty(); open.pop_front()) {
    const std::int32_t at = open.front();
    std::int32_t stride = 1;
    for (std::size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
      const std::int32_t x = at / stride % dims[d];
      for (const std::int32_t move : {1, dims[d] - 1}) {
        const std::int32_t next = at + ((x + move) % dims[d] - x) * stride;
        std::int32_t& there = steps[static_cast<std::size_t>(next)];
        if (there >= 0) continue;
        there = steps[static_cast<std::size_t>(at)] + 1;
        open.push_back(next);
      }
    }
  }
  return steps;
}

TEST(Torus, AgreesWithSearch) {
  for (const std::vector<std::int32_t>& dims :
       {std::vector<std::int32_t>{7}, {4, 5}, {3, 2, 4}, {2, 2, 2, 3}}) {
    const auto t = make_torus(dims, 1);
    expect_sound(*t);
    for (std::int32_t a = 0; a < t->nodes(); ++a) {
      const std::vector<std::int32_t> steps = steps_from(a, dims);
      for (std::int32_t b = 0; b < t->nodes(); ++b) {
        if (a == b) continue;
        ASSERT_EQ(route(*t, a, b).switches, steps[static_cast<std::size_t>(b)] + 1);
      }
    }
  }
  EXPECT_EQ(route(*make_torus({4, 4}, 2), 0, 1), (Found{1, {2, 0, 0}}));
  EXPECT_EQ(route(*make_torus({4, 4}, 2), 0, 2 * 5), (Found{3, {2, 1, 1}}));
}

TEST(HopMatrix, GivesWhatItSays) {
  const auto t = make_hop_matrix(3, {0, 1, 4, 1, 0, 2, 4, 2, 0});
  EXPECT_EQ(route(*t, 0, 2), (Found{4, {2, 3}}));
  expect_sound(*t);
  EXPECT_THROW(make_hop_matrix(2, {0, 1, 2, 0}), Error);
  EXPECT_THROW(make_hop_matrix(2, {0, 0, 0, 0}), Error);
  EXPECT_THROW(make_hop_matrix(2, {0, 1, 1}), Error);
}

TEST(Topologies, ThatCannotBeAreRefused) {
  EXPECT_THROW(make_fat_tree(3, 2), Error);
  EXPECT_THROW(make_fat_tree(16, 0), Error);
  EXPECT_THROW(make_fat_tree(64, 30), Error);
  EXPECT_THROW(make_dragonfly(10, 2, 1, 4), Error);
  EXPECT_THROW(make_torus({4, 0}, 1), Error);
  EXPECT_THROW(make_crossbar(0), Error);
}

TEST(TopologySpec, ReadsTheShortForm) {
  const TopologySpec spec =
      read_topology("dragonfly:g=8,a=4,p=8,wire=200ns,inter-group=1us,switch=90ns");
  EXPECT_EQ(spec.topology->nodes(), 256);
  EXPECT_EQ(spec.wire_fs, (std::vector<std::int64_t>{200'000'000, 200'000'000, 1'000'000'000}));
  EXPECT_EQ(spec.switch_fs, 90'000'000);
  // LLAMP section IV-2: 274 ns a wire, 108 ns a switch.
  EXPECT_EQ(read_topology("crossbar:nodes=4").wire_fs, (std::vector<std::int64_t>{274'000'000}));
  EXPECT_EQ(read_topology("crossbar:nodes=4").switch_fs, 108'000'000);
  EXPECT_EQ(read_topology("torus:dims=3x4x5,hosts=2").topology->nodes(), 120);
}

TEST(TopologySpec, SaysWhatIsWrong) {
  for (const char* text : {"mesh:k=2", "fat-tree", "fat-tree:k=x", "fat-tree:k=16,p=3",
                           "fat-tree:k", "torus:hosts=2", "crossbar:nodes=4,wire=274", "hops"}) {
    EXPECT_THROW(read_topology(text), Error) << text;
  }
}

}  // namespace
}  // namespace slackline
