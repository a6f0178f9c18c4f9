#include "timing/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "graph/graph_builder.h"
#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::kNs;
using testing::untimed_graph;

/// A graph whose T is the maximum of the given lines: each an edge from the start to the end, `ns`
/// once and L that many times.
ExecutionGraph maximum_of(std::initializer_list<std::pair<std::int64_t, std::uint8_t>> lines) {
  GraphBuilder b({1});
  const VertexId start = b.vertex(0);
  std::vector<VertexId> middles;
  for (const auto& [ns, crossings] : lines) {
    middles.push_back(b.vertex(0));
    b.edge({start, EdgeKind::order, 0, 0, ns, 0});
  }
  const VertexId end = b.vertex(0);
  b.edge({start, EdgeKind::compute, 0, 0, 0, 0});
  std::size_t i = 0;
  for (const auto& [ns, crossings] : lines) {
    b.edge({middles[i++], EdgeKind::message, crossings, 0, 0, 0});
  }
  b.end_rank(0, end, 0);
  return std::move(b).finish();
}

TEST(Envelope, OfTheRunningExampleHasOneBreakpoint) {
  // LLAMP Figure 4(c): the critical latency is 0.385 us.
  const ExecutionGraph graph =
      untimed_graph(2,
                    "rank 0\n compute 100\n send to=1 bytes=4\n compute 1000\n pcontrol\n"
                    "rank 1\n compute 500\n recv from=0 bytes=4\n compute 1000\n pcontrol\n");
  MakespanFunction t(graph, {0, 0, 5 * kNs}, Parameter::latency);
  const Envelope envelope = compute_envelope(t, {0, 1}, t.from_fs(1000 * kNs));
  ASSERT_EQ(envelope.pieces.size(), 2u);
  EXPECT_THAT(envelope.breakpoints(), ElementsAre(Ticks{385, 1}));
  EXPECT_EQ(envelope.pieces[0].line, (PathLine{1500, 0}));
  EXPECT_EQ(envelope.pieces[1].line, (PathLine{1115, 1}));
  EXPECT_EQ(envelope.pieces[0].from, (Ticks{0, 1}));
  EXPECT_EQ(envelope.pieces[1].to, (Ticks{1000, 1}));
}

TEST(Envelope, FindsRationalCrossings) {
  // max(10, 3 + 3x, x * 5): 10 = 3 + 3x at 7/3; 3 + 3x = 5x at 3/2 lies below 10, and 5x = 10 at
  // 2 < 7/3, so the middle line never is the largest; with 6 + 2x it is from 2 to 2: not even.
  const ExecutionGraph graph = maximum_of({{10, 0}, {3, 3}, {0, 4}});
  MakespanFunction t(graph, {}, Parameter::latency);
  // 10 until 7/3 (4x reaches 10 at 5/2 only), 3 + 3x until 3, then 4x.
  EXPECT_THAT(compute_envelope(t, {0, 1}, {100, 1}).breakpoints(),
              ElementsAre(make_ticks(7, 3), Ticks{3, 1}));
}

TEST(Envelope, LinesThatOnlyTouchACornerAreNoPiece) {
  // 6 + 2x goes exactly through the corner (2, 10) of 10 and 5x.
  const ExecutionGraph graph = maximum_of({{10, 0}, {6, 2}, {0, 5}});
  MakespanFunction t(graph, {}, Parameter::latency);
  const Envelope envelope = compute_envelope(t, {0, 1}, {10, 1});
  EXPECT_THAT(envelope.breakpoints(), ElementsAre(Ticks{2, 1}));
  EXPECT_EQ(envelope.pieces[1].line, (PathLine{0, 5}));
}

TEST(Envelope, OfAnIntervalBetweenBreakpointsIsOnePiece) {
  const ExecutionGraph graph = maximum_of({{10, 0}, {3, 3}, {0, 4}});
  MakespanFunction t(graph, {}, Parameter::latency);
  // Ends on the breakpoints themselves belong to the piece between them.
  const Envelope envelope = compute_envelope(t, make_ticks(7, 3), {3, 1});
  ASSERT_EQ(envelope.pieces.size(), 1u);
  EXPECT_EQ(envelope.pieces[0].line, (PathLine{3, 3}));
  EXPECT_TRUE(envelope.breakpoints().empty());
}

TEST(Envelope, FindsManyNeighbouringPieces) {
  // Lines -k(k+1)/2 + 200 + kx touch the parabola: line k takes over at x = k. For k = 1..15.
  const ExecutionGraph graph = maximum_of({{200, 0},
                                           {199, 1},
                                           {197, 2},
                                           {194, 3},
                                           {190, 4},
                                           {185, 5},
                                           {179, 6},
                                           {172, 7},
                                           {164, 8},
                                           {155, 9},
                                           {145, 10},
                                           {134, 11},
                                           {122, 12},
                                           {109, 13},
                                           {95, 14}});
  MakespanFunction t(graph, {}, Parameter::latency);
  const Envelope envelope = compute_envelope(t, {0, 1}, {50, 1});
  ASSERT_EQ(envelope.pieces.size(), 15u);
  for (int k = 1; k < 15; ++k) {
    EXPECT_EQ(envelope.pieces[static_cast<std::size_t>(k)].from, (Ticks{k, 1}));
    EXPECT_EQ(envelope.pieces[static_cast<std::size_t>(k)].line.slope, k);
  }
  // At most a pass a breakpoint and a pass a piece, and the two ends.
  EXPECT_LE(t.passes(), 14u + 15u + 2u);
}

