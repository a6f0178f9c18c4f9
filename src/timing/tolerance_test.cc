#include "timing/tolerance.h"

#include <gtest/gtest.h>

#include "graph/graph_builder.h"
#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;
using testing::untimed_graph;

constexpr std::int64_t kPercent_ppm = 10'000;

// LLAMP's running example with c0 = 0.1 us: T = max(L + 1.115 us, 1.5 us).
ExecutionGraph running_example() {
  return untimed_graph(2,
                       "rank 0\n compute 100\n send to=1 bytes=4\n compute 1000\n pcontrol\n"
                       "rank 1\n compute 500\n recv from=0 bytes=4\n compute 1000\n pcontrol\n");
}

TEST(Tolerance, TwoMicrosecondsAllow885Nanoseconds) {
  // LLAMP section II-D2: T <= 2 us holds up to L = 2 - 1.115 = 0.885 us. T is 1.6 us at 485 ns.
  const ExecutionGraph graph = running_example();
  MakespanFunction t(graph, {485 * kNs, 0, 5 * kNs}, Parameter::latency);
  EXPECT_EQ(find_tolerance(t, 25 * kPercent_ppm).value, t.from_fs(885 * kNs));
}

TEST(Tolerance, OfAFlatRunEndsAtTheCriticalLatency) {
  const ExecutionGraph graph = running_example();
  for (const std::int64_t base_ns : {0, 200, 385}) {
    MakespanFunction t(graph, {base_ns * kNs, 0, 5 * kNs}, Parameter::latency);
    EXPECT_EQ(find_tolerance(t, 0).value, t.from_fs(385 * kNs)) << "from base " << base_ns;
  }
}

TEST(Tolerance, RationalBoundsAndValuesAreExact) {
  // Two messages one after the other, T = 2L (o = G = 0): T <= 7/2 at L = 7/4.
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n send to=1\n recv from=1\nrank 1\n recv from=0\n send to=0\n");
  MakespanFunction t(graph, {kNs, 0, 0}, Parameter::latency);
  EXPECT_EQ(find_tolerance(t, 75 * kPercent_ppm).value, make_ticks(7, 4));
}

TEST(Tolerance, OfLatencyIsUnlimitedWithoutMessages) {
  const ExecutionGraph graph = untimed_graph(2, "rank 0\n compute 100\n pcontrol\nrank 1\n");
  MakespanFunction t(graph, {3000 * kNs, 0, 0}, Parameter::latency);
  const Tolerance tolerance = find_tolerance(t, kPercent_ppm);
  EXPECT_FALSE(tolerance.value.has_value());
  EXPECT_DOUBLE_EQ(tolerance.bound_ns, 101);
}

TEST(Tolerance, OfTheByteGapIsUnlimitedWithOneByteMessages) {
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n compute 9\n send to=1 bytes=1\nrank 1\n recv from=0 bytes=1\n");
  MakespanFunction t(graph, {kNs, kNs, kNs}, Parameter::gap_per_byte);
  EXPECT_FALSE(find_tolerance(t, kPercent_ppm).value.has_value());
}

TEST(Tolerance, GrowsTheRunByExactlyTheDegradation) {
  // T = 1000 + L at L = 1000 ns: 1 % of 2000 ns are 20 ns more latency.
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n compute 1000\n send to=1\nrank 1\n recv from=0\n");
  MakespanFunction t(graph, {1000 * kNs, 0, 0}, Parameter::latency);
  const Tolerance tolerance = find_tolerance(t, kPercent_ppm);
  EXPECT_EQ(tolerance.degradation_ppm, kPercent_ppm);
  EXPECT_EQ(tolerance.value, (Ticks{1020, 1}));
  EXPECT_DOUBLE_EQ(tolerance.bound_ns, 2020);
}

TEST(Tolerance, OfARunWithoutTimeIsItsOwnBase) {
  // T = L at L = 0: no latency at all is within 1 % of nothing.
  const ExecutionGraph graph = untimed_graph(2, "rank 0\n send to=1\nrank 1\n recv from=0\n");
  MakespanFunction t(graph, {}, Parameter::latency);
  EXPECT_EQ(find_tolerance(t, kPercent_ppm).value, (Ticks{0, 1}));
}

TEST(Tolerance, OfALongRunAtAnAwkwardLatencyDoesNotOverflow) {
  // An hour, 999,983 crossings in a row (a prime), and an L with a denominator of 10^6 ticks of 1
  // ns; products of bound, crossing and degradation pass 2^127 here.
  constexpr std::int64_t kHour_ns = 3'600'000'000'000;
  constexpr std::int64_t kCrossings = 999'983;
  GraphBuilder b({1});
  VertexId last = b.vertex(0);
  for (std::int64_t left = kCrossings; left > 0;) {
    const auto some = static_cast<std::uint8_t>(std::min<std::int64_t>(left, 255));
    const VertexId next = b.vertex(0);
    b.edge({last, EdgeKind::message, some, 0, 0, 0});
    last = next;
    left -= some;
  }
  b.end_rank(0, last, kHour_ns);
  const ExecutionGraph graph = std::move(b).finish();
  constexpr std::int64_t kLatency_fs = 1'234'567'891;
  MakespanFunction t(graph, {kLatency_fs, 0, 0}, Parameter::latency);
  const Tolerance tolerance = find_tolerance(t, kPercent_ppm);
  // Straight: lambda * (x - L) = 1 % of (an hour + lambda * L), all in fs.
  const Int128 run_fs = Int128{kHour_ns} * kNs + Int128{kCrossings} * kLatency_fs;
  EXPECT_EQ(tolerance.value, make_ticks(run_fs + Int128{100} * kCrossings * kLatency_fs,
                                        Int128{100} * kCrossings * kNs));
}

TEST(Tolerance, StartsFromAFlatBaseAndFromASteepOne) {
  // max(10 + L, 3 L): flat-ish at L = 1 (T = 11), 3 L from 5 on. 200 % of 11 is 33: L = 11.
  const ExecutionGraph graph =
      untimed_graph(2,
                    "rank 0\n send to=1 tag=1\n recv from=1 tag=2\n send to=1 tag=3\n compute 0\n"
                    "rank 1\n irecv from=0 tag=4 req=1\n recv from=0 tag=1\n send to=0 tag=2\n"
                    " recv from=0 tag=3\n");
  MakespanFunction t(graph, {kNs, 0, 0}, Parameter::latency);
  const Tolerance tolerance = find_tolerance(t, 200 * kPercent_ppm);
  EXPECT_EQ(tolerance.value, (Ticks{3, 1}));  // T = 3 L throughout: three times as much
}

}  // namespace
}  // namespace slackline
