#include "timing/path_program.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "graph/graph_builder.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using testing::untimed_graph;

TEST(Reduction, KeepsOnlyDecisions) {
  // Two ranks that exchange two messages one after the other: nothing but the four receives can
  // decide, and the first two are taken apart into the others.
  const ExecutionGraph graph =
      untimed_graph(2,
                    "rank 0\n compute 10\n send to=1 bytes=4\n recv from=1 bytes=4\n compute 5\n"
                    " send to=1 bytes=4\n recv from=1 bytes=4\n"
                    "rank 1\n compute 20\n send to=0 bytes=4\n recv from=0 bytes=4\n compute 7\n"
                    " send to=0 bytes=4\n recv from=0 bytes=4\n");
  const auto reduced = reduce(graph);
  ASSERT_TRUE(reduced.has_value());
  EXPECT_LE(reduced->nodes.size(), 3u);
  EXPECT_LT(reduced->edges.size(), graph.edge_count());
}

TEST(Reduction, DropsWhatCannotWin) {
  // Every receive's own program order is later than the start: one edge from slot 0 remains.
  GraphBuilder builder({1});
  const VertexId start = builder.vertex(0);
  const VertexId end = builder.vertex(0);
  for (const std::int64_t ns : {5, 9, 7}) {
    builder.edge({start, EdgeKind::order, 1, 0, ns, 0});
  }
  builder.edge({start, EdgeKind::order, 2, 0, 1, 0});
  builder.end_rank(0, end, 0);
  const auto reduced = reduce(std::move(builder).finish());
  ASSERT_TRUE(reduced.has_value());
  EXPECT_EQ(reduced->edges.size(), 2u);
}

/// A program of random nodes over few slots, as kernels see it.
struct RandomProgram {
  std::vector<passes::Node> nodes;
  std::vector<passes::Edge> edges;
  std::uint32_t slots = 40;

  explicit RandomProgram(unsigned seed) {
    std::mt19937_64 random(seed);
    for (int n = 0; n < 500; ++n) {
      const auto count = static_cast<std::uint32_t>(1 + random() % 5);
      nodes.push_back({static_cast<std::uint32_t>(1 + random() % (slots - 1)), count});
      for (std::uint32_t i = 0; i < count; ++i) {
        edges.push_back({static_cast<std::int64_t>(random() % 1'000'000'000'000),
                         static_cast<std::uint32_t>(random() % 1000),
                         static_cast<std::uint32_t>(random() % slots)});
      }
    }
  }
  passes::Program view() const { return {nodes.data(), nodes.size(), edges.data()}; }
};

class Kernels : public ::testing::TestWithParam<int> {};

