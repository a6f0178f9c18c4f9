// Contraction with costs kept apart by owner: the graph is reduced once, and serves all groups of
// owners that anybody asks for.

#include "timing/reduction/attributed_graph.h"

#include <algorithm>
#include <utility>

#include "timing/reduction/cost_chains.h"
#include "timing/reduction/graph_contraction.h"

namespace slackline {
namespace {

/// Collects an AttributedGraph.
class AttributedSink {
 public:
  AttributedSink(AttributedGraph& result, CostChains& chains) : result_(result), chains_(chains) {}

  void edge(std::uint32_t slot, const ChainCost& cost) {
    if (cost.parts != 0) {
      for (const AttributedCost::Part& part : chains_.read(cost.parts)) {
        result_.by_kind[static_cast<std::size_t>(part.owner.kind)].of_edges.push_back(
            {static_cast<double>(part.ticks), part.owner.index});
      }
    }
    for (AttributedGraph::Parts& parts : result_.by_kind) {
      parts.first_of_edge.push_back(parts.of_edges.size());
    }
    result_.ticks.push_back(static_cast<double>(cost.ticks));
    result_.sources.push_back(slot);
    result_.source_node.push_back(slot == 0 ? AttributedGraph::kStart : node_in_slot_[slot]);
  }
  void node(std::uint32_t slot, std::uint32_t edges) {
    if (node_in_slot_.size() <= slot) node_in_slot_.resize(std::size_t{slot} + 1);
    node_in_slot_[slot] = static_cast<std::uint32_t>(result_.nodes.size());
    result_.nodes.push_back({slot, edges});
    result_.first_edge.push_back(result_.ticks.size());
  }

 private:
  AttributedGraph& result_;
  CostChains& chains_;
  std::vector<std::uint32_t> node_in_slot_;
};

std::int64_t longest(const AttributedGraph& graph) {
  std::vector<double> value(graph.slots, 0);
  std::size_t e = 0;
  for (const passes::Node& node : graph.nodes) {
    double latest = 0;
    for (const std::size_t end = e + node.edges; e != end; ++e) {
      latest = std::max(latest, value[graph.sources[e]] + graph.ticks[e]);
    }
    value[node.target] = latest;
  }
  return static_cast<std::int64_t>(value[graph.nodes.back().target]);
}

/// Writes the parts down once more, by owner.
void sort_by_owner(AttributedGraph::Parts& parts) {
  std::vector<std::size_t>& first = parts.first_of_owner;
  for (const AttributedGraph::OwnedPart& part : parts.of_edges) {
    if (first.size() < std::size_t{part.owner} + 2) first.resize(std::size_t{part.owner} + 2);
    ++first[part.owner + 1];
  }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<std::size_t> next = first;
  parts.of_owners.resize(parts.of_edges.size());
  for (std::size_t e = 0; e + 1 < parts.first_of_edge.size(); ++e) {
    for (std::size_t i = parts.first_of_edge[e]; i < parts.first_of_edge[e + 1]; ++i) {
      const AttributedGraph::OwnedPart& part = parts.of_edges[i];
      parts.of_owners[next[part.owner]++] = {part.ticks, static_cast<std::uint32_t>(e)};
    }
  }
}

}  // namespace

AttributedGraph reduce_attributed(const ExecutionGraph& graph, const AttributeEdge& attribute) {
  AttributedGraph result;
  CostChains chains;
  AttributedSink sink(result, chains);
  Contraction<ChainCost, AttributedSink> contraction(sink);
  AttributedCost cost;
  contract(graph, contraction, [&](const Edge& e, VertexId to) {
    cost.ticks = 0;
    cost.parts.clear();
    attribute(e, to, cost);
    return chains.add(cost);
  });
  result.slots = contraction.slots();
  result.most_ticks = longest(result);
  for (AttributedGraph::Parts& parts : result.by_kind) sort_by_owner(parts);
  return result;
}

}  // namespace slackline