/// Lines -k(k+1)/2 + 20000 + kx, which touch a parabola: line k takes over at x = k.
ExecutionGraph parabola(int lines) {
  GraphBuilder b({1});
  const VertexId start = b.vertex(0);
  std::vector<VertexId> middles;
  for (int k = 0; k < lines; ++k) {
    middles.push_back(b.vertex(0));
    b.edge({start, EdgeKind::order, 0, 0, 20'000 - k * (k + 1) / 2, 0});
  }
  const VertexId end = b.vertex(0);
  b.edge({start, EdgeKind::compute, 0, 0, 0, 0});
  for (int k = 0; k < lines; ++k) {
    b.edge({middles[static_cast<std::size_t>(k)], EdgeKind::message, static_cast<std::uint8_t>(k),
            0, 0, 0});
  }
  b.end_rank(0, end, 0);
  return std::move(b).finish();
}

double value(const PathLine& line, double x) {
  return static_cast<double>(line.intercept) + static_cast<double>(line.slope) * x;
}

TEST(Envelope, WithLessEffortIsBelowTByNoMoreThanItSays) {
  const ExecutionGraph graph = parabola(180);
  constexpr double kError = 1e-3;
  constexpr int kEnd = 200;
  MakespanFunction exact(graph, {}, Parameter::latency);
  const Envelope all = compute_envelope(exact, {0, 1}, {kEnd, 1});
  ASSERT_EQ(all.pieces.size(), 180u);
  EXPECT_EQ(all.gap_ticks, 0);
  MakespanFunction t(graph, {}, Parameter::latency);
  const Envelope few = compute_envelope(t, {0, 1}, {kEnd, 1}, {0, kError, {}});
  // T grows from 20,000 to 20,000 - 179 * 180 / 2 + 179 * 200 = 39,690.
  EXPECT_LE(few.gap_ticks, kError * 19'690);
  EXPECT_GT(few.gap_ticks, 0);
  EXPECT_LT(t.passes(), 80u);
  const auto at = [](const Envelope& envelope, double x) {
    double highest = 0;
    for (const EnvelopePiece& p : envelope.pieces) highest = std::max(highest, value(p.line, x));
    return highest;
  };
  for (int x = 0; x <= kEnd; ++x) {
    EXPECT_LE(at(few, x), at(all, x)) << x;
    EXPECT_GE(at(few, x), at(all, x) - few.gap_ticks - 1e-6) << x;
  }
}

TEST(Envelope, IsExactWhereFewPassesAreEnough) {
  const ExecutionGraph graph = maximum_of({{10, 0}, {3, 3}, {0, 4}});
  MakespanFunction t(graph, {}, Parameter::latency);
  const Envelope envelope = compute_envelope(t, {0, 1}, {100, 1}, {8, 0.5, {}});
  EXPECT_EQ(envelope.gap_ticks, 0);
  EXPECT_EQ(envelope.pieces.size(), 3u);
}

TEST(Envelope, KeepsWhatItHasWhenStopped) {
  const ExecutionGraph graph = parabola(180);
  MakespanFunction t(graph, {}, Parameter::latency);
  int asked = 0;
  const Envelope some =
      compute_envelope(t, {0, 1}, {200, 1}, {kAllPieces, 0, [&] { return ++asked > 3; }});
  EXPECT_TRUE(some.stopped);
  EXPECT_GT(some.gap_ticks, 0);
  EXPECT_GT(some.pieces.size(), 3u);
  EXPECT_LT(some.pieces.size(), 180u);
  EXPECT_EQ(some.pieces.front().from, (Ticks{0, 1}));
  EXPECT_EQ(some.pieces.back().to, (Ticks{200, 1}));
  for (std::size_t i = 1; i < some.pieces.size(); ++i) {
    EXPECT_EQ(some.pieces[i].from, some.pieces[i - 1].to);
    EXPECT_LT(some.pieces[i - 1].line.slope, some.pieces[i].line.slope);
  }
}

TEST(Envelope, OfNothingIsTheZeroLine) {
  const ExecutionGraph graph = untimed_graph(1, "rank 0\n");
  MakespanFunction t(graph, {}, Parameter::latency);
  const Envelope envelope = compute_envelope(t, {0, 1}, {1, 1});
  ASSERT_EQ(envelope.pieces.size(), 1u);
  EXPECT_EQ(envelope.pieces[0].line, (PathLine{0, 0}));
}

TEST(Envelope, OfAnEmptyIntervalIsRefused) {
  const ExecutionGraph graph = untimed_graph(1, "rank 0\n");
  MakespanFunction t(graph, {}, Parameter::latency);
  EXPECT_THROW(compute_envelope(t, {1, 1}, {1, 1}), std::logic_error);
}

}  // namespace
}  // namespace slackline
