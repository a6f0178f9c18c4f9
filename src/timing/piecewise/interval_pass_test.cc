#include "timing/piecewise/interval_pass.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "graph/graph_builder.h"
#include "timing/envelope.h"

namespace slackline {
namespace {

bool never() {
  return false;
}

/// Ranks in a ring, each of which waits for its neighbours in each step; times are small random
/// numbers, so that many paths are equally long. In some steps no rank waits.
ExecutionGraph random_ring(unsigned seed, int ranks, int steps, std::int64_t most_ns) {
  std::mt19937 random(seed);
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  GraphBuilder b(std::vector<std::uint32_t>(static_cast<std::size_t>(ranks)));
  std::vector<VertexId> last;
  for (int r = 0; r < ranks; ++r) last.push_back(b.vertex(static_cast<std::uint32_t>(r)));
  for (int step = 0; step < steps; ++step) {
    const std::vector<VertexId> before = last;
    const bool all_wait = upto(3) > 0;
    for (int r = 0; r < ranks; ++r) {
      const auto at = [&](int rank) {
        return before[static_cast<std::size_t>((rank + ranks) % ranks)];
      };
      last[static_cast<std::size_t>(r)] = b.vertex(static_cast<std::uint32_t>(r));
      b.edge({at(r), EdgeKind::compute, 0, 0, upto(most_ns), 0});
      if (!all_wait && upto(1) == 0) continue;
      for (const int neighbour : {r - 1, r + 1}) {
        b.edge({at(neighbour), EdgeKind::message, static_cast<std::uint8_t>(1 + upto(1)), 0,
                upto(most_ns), 0});
      }
    }
  }
  for (int r = 0; r < ranks; ++r) b.end_rank(r, last[static_cast<std::size_t>(r)], upto(most_ns));
  return std::move(b).finish();
}

/// Chord bisection, which evaluates T at single values.
std::vector<PathLine> lines_by_bisection(const ExecutionGraph& graph, const Ticks& from,
                                         const Ticks& to) {
  const EnvelopeEffort all_by_bisection{kAllPieces - 1, 0, {}};
  MakespanFunction makespan(graph, {}, Parameter::latency);
  std::vector<PathLine> lines;
  for (const EnvelopePiece& p : compute_envelope(makespan, from, to, all_by_bisection).pieces) {
    lines.push_back(p.line);
  }
  return lines;
}

void expect_equal_to_bisection(const ExecutionGraph& graph, const Ticks& from, const Ticks& to) {
  MakespanFunction makespan(graph, {}, Parameter::latency);
  const auto lines = makespan.lines_between(from, to, never);
  ASSERT_TRUE(lines.has_value());
  EXPECT_EQ(*lines, lines_by_bisection(graph, from, to));
}

TEST(IntervalPass, FindsTheLinesThatBisectionFinds) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 7);
    const ExecutionGraph graph = random_ring(seed, ranks, 40 + 60 * static_cast<int>(seed), 12);
    expect_equal_to_bisection(graph, {0, 1}, {20, 1});
    expect_equal_to_bisection(graph, make_ticks(7, 3), make_ticks(50, 9));
  }
}

TEST(IntervalPass, FindsHundredsOfLines) {
  const ExecutionGraph graph = random_ring(3, 16, 800, 100'000);
  const Ticks to{60'000, 1};
  EXPECT_GT(lines_by_bisection(graph, {0, 1}, to).size(), 250u);
  expect_equal_to_bisection(graph, {0, 1}, to);
}

TEST(IntervalPass, EndsWhenAskedTo) {
  const ExecutionGraph graph = random_ring(5, 8, 800, 1000);
  MakespanFunction makespan(graph, {}, Parameter::latency);
  EXPECT_FALSE(makespan.lines_between({0, 1}, {100, 1}, [] { return true; }).has_value());
}

TEST(IntervalPass, LeavesValuesThatDoNotFitToBisection) {
  const ExecutionGraph graph = random_ring(6, 4, 50, 1000);
  MakespanFunction makespan(graph, {}, Parameter::latency);
  const Ticks far{Int128{1} << 62, 1};
  EXPECT_FALSE(makespan.lines_between({0, 1}, far, never).has_value());
  EXPECT_GE(compute_envelope(makespan, {0, 1}, far).pieces.size(), 2u);
}

TEST(IntervalPass, TakesPartInEnvelopesOfManyPieces) {
  const ExecutionGraph graph = random_ring(7, 16, 400, 100'000);
  MakespanFunction makespan(graph, {}, Parameter::latency);
  const Envelope envelope = compute_envelope(makespan, {0, 1}, {60'000, 1});
  EXPECT_GT(envelope.pieces.size(), 120u);
  EXPECT_LT(makespan.passes(), 120u);
}

}  // namespace
}  // namespace slackline
