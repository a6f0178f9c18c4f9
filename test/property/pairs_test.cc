// Latencies and gaps by pair of ranks, against a plain evaluation with the matrix written out.

#include <gtest/gtest.h>

#include <algorithm>

#include "property/cases.h"
#include "timing/longest_path.h"
#include "timing/makespan.h"
#include "timing/network/node_placement.h"
#include "timing/network/pair_cost.h"
#include "timing/network/topology_spec.h"

namespace slackline {
namespace {

constexpr std::uint64_t kPairPrograms = 300;

/// L[from][to] and G[from][to] of every pair of ranks, in femtoseconds.
struct Matrices {
  std::size_t ranks;
  std::vector<Int128> latency, gap;

  std::size_t at(std::int32_t from, std::int32_t to) const {
    return static_cast<std::size_t>(from) * ranks + static_cast<std::size_t>(to);
  }
};

/// By the formula itself: (h+1) wires and h switches.
Matrices matrices(const TopologySpec& spec, const std::vector<std::int32_t>& node_of_rank,
                  const LogGPS& intra, const LogGPS& inter) {
  const std::size_t n = node_of_rank.size();
  Matrices m{n, std::vector<Int128>(n * n), std::vector<Int128>(n * n)};
  for (std::size_t i = 0; i < n * n; ++i) {
    const std::int32_t a = node_of_rank[i / n];
    const std::int32_t b = node_of_rank[i % n];
    m.latency[i] = intra.latency_fs;
    m.gap[i] = a == b ? intra.gap_per_byte_fs : inter.gap_per_byte_fs;
    if (a == b) continue;
    std::vector<std::int32_t> wires(spec.wire_fs.size(), 0);
    const std::int32_t h = spec.topology->route(a, b, wires);
    m.latency[i] = Int128{h + 1} * spec.wire_fs.front() + Int128{h} * spec.switch_fs;
  }
  return m;
}

Int128 brute_force(const ExecutionGraph& graph, const Matrices& m, std::int64_t overhead_fs) {
  std::vector<Int128> time(graph.vertex_count(), 0);
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      const RankPair p = graph.pair_of(e, graph.rank(e.from), graph.rank(v));
      const Int128 bytes = e.bytes > 0 ? e.bytes - 1 : 0;
      time[v] = std::max(time[v], time[e.from] + Int128{e.nanoseconds} * 1'000'000 +
                                      Int128{e.overheads} * overhead_fs +
                                      e.latencies * m.latency[m.at(p.from, p.to)] +
                                      bytes * m.gap[m.at(p.from, p.to)]);
    });
  }
  Int128 end = 0;
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    end = std::max(end, time[graph.last_vertex(r)] + Int128{graph.tail_ns(r)} * 1'000'000);
  }
  return end;
}

TEST(Pairs, AgreeWithTheMatrixWrittenOut) {
  constexpr std::array kTopologies{"fat-tree:k=4,tiers=3", "dragonfly:g=4,a=2,p=2",
                                   "torus:dims=4x4,wire=100ns", "crossbar:nodes=16,switch=1us"};
  for (std::uint64_t seed = 0; seed < kPairPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const testing::Case c = testing::seeded_case(seed + 20'000, {});
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    const std::vector<std::int32_t> ranks = vertex_ranks(graph);
    const TopologySpec spec = read_topology(kTopologies[seed % kTopologies.size()]);
    std::vector<std::int32_t> nodes = block_placement(graph.ranks(), seed % 3 == 0 ? 2 : 1);
    oracle::Choices choices(seed, 400);
    for (std::size_t i = nodes.size(); i-- > 1;) {
      std::swap(nodes[i], nodes[choices.below(static_cast<std::uint32_t>(i + 1))]);
    }
    const LogGPS intra{55'000'000, 0, 3'000};
    const auto table = std::make_shared<RouteTable>(
        RouteTable::of_topology(*spec.topology, spec.topology->nodes(), spec.wire_fs,
                                spec.switch_fs, intra, c.model.gap_per_byte_fs));
    const PairNetwork network{table, nodes, ""};
    Matrices m = matrices(spec, nodes, intra, c.model);
    const Int128 expected = brute_force(graph, m, c.model.overhead_fs);

    for (const VariedParameter& parameter :
         {VariedParameter(Parameter::latency), VariedParameter(Parameter::overhead),
          VariedParameter(Parameter::gap_per_byte), VariedParameter(Parameter::latency, "switch"),
          VariedParameter(Parameter::latency, "added"),
          VariedParameter(Parameter::gap_per_byte, "intra-node")}) {
      MakespanFunction t(graph,
                         PairCost(graph, c.model, network, resolve(parameter, network, c.model)));
      const Int128 scaled = t.line_at(t.base()).scaled_at(t.base()) * t.tick_fs();
      ASSERT_EQ(scaled, expected * t.base().denominator) << parameter.name();
    }

    const PairCost added(graph, c.model, network,
                         resolve({Parameter::latency, "added"}, network, c.model));
    const LongestPath path = longest_path(graph, ranks, added);
    ASSERT_EQ(path.length_fs, expected);
    const std::vector<PairSensitivity> pairs = pair_sensitivities(graph, ranks, path);
    MakespanFunction t(graph, added);
    std::int64_t crossings = 0;
    for (const PairSensitivity& p : pairs) crossings += p.lambda_latency;
    ASSERT_EQ(crossings, t.line_at(t.base()).slope);

    // One path's slopes are a subgradient: T of any other matrices is no smaller than they say.
    for (int change = 0; change < 4; ++change) {
      Matrices other = m;
      for (Int128& x : other.latency) x = x * choices.below(4);
      for (Int128& x : other.gap) x = x * choices.below(4);
      Int128 bound = expected;
      for (const PairSensitivity& p : pairs) {
        const std::size_t i = m.at(p.from, p.to);
        bound += p.lambda_latency * (other.latency[i] - m.latency[i]) +
                 p.lambda_gap_bytes * (other.gap[i] - m.gap[i]);
      }
      ASSERT_LE(bound, brute_force(graph, other, c.model.overhead_fs));
    }
  }
}

}  // namespace
}  // namespace slackline
