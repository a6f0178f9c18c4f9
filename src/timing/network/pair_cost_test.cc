#include "timing/network/pair_cost.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/testing/text_graph.h"
#include "timing/longest_path.h"
#include "timing/makespan.h"
#include "timing/model_schedule.h"
#include "timing/network/node_placement.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;
using testing::untimed_graph;

const LogGPS kIntra{10 * kNs, 0, 2 * kNs};
const LogGPS kInter{100 * kNs, 1 * kNs, 1 * kNs};

PairNetwork two_nodes(std::vector<std::int32_t> node_of_rank) {
  return {std::make_shared<RouteTable>(RouteTable::flat(kIntra, kInter)), std::move(node_of_rank),
          ""};
}

PathLine line(const ExecutionGraph& graph, const PairNetwork& network,
              const VariedParameter& parameter) {
  MakespanFunction t(graph, PairCost(graph, kInter, network, resolve(parameter, network, kInter)));
  PathLine found = t.line_at(t.base());
  // As T in ns, at today's value.
  found.intercept = static_cast<Int128>(t.value_ns(found, t.base()));
  return found;
}

// 0 -> 1 on a node (5 bytes), 1 -> 2 to the other node (3 bytes): o + (10 + 4*2) + o, then
// o + (100 + 2*1) + o: 4 * 1 + 18 + 102 = 124.
constexpr const char* kChain =
    "rank 0\n send to=1 bytes=5\nrank 1\n recv from=0 bytes=5\n send to=2 bytes=3\n"
    "rank 2\n recv from=1 bytes=3\n";

TEST(PairCost, MessagesPayForTheirOwnWay) {
  const ExecutionGraph graph = untimed_graph(3, kChain);
  const PairNetwork network = two_nodes({0, 0, 1});
  EXPECT_EQ(line(graph, network, Parameter::latency), (PathLine{124, 1}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "intra-node"}), (PathLine{124, 1}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "added"}), (PathLine{124, 2}));
  EXPECT_EQ(line(graph, network, Parameter::overhead), (PathLine{124, 4}));
  EXPECT_EQ(line(graph, network, {Parameter::gap_per_byte, "intra-node"}), (PathLine{124, 4}));
  EXPECT_EQ(line(graph, network, Parameter::gap_per_byte), (PathLine{124, 2}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "[1][2]"}), (PathLine{124, 1}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "[2][1]"}), (PathLine{124, 0}));
  EXPECT_EQ(line(graph, network, {Parameter::gap_per_byte, "[0][1]"}), (PathLine{124, 4}));
  EXPECT_EQ(line(graph, two_nodes({0, 1, 1}), Parameter::latency), (PathLine{4 + 104 + 14, 1}));
}

TEST(PairCost, CountsInTicksThatEveryParameterIsAMultipleOf) {
  const ExecutionGraph graph = untimed_graph(3, kChain);
  const PairNetwork network = two_nodes({0, 0, 1});
  const LogGPS model{100 * kNs, 333'333, 1 * kNs};  // o is no multiple of anything else
  const PairCost cost(graph, model, network, resolve(Parameter::latency, network, model));
  const LinearTerm term = cost.term(Edge{0, EdgeKind::compute, 0, 1, 2, 0}, 0, 0);
  EXPECT_TRUE(term.fixed_ticks * cost.tick_fs() == 2 * kNs + 333'333);
}

TEST(PairCost, AHandOverPaysTheGapOfItsReceiver) {
  // Rendezvous of 5 bytes on a node, then the sender goes on for long: o + 10 + o (answer),
  // + 10 + o, + 4 * 2 (the data leaves), + 1000.
  GraphOptions options;
  options.eager_threshold_bytes = 0;
  const ExecutionGraph graph = untimed_graph(
      3,
      "rank 0\n send to=1 bytes=5\n compute 1000\n pcontrol\nrank 1\n recv from=0 bytes=5\n"
      "rank 2\n",
      options);
  EXPECT_EQ(line(graph, two_nodes({0, 0, 1}), {Parameter::gap_per_byte, "[0][1]"}),
            (PathLine{1031, 4}));
  EXPECT_EQ(line(graph, two_nodes({0, 1, 1}), {Parameter::gap_per_byte, "[0][1]"}),
            (PathLine{1207, 4}));
}

TEST(PairCost, TheScheduleIsTheSame) {
  const ExecutionGraph graph = untimed_graph(3, kChain);
  const auto network = std::make_shared<PairNetwork>(two_nodes({0, 0, 1}));
  EXPECT_EQ(model_schedule(graph, PicosecondCost(graph, kInter, network)).makespan_ps, 124'000);
}

TEST(PairCost, ATopologysWiresAndSwitches) {
  // Nodes 0 and 8 of the paper's fat tree: 3 switches, 4 wires: 4 * 274 + 3 * 108 = 1420.
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n send to=1 bytes=1\nrank 1\n recv from=0 bytes=1\n");
  const auto fat_tree = make_fat_tree(16, 3);
  const std::vector<std::int64_t> wires(3, 274 * kNs);
  const PairNetwork network{std::make_shared<RouteTable>(RouteTable::of_topology(
                                *fat_tree, 9, wires, 108 * kNs, kIntra, kNs)),
                            {0, 8},
                            ""};
  EXPECT_EQ(line(graph, network, Parameter::latency), (PathLine{1422, 4}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "wire"}), (PathLine{1422, 4}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "terminal"}), (PathLine{1422, 2}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "intra-group"}), (PathLine{1422, 2}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "inter-group"}), (PathLine{1422, 0}));
  EXPECT_EQ(line(graph, network, {Parameter::latency, "switch"}), (PathLine{1422, 3}));
  EXPECT_THROW(RouteTable::of_topology(*fat_tree, 1025, wires, 0, kIntra, kNs), Error);
}