/// The scalar pass is the twin of every vector pass.
TEST_P(Kernels, EqualTheScalarPass) {
  const RandomProgram program(static_cast<unsigned>(GetParam()));
  std::array<std::int64_t, passes::kLanes> q{};
  std::array<std::int64_t, passes::kLanes> p{};
  for (std::size_t i = 0; i < passes::kLanes; ++i) {
    q[i] = static_cast<std::int64_t>(1 + i);
    p[i] = static_cast<std::int64_t>(1000 * i + 7);
  }
  struct alignas(64) Slot {
    std::int64_t values[passes::kLanes] = {};
  };
  std::vector<passes::LanesPass> kernels{passes::run_lanes_portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) kernels.push_back(passes::run_lanes_avx2);
#endif
  kernels.push_back(passes::lanes_pass());
  for (const passes::LanesPass kernel : kernels) {
    std::vector<Slot> lanes(program.slots);
    kernel(program.view(), lanes.front().values, q.data(), p.data());
    for (std::size_t lane = 0; lane < passes::kLanes; ++lane) {
      std::vector<std::int64_t> single(program.slots, 0);
      passes::run_single(program.view(), single.data(), q[lane], p[lane]);
      for (std::size_t s = 0; s < program.slots; ++s) {
        ASSERT_EQ(lanes[s].values[lane], single[s]) << "slot " << s << " lane " << lane;
      }
    }
  }
}
/// At values at which many paths are equally long.
TEST_P(Kernels, FindTheLinesOfTheScalarPass) {
  RandomProgram program(static_cast<unsigned>(GetParam()));
  for (passes::Edge& e : program.edges) {
    e.fixed %= 40;
    e.multiples %= 4;
  }
  std::vector<passes::LinesPass> kernels{passes::run_lines_portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) kernels.push_back(passes::run_lines_avx2);
#endif
  kernels.push_back(passes::lines_pass());
  std::array<passes::LineQuery, passes::kLanes> queries{};
  for (std::size_t i = 0; i < passes::kLanes; ++i) {
    const auto numerator = static_cast<std::int64_t>(3 * i);
    const std::int64_t denominator = i % 2 == 0 ? 1 : 4;
    queries[i] = {numerator, denominator,
                  static_cast<double>(numerator) / static_cast<double>(denominator), 1e-6,
                  i % 3 == 0 ? -1 : 1};
  }
  struct alignas(64) Slot {
    std::int64_t values[2][passes::kLanes] = {};
  };
  for (const passes::LinesPass kernel : kernels) {
    std::vector<Slot> lanes(program.slots);
    kernel(program.view(), lanes.front().values[0], queries.data());
    for (std::size_t lane = 0; lane < passes::kLanes; ++lane) {
      const passes::LineQuery& query = queries[lane];
      std::vector<std::int64_t> single(2 * program.slots, 0);
      passes::run_with_slope(program.view(), single.data(), query.denominator, query.numerator,
                             query.side > 0);
      for (std::size_t s = 0; s < program.slots; ++s) {
        const auto& [intercepts, slopes] = lanes[s].values;
        ASSERT_EQ(slopes[lane], single[2 * s + 1]) << "slot " << s << " lane " << lane;
        ASSERT_EQ(intercepts[lane] * query.denominator + slopes[lane] * query.numerator,
                  single[2 * s]);
      }
    }
  }
}
/// Eight programs with costs of their own, in which many paths are equally long.
TEST_P(Kernels, FindEachRunOfSampledOnes) {
  RandomProgram program(static_cast<unsigned>(GetParam()));
  const auto fixed = [&](std::size_t edge, std::size_t lane) {
    return static_cast<std::int64_t>((edge * 31 + lane * 17) % 40);
  };
  std::vector<passes::SampledEdge> sampled;
  for (std::size_t i = 0; i < program.edges.size(); ++i) {
    passes::Edge& e = program.edges[i];
    e.multiples %= 4;
    sampled.push_back({{}, static_cast<double>(e.multiples), e.source});
    for (std::size_t lane = 0; lane < passes::kLanes; ++lane) {
      sampled.back().fixed[lane] = static_cast<double>(fixed(i, lane));
    }
  }
  std::vector<passes::SampledPass> kernels{passes::run_sampled_portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) kernels.push_back(passes::run_sampled_avx2);
#endif
  kernels.push_back(passes::sampled_pass());
  const std::array<double, passes::kLanes> x{0, 1, 2, 3, 5, 8, 13, 1000};
  struct alignas(64) Slot {
    double values[2][passes::kLanes] = {};
  };
  for (const passes::SampledPass kernel : kernels) {
    std::vector<Slot> lanes(program.slots);
    kernel({program.nodes.data(), program.nodes.size(), sampled.data()}, lanes.front().values[0],
           x.data());
    for (std::size_t lane = 0; lane < passes::kLanes; ++lane) {
      for (std::size_t i = 0; i < program.edges.size(); ++i) {
        program.edges[i].fixed = fixed(i, lane);
      }
      std::vector<std::int64_t> single(2 * program.slots, 0);
      passes::run_with_slope(program.view(), single.data(), 1, static_cast<std::int64_t>(x[lane]),
                             true);
      for (std::size_t s = 0; s < program.slots; ++s) {
        ASSERT_EQ(lanes[s].values[0][lane], static_cast<double>(single[2 * s]));
        ASSERT_EQ(lanes[s].values[1][lane], static_cast<double>(single[2 * s + 1]));
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, Kernels, ::testing::Range(1, 6));

/// All arithmetics give the same line where more than one is possible.
TEST(PathProgramLines, AreTheSameByEveryArithmetic) {
  GraphBuilder builder({1});
  std::mt19937_64 random(3);
  std::vector<VertexId> vertices{builder.vertex(0)};
  for (int i = 0; i < 60; ++i) {
    const VertexId v = builder.vertex(0);
    for (int k = 0; k < 3; ++k) {
      builder.edge({vertices[random() % vertices.size()], EdgeKind::order,
                    static_cast<std::uint8_t>(random() % 3), 0,
                    static_cast<std::int64_t>(random() % 100), 0});
    }
    vertices.push_back(v);
  }
  builder.end_rank(0, vertices.back(), 3);
  const ExecutionGraph graph = std::move(builder).finish();
  const LogGPSCost cost({}, Parameter::latency);
  const PathProgram program(*reduce(graph), cost);
  // Large denominators force pairs of 64 and 128 bits; a small step aside changes no line for most.
  for (int i = 1; i < 200; ++i) {
    const Ticks x{Int128{i} * 500'000 + 1, 1};
    const Ticks same_with_pairs = {x.numerator * (Int128{1} << 34), Int128{1} << 34};
    const Ticks same_with_128 = {x.numerator * (Int128{1} << 50), Int128{1} << 50};
    for (const Side side : {Side::left, Side::right}) {
      const PathProgram::Query queries[] = {
          {x, side}, {same_with_pairs, side}, {same_with_128, side}};
      // One at a time, and then the two that do not fit together: in 64 bits or as lines.
      const PathLine line = program.lines_at({queries, 1}).front();
      EXPECT_EQ(program.lines_at({queries + 1, 1}).front(), line);
      EXPECT_EQ(program.lines_at({queries + 2, 1}).front(), line);
      EXPECT_EQ(program.lines_at(queries), (std::vector<PathLine>{line, line, line}));
    }
  }
}

}  // namespace
}  // namespace slackline
