#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/passes/group_kernel.h"

namespace slackline {

/// Who or what a part of an edge's cost is attributed to: the computation of a function on a rank,
/// or the latency of an operation. The two kinds are numbered separately.
enum class OwnerKind : std::uint8_t { computation, communication };
struct CostOwner {
  OwnerKind kind = OwnerKind::computation;
  std::uint32_t index = 0;

  bool operator==(const CostOwner&) const = default;
};

/// The cost of an edge in ticks, and its parts by owner. What has no owner is in the total only.
struct AttributedCost {
  struct Part {
    CostOwner owner;
    std::int64_t ticks;
  };
  std::int64_t ticks = 0;
  std::vector<Part> parts{};
};

/// Writes the cost of an edge to a vertex (as graph_contraction.h has them) into `cost`, which is
/// empty.
using AttributeEdge = std::function<void(const Edge& e, VertexId to, AttributedCost& cost)>;

/// An ExecutionGraph reduced for all values that its owners' costs may have, as long as none is
/// negative. Sums must stay below 2^53 ticks.
struct AttributedGraph {
  struct OwnedPart {
    double ticks;
    std::uint32_t owner;
  };
  struct EdgePart {
    double ticks;
    std::uint32_t edge;
  };
  /// The parts of one kind, by edge and by owner. The first of each, and one past the end.
  struct Parts {
    std::vector<OwnedPart> of_edges;
    std::vector<std::size_t> first_of_edge{0};
    std::vector<EdgePart> of_owners;
    std::vector<std::size_t> first_of_owner{0};
  };

  std::vector<passes::Node> nodes;
  std::vector<double> ticks;               ///< whole cost of each edge, by node
  std::vector<std::uint32_t> sources;      ///< slot of each edge's source
  std::vector<std::uint32_t> source_node;  ///< of each edge; kStart: the start of a rank
  std::vector<std::size_t> first_edge{0};  ///< of each node, and one past the end
  std::array<Parts, 2> by_kind;            ///< by OwnerKind
  std::uint32_t slots = 1;
  std::int64_t most_ticks = 0;  ///< the makespan as the program is, which is the longest

  static constexpr std::uint32_t kStart = 0xffffffffu;
};

/// O(vertices + edges), times the owners on a chain that is folded into one edge.
AttributedGraph reduce_attributed(const ExecutionGraph& graph, const AttributeEdge& attribute);

}  // namespace slackline