TEST(PairSensitivities, ComeFromOnePath) {
  const ExecutionGraph graph = untimed_graph(3, kChain);
  const PairNetwork network = two_nodes({0, 0, 1});
  const PairCost cost(graph, kInter, network,
                      resolve({Parameter::latency, "added"}, network, kInter));
  const std::vector<std::int32_t> ranks = vertex_ranks(graph);
  const LongestPath path = longest_path(graph, ranks, cost);
  EXPECT_EQ(path.length_fs, Int128{124} * kNs);
  EXPECT_EQ(pair_sensitivities(graph, ranks, path),
            (std::vector<PairSensitivity>{{0, 1, 1, 4}, {1, 2, 1, 2}}));
}

TEST(VariedParameter, ReadsWhatItWrites) {
  for (const char* text : {"L", "o", "G", "L:inter-node", "G:intra-node", "L[3][7]", "G[0][12]"}) {
    EXPECT_EQ(parse_varied_parameter(text).name(), text);
  }
  for (const char* text :
       {"", "S", "o:inter-node", "L:", "L[3]", "L[3][7", "L[3][7]x", "L[a][1]"}) {
    EXPECT_THROW(parse_varied_parameter(text), Error) << text;
  }
}

TEST(VariedParameter, ThatTheNetworkHasNotIsRefused) {
  const PairNetwork network = two_nodes({0, 0, 1});
  EXPECT_THROW(resolve({Parameter::latency, "inter-group"}, network, kInter), Error);
  EXPECT_THROW(resolve({Parameter::latency, "[0][3]"}, network, kInter), Error);
  EXPECT_THROW(resolve({Parameter::latency, "[1][1]"}, network, kInter), Error);
}

TEST(NodePlacement, ReadsHostFilesAndRankFiles) {
  using Nodes = std::vector<std::int32_t>;
  EXPECT_EQ(parse_placement("b\na\n# c\n\nb\n", "f", 3, {}).node_of_rank, (Nodes{0, 1, 0}));
  EXPECT_EQ(parse_placement("b:1\na:1\nb:1\n", "f", 3, {"a", "b"}).node_of_rank, (Nodes{1, 0, 1}));
  EXPECT_EQ(parse_placement("3\n1\n3\n", "f", 3, {}).node_of_rank, (Nodes{3, 1, 3}));
  EXPECT_EQ(parse_placement("n07\nn2\nn07\n", "f", 3, {}).node_of_rank, (Nodes{7, 2, 7}));
  EXPECT_EQ(parse_placement("rank 1=x slot=0\nrank 0=y slot=0\n", "f", 2, {"x", "y"}).node_of_rank,
            (Nodes{1, 0}));
  EXPECT_THROW(parse_placement("a\n", "f", 2, {}), Error);
  EXPECT_THROW(parse_placement("a\nb\nc\n", "f", 2, {}), Error);
  EXPECT_THROW(parse_placement("a\nb\n", "f", 2, {"a"}), Error);
  EXPECT_THROW(parse_placement("rank x=a\nb\n", "f", 2, {}), Error);
  EXPECT_EQ(block_placement(5, 2), (Nodes{0, 0, 1, 1, 2}));
  EXPECT_EQ(cyclic_placement(5, 2), (Nodes{0, 1, 2, 0, 1}));
}

}  // namespace
}  // namespace slackline
