#include "timing/network/pair_network.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "graph/testing/text_graph.h"
#include "timing/makespan.h"
#include "timing/network/pair_cost.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;
using testing::untimed_graph;

PairMatrix latencies(const std::string& text) {
  return parse_pair_matrix(text, "l.csv", Parameter::latency);
}

std::string refusal(const std::string& text) {
  try {
    latencies(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(PairMatrix, HasARowForEachSender) {
  const PairMatrix m = latencies("# L, measured\n, 1us, 2us\n3us,x,4 us\r\n\n5us,6us,0\n");
  EXPECT_EQ(m.nodes, 3);
  EXPECT_EQ(m.at(0, 1), 1000 * kNs);
  EXPECT_EQ(m.at(0, 2), 2000 * kNs);
  EXPECT_EQ(m.at(1, 0), 3000 * kNs);
  EXPECT_EQ(m.at(2, 1), 6000 * kNs);
  const PairMatrix g = parse_pair_matrix("0,1GB/s\n2ns/B,0", "g.csv", Parameter::gap_per_byte);
  EXPECT_EQ(g.at(0, 1), 1 * kNs);
  EXPECT_EQ(g.at(1, 0), 2 * kNs);
}

TEST(PairMatrix, NamesWhatIsWrong) {
  EXPECT_NE(refusal("").find("no row"), std::string::npos);
  EXPECT_NE(refusal("0,1us\n").find("1 rows of 2 columns"), std::string::npos)
      << refusal("0,1us\n");
  EXPECT_NE(refusal("0,1us\n1us\n").find("line 2 has 1 values"), std::string::npos);
  EXPECT_NE(refusal("0,1us\n3,0\n").find("column 1 in l.csv:2"), std::string::npos)
      << refusal("0,1us\n3,0\n");
}

/// Rank 0 sends 5 bytes to rank 1, which sends 3 to rank 2.
constexpr const char* kTwoMessages =
    "rank 0\n send to=1 bytes=5\nrank 1\n recv from=0 bytes=5\n send to=2 bytes=3\n"
    "rank 2\n recv from=1 bytes=3\n";
const LogGPS kWithinNode{10 * kNs, 0, 2 * kNs};
const LogGPS kBetweenNodes{100 * kNs, 1 * kNs, 1 * kNs};

PairNetwork network_of(const PairMatrix* latency, const PairMatrix* gap,
                       std::vector<std::int32_t> node_of_rank) {
  return {std::make_shared<RouteTable>(
              RouteTable::of_matrices(latency, gap, kWithinNode, kBetweenNodes)),
          std::move(node_of_rank), ""};
}

PathLine matrix_line(const PairNetwork& network, const VariedParameter& parameter) {
  const ExecutionGraph graph = untimed_graph(3, kTwoMessages);
  MakespanFunction t(
      graph, PairCost(graph, kBetweenNodes, network, resolve(parameter, network, kBetweenNodes)));
  PathLine found = t.line_at(t.base());
  found.intercept = static_cast<Int128>(t.value_ns(found, t.base()));
  return found;
}

TEST(PairMatrix, MessagesPayTheirDirectionsValue) {
  const PairMatrix latency = latencies("0,7ns,1us\n1us,0,30ns\n1us,1us,0");
  const PairMatrix gap = parse_pair_matrix("0,3ns/B,1us/B\n1us/B,0,5ns/B\n1us/B,1us/B,0", "g",
                                           Parameter::gap_per_byte);
  // o + L + (n - 1) G + o for each: (1 + 7 + 4 * 3 + 1) + (1 + 30 + 2 * 5 + 1).
  const PairNetwork both = network_of(&latency, &gap, {0, 1, 2});
  EXPECT_EQ(matrix_line(both, Parameter::latency), (PathLine{63, 2}));       // of what is added
  EXPECT_EQ(matrix_line(both, Parameter::gap_per_byte), (PathLine{63, 6}));  // likewise
  EXPECT_EQ(matrix_line(both, {Parameter::latency, "[0][1]"}), (PathLine{63, 1}));
  EXPECT_EQ(matrix_line(both, {Parameter::latency, "[1][0]"}), (PathLine{63, 0}));
  // One matrix: the other parameter is as the model has it, (1 + 7 + 4 + 1) + (1 + 30 + 2 + 1).
  EXPECT_EQ(matrix_line(network_of(&latency, nullptr, {0, 1, 2}), Parameter::gap_per_byte),
            (PathLine{47, 6}));
  // (1 + 100 + 12 + 1) + (1 + 100 + 10 + 1).
  EXPECT_EQ(matrix_line(network_of(nullptr, &gap, {0, 1, 2}), Parameter::latency),
            (PathLine{226, 2}));
}

TEST(PairMatrix, IsOfNodes) {
  const PairMatrix latency = latencies("0,50ns\n70ns,0");
  // Within a node L and G are those of kWithinNode.
  EXPECT_EQ(matrix_line(network_of(&latency, nullptr, {0, 0, 1}), Parameter::latency),
            (PathLine{(1 + 10 + 4 * 2 + 1) + (1 + 50 + 2 * 1 + 1), 2}));
  EXPECT_EQ(matrix_line(network_of(&latency, nullptr, {1, 1, 0}), Parameter::latency),
            (PathLine{(1 + 10 + 4 * 2 + 1) + (1 + 70 + 2 * 1 + 1), 2}));
}

TEST(PairMatrix, OfEqualValuesIsThePlainModel) {
  const PairMatrix latency = latencies("0,100ns,100ns\n100ns,0,100ns\n100ns,100ns,0");
  const PairNetwork flat{
      std::make_shared<RouteTable>(RouteTable::flat(kWithinNode, kBetweenNodes)), {0, 1, 2}, ""};
  EXPECT_EQ(matrix_line(network_of(&latency, nullptr, {0, 1, 2}), Parameter::latency),
            matrix_line(flat, Parameter::latency));
}

TEST(PairMatrix, HasNoClassesToVary) {
  const PairMatrix latency = latencies("0,50ns\n70ns,0");
  const PairNetwork network = network_of(&latency, nullptr, {0, 1, 1});
  EXPECT_THROW(resolve({Parameter::latency, "inter-node"}, network, kBetweenNodes), Error);
  EXPECT_TRUE(resolve(Parameter::latency, network, kBetweenNodes).added);
  EXPECT_FALSE(resolve(Parameter::gap_per_byte, network, kBetweenNodes).added);
}

}  // namespace
}  // namespace slackline
