#include "timing/makespan.h"

#include <gtest/gtest.h>

#include <limits>

#include "graph/graph_builder.h"
#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;
using testing::untimed_graph;

Edge compute(VertexId from, std::int64_t ns) {
  return {from, EdgeKind::compute, 0, 0, ns, 0};
}

// LLAMP's running example (its Figure 4): rank 0 computes c0, sends 4 bytes, computes c1; rank 1
// computes c2, receives, computes c3. Times in ns.
ExecutionGraph running_example(int c0) {
  return untimed_graph(2, "rank 0\n compute " + std::to_string(c0) +
                              "\n send to=1 bytes=4\n compute 1000\n pcontrol\n"
                              "rank 1\n compute 500\n recv from=0 bytes=4\n compute 1000\n"
                              " pcontrol\n");
}
constexpr LogGPS kExampleModel{0, 0, 5 * kNs};  // o = 0, G = 5 ns/B

TEST(Makespan, OfTheRunningExampleIsLatencyPlus2015) {
  // LLAMP section II-B: T = L + 2.015 us; c0 + 3 bytes * 5 ns + c3 is the constant.
  const ExecutionGraph graph = running_example(1000);
  MakespanFunction t(graph, kExampleModel, Parameter::latency);
  for (const std::int64_t latency_ns : {0, 1, 385, 3000, 100'000}) {
    const PathLine line = t.line_at(t.from_fs(latency_ns * kNs));
    EXPECT_EQ(line.slope, 1);
    EXPECT_EQ(t.value_ns(line, t.from_fs(latency_ns * kNs)),
              static_cast<double>(latency_ns) + 2015);
  }
}

TEST(Makespan, OfTheRunningExampleHasAKinkWithC0Shortened) {
  // T = max(L + 1.115 us, 1.5 us): flat below 0.385 us, slope 1 above; at the kink the two
  // derivatives differ.
  const ExecutionGraph graph = running_example(100);
  MakespanFunction t(graph, kExampleModel, Parameter::latency);
  const Ticks kink = t.from_fs(385 * kNs);
  EXPECT_EQ(t.line_at(kink, Side::right).slope, 1);
  EXPECT_EQ(t.line_at(kink, Side::left).slope, 0);
  EXPECT_EQ(t.value_ns(t.line_at(kink), kink), 1500);
  EXPECT_EQ(t.line_at(t.from_fs(385 * kNs - 1)).slope, 0);
  EXPECT_EQ(t.line_at(t.from_fs(385 * kNs + 1)).slope, 1);
  const Ticks half = t.from_fs(500 * kNs);
  EXPECT_EQ(t.value_ns(t.line_at(half), half), 1615);
  EXPECT_EQ(t.asymptote().slope, 1);
}

TEST(Makespan, DerivativesByOverheadAndByteGap) {
  // One 101-byte message, o on both sides: T = 2o + L + 100 G.
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n send to=1 bytes=101\nrank 1\n recv from=0 bytes=101\n");
  const LogGPS model{3 * kNs, 2 * kNs, kNs};
  MakespanFunction by_overhead(graph, model, Parameter::overhead);
  const PathLine overhead = by_overhead.line_at(by_overhead.base());
  EXPECT_EQ(overhead.slope, 2);
  EXPECT_EQ(by_overhead.value_ns(overhead, by_overhead.base()), 3 + 4 + 100);
  MakespanFunction by_gap(graph, model, Parameter::gap_per_byte);
  const PathLine gap = by_gap.line_at(by_gap.base());
  EXPECT_EQ(gap.slope, 100);
  EXPECT_EQ(by_gap.value_ns(gap, by_gap.base()), 107);
}

TEST(Makespan, ZeroAndOneByteCostNoGap) {
  for (const char* bytes : {"0", "1"}) {
    const std::string size(bytes);
    const ExecutionGraph graph = untimed_graph(
        2, "rank 0\n send to=1 bytes=" + size + "\nrank 1\n recv from=0 bytes=" + size + "\n");
    MakespanFunction t(graph, {0, 0, 7 * kNs}, Parameter::gap_per_byte);
    EXPECT_EQ(t.line_at(t.base()), (PathLine{0, 0}));
  }
}

TEST(Makespan, TicksAreTheLargestUnitThatIsExact) {
  const ExecutionGraph graph = untimed_graph(1, "rank 0\n");
  // The varying parameter does not count: gcd(1 ns, o, G).
  EXPECT_EQ(MakespanFunction(graph, {123'457, kNs, 0}, Parameter::latency).tick_fs(), kNs);
  EXPECT_EQ(MakespanFunction(graph, {kNs, 500'000, 18'000}, Parameter::latency).tick_fs(), 2000);
  EXPECT_EQ(MakespanFunction(graph, {7, kNs, kNs}, Parameter::overhead).tick_fs(), 1);
  // An L of 3.5 ns among whole nanoseconds is the rational 7/2.
  EXPECT_EQ(MakespanFunction(graph, {3'500'000, kNs, kNs}, Parameter::latency).base(),
            (Ticks{7, 2}));
}

TEST(Makespan, IsExactAtRationalValues) {
  // Paths: 10 ns with 0 crossings, 3 ns with 3: at L = 7/3 ns both are 10 ns long.
  GraphBuilder b({1, 1});
  const VertexId start0 = b.vertex(0);
  const VertexId start1 = b.vertex(1);
  const VertexId a = b.vertex(1);
  b.edge({start0, EdgeKind::message, 3, 0, 0, 0});
  const VertexId end = b.vertex(1);
  b.edge(compute(start1, 10));
  b.edge({a, EdgeKind::order, 0, 0, 3, 0});
  b.end_rank(0, start0, 0);
  b.end_rank(1, end, 0);
  const ExecutionGraph graph = std::move(b).finish();
  MakespanFunction t(graph, {}, Parameter::latency);
  const Ticks kink = make_ticks(7, 3);
  EXPECT_EQ(t.line_at(kink, Side::right), (PathLine{3, 3}));
  EXPECT_EQ(t.line_at(kink, Side::left), (PathLine{10, 0}));
  EXPECT_EQ(t.line_at(kink).scaled_at(kink), 30);
  EXPECT_EQ(t.line_at(make_ticks(7'000'001, 3'000'000)), (PathLine{3, 3}));
  EXPECT_EQ(t.line_at(make_ticks(6'999'999, 3'000'000)), (PathLine{10, 0}));
}

TEST(Makespan, EqualLinesPreferTheRequestedSide) {
  // T = max(10 ns, 2 L, L + 5 ns): all three meet at L = 5 ns.
  GraphBuilder b({1, 1});
  const VertexId start = b.vertex(0);
  const VertexId far = b.vertex(1);
  const VertexId once = b.vertex(1);
  b.edge(compute(far, 10));
  b.edge({start, EdgeKind::order, 1, 0, 5, 0});
  const VertexId twice = b.vertex(1);
  b.edge(compute(once, 0));
  b.edge({start, EdgeKind::message, 2, 0, 0, 1});
  b.end_rank(0, start, 0);
  b.end_rank(1, twice, 0);
  const ExecutionGraph graph = std::move(b).finish();
  MakespanFunction t(graph, {}, Parameter::latency);
  const Ticks meeting = t.from_fs(5 * kNs);
  EXPECT_EQ(t.line_at(meeting, Side::right).slope, 2);
  EXPECT_EQ(t.line_at(meeting, Side::left).slope, 0);
  // T begins at 0 and has a right derivative only.
  EXPECT_EQ(t.line_at({0, 1}, Side::left).slope, t.line_at({0, 1}, Side::right).slope);
}

// Each single step fits 64 bits in ticks of 1 fs, their sum does not: the pass starts over in 128.
TEST(Makespan, SumsBeyond64BitsAreExact) {
  constexpr std::int64_t kHour_ns = 3'600'000'000'000;
  std::string program = "rank 0\n";
  for (int i = 0; i < 8; ++i) program += " compute 1800000000000\n send to=1 bytes=1\n";
  program += "rank 1\n";
  for (int i = 0; i < 8; ++i) program += " recv from=0 bytes=1\n";
  const ExecutionGraph graph = untimed_graph(2, program);
  MakespanFunction t(graph, {0, 1, 0}, Parameter::latency);  // o = 1 fs makes the tick 1 fs
  ASSERT_EQ(t.tick_fs(), 1);
  const PathLine line = t.line_at({1, 1});
  // Four hours, eight sends and a receive of 1 fs each, one crossing: 1.44e19 fs > 2^63.
  EXPECT_EQ(line.intercept, Int128{4 * kHour_ns} * kNs + 9);
  EXPECT_GT(line.intercept, Int128{std::numeric_limits<std::int64_t>::max()});
  EXPECT_EQ(line.slope, 1);
}

TEST(Makespan, HugeGapsAndBytesAreExact) {
  // 2^61 ns of computation and 2^62 bytes at 3.000001 ns/B: nothing of it fits 64 bits in ticks.
  const ExecutionGraph graph =
      untimed_graph(2,
                    "rank 0\n compute 2305843009213693952\n bsend to=1 bytes=4611686018427387904\n"
                    "rank 1\n recv from=0 bytes=4611686018427387904\n");
  constexpr std::int64_t kGap_fs = 3'000'001;
  MakespanFunction t(graph, {5, 0, kGap_fs}, Parameter::latency);
  const Int128 bytes = (Int128{1} << 62) - 1;
  EXPECT_EQ(t.line_at(t.base()), (PathLine{(Int128{1} << 61) * kNs + bytes * kGap_fs, 1}));
  MakespanFunction by_gap(graph, {5, 0, kGap_fs}, Parameter::gap_per_byte);
  const PathLine line = by_gap.line_at(by_gap.base());
  EXPECT_EQ(line.slope, (std::int64_t{1} << 62) - 1);
  EXPECT_EQ(line.intercept * by_gap.tick_fs(), (Int128{1} << 61) * kNs + 5);
}

TEST(Makespan, LargeDenominatorsAreExact) {
  const ExecutionGraph graph = running_example(100);
  MakespanFunction t(graph, kExampleModel, Parameter::latency);
  // One part in 2^50 beside the kink at 385 ns.
  const Int128 q = Int128{1} << 50;
  EXPECT_EQ(t.line_at(make_ticks(385 * q - 1, q)).slope, 0);
  EXPECT_EQ(t.line_at(make_ticks(385 * q + 1, q)).slope, 1);
}

TEST(Makespan, OfNothingIsZero) {
  const ExecutionGraph empty = untimed_graph(3, "rank 0\nrank 1\nrank 2\n");
  MakespanFunction t(empty, {kNs, kNs, kNs}, Parameter::latency);
  EXPECT_EQ(t.line_at(t.base()), (PathLine{0, 0}));
  EXPECT_EQ(t.asymptote(), (PathLine{0, 0}));
}

TEST(Makespan, OfOneRankIsItsComputation) {
  const ExecutionGraph graph =
      untimed_graph(1, "rank 0\n compute 70\n barrier\n compute 5\n allreduce bytes=8 elem=8\n");
  MakespanFunction t(graph, {kNs, kNs, kNs}, Parameter::latency);
  EXPECT_EQ(t.line_at(t.base()), (PathLine{75, 0}));
}

TEST(Makespan, CountsPasses) {
  const ExecutionGraph graph = running_example(100);
  MakespanFunction t(graph, kExampleModel, Parameter::latency);
  t.line_at({0, 1});
  t.line_at({1, 1});
  EXPECT_EQ(t.passes(), 2u);
}

TEST(Ticks, AreInLowestTermsWithPositiveDenominator) {
  EXPECT_EQ(make_ticks(6, -4), (Ticks{-3, 2}));
  EXPECT_EQ(make_ticks(0, 7), (Ticks{0, 1}));
  EXPECT_EQ(make_ticks(-6, -3), (Ticks{2, 1}));
  EXPECT_LT(make_ticks(1, 3), make_ticks(34, 100));
  EXPECT_FALSE(make_ticks(34, 102) < make_ticks(1, 3));
  EXPECT_LT(make_ticks(-1, 3), make_ticks(-1, 4));
  EXPECT_LT(make_ticks(-1, 3), make_ticks(0, 1));
  // Cross products of these pass 2^127.
  const Int128 big = (Int128{1} << 100) + 1;
  EXPECT_LT(make_ticks(big, big - 1), make_ticks(big - 1, big - 2));
  EXPECT_FALSE(make_ticks(big - 1, big - 2) < make_ticks(big, big - 1));
}

}  // namespace
}  // namespace slackline
