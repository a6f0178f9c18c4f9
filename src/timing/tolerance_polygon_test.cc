#include "timing/tolerance_polygon.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using testing::untimed_graph;

constexpr Int128 kNsWide = 1'000'000;

PlanePoint ns(Int128 x, Int128 y, Int128 denominator = 1) {
  Int128 a = x * kNsWide;
  Int128 b = y * kNsWide;
  while (denominator % 2 == 0 && a % 2 == 0 && b % 2 == 0) {
    denominator /= 2;
    a /= 2;
    b /= 2;
  }
  while (denominator % 5 == 0 && a % 5 == 0 && b % 5 == 0) {
    denominator /= 5;
    a /= 5;
    b /= 5;
  }
  return {a, b, denominator};
}

// T = max(100 + L, 2L + 10G): within 121 L <= 21 and 2L + 10G <= 121, which meet at G = 7.9.
ExecutionGraph two_chains() {
  return untimed_graph(4,
                       "rank 0\n compute 100\n send to=1 bytes=1\nrank 1\n recv from=0 bytes=1\n"
                       "rank 2\n send to=3 bytes=11\n recv from=3 bytes=1\n"
                       "rank 3\n recv from=2 bytes=11\n send to=2 bytes=1\n");
}

TEST(TolerancePolygon, IsThePolygonDerivedByHand) {
  const ExecutionGraph graph = two_chains();
  const LogGPS model{10'000'000, 0, 1'000'000};
  const auto reduced = reduce(graph);
  const LogGPSCost x(model, Parameter::latency);
  const LogGPSCost y(model, Parameter::gap_per_byte);
  for (const HighestPlane& highest :
       {highest_plane(*reduced, model, Parameter::latency, Parameter::gap_per_byte),
        highest_plane(graph, x, y)}) {
    const TolerancePolygon region = tolerance_polygon(highest, 121 * kNsWide);
    EXPECT_EQ(region.border, (std::vector{ns(21, 0), ns(210, 79, 10), ns(0, 121, 10)}));
    EXPECT_EQ(region.edges, (std::vector<PathPlane>{{100 * kNsWide, 1, 0}, {0, 2, 10}}));
    EXPECT_FALSE(region.x_unlimited);
    EXPECT_FALSE(region.y_unlimited);
  }
}

TEST(TolerancePolygon, WhatNoPathPaysIsUnlimited) {
  // One-byte messages pay no G: T = 2L.
  const ExecutionGraph graph = untimed_graph(2,
                                             "rank 0\n send to=1 bytes=1\n recv from=1 bytes=1\n"
                                             "rank 1\n recv from=0 bytes=1\n send to=0 bytes=1\n");
  const auto reduced = reduce(graph);
  const TolerancePolygon region = tolerance_polygon(
      highest_plane(*reduced, {}, Parameter::latency, Parameter::gap_per_byte), 9 * kNsWide);
  EXPECT_EQ(region.border, (std::vector{ns(45, 0, 10)}));
  EXPECT_FALSE(region.x_unlimited);
  EXPECT_TRUE(region.y_unlimited);

  const ExecutionGraph alone = untimed_graph(1, "rank 0\n compute 5\n pcontrol\n");
  const auto nothing = reduce(alone);
  const TolerancePolygon all = tolerance_polygon(
      highest_plane(*nothing, {}, Parameter::latency, Parameter::gap_per_byte), 6 * kNsWide);
  EXPECT_TRUE(all.border.empty());
  EXPECT_TRUE(all.x_unlimited && all.y_unlimited);
}

TEST(TolerancePolygon, ABoundThatTheRunExceedsAnywayIsRefused) {
  const ExecutionGraph graph = two_chains();
  const auto reduced = reduce(graph);
  const HighestPlane highest =
      highest_plane(*reduced, {}, Parameter::latency, Parameter::gap_per_byte);
  EXPECT_THROW(tolerance_polygon(highest, 100 * kNsWide), Error);
}

}  // namespace
}  // namespace slackline
