#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/linear_cost.h"
#include "timing/passes/kernel.h"

namespace slackline {

/// Cost of a chain of edges: a sum of edge costs, kept apart by what is paid.
struct LogGPSForm {
  std::int64_t nanoseconds = 0;
  std::int64_t bytes = 0;  ///< sum of (bytes - 1) over the messages
  std::uint32_t latencies = 0;
  std::uint32_t overheads = 0;

  LogGPSForm& operator+=(const LogGPSForm& o) {
    nanoseconds += o.nanoseconds;
    bytes += o.bytes;
    latencies += o.latencies;
    overheads += o.overheads;
    return *this;
  }
  /// Never cheaper than `o`, whatever the parameters are.
  bool dominates(const LogGPSForm& o) const {
    return nanoseconds >= o.nanoseconds && bytes >= o.bytes && latencies >= o.latencies &&
           overheads >= o.overheads;
  }
  bool fits() const;
};

/// The same when one parameter varies: fixed + multiples * x, in ticks of the cost.
struct LinearForm {
  Int128 fixed = 0;
  std::int64_t multiples = 0;

  LinearForm& operator+=(const LinearForm& o) {
    fixed += o.fixed;
    multiples += o.multiples;
    return *this;
  }
  bool dominates(const LinearForm& o) const { return fixed >= o.fixed && multiples >= o.multiples; }
  static constexpr bool fits() { return true; }
};

/// What is left of an ExecutionGraph when everything is gone that decides nothing: a list of nodes
/// in topological order, each the maximum over its edges of (value of the source + cost). Values
/// live in slots that are used again once nobody needs them, so the working set is a small part of
/// the graph and stays in the cache; edges are read once, front to back.
template <class Form>
struct ReducedGraph {
  std::vector<passes::Node> nodes;
  std::vector<std::uint32_t> sources;  ///< slot of each edge's source, by node
  std::vector<Form> forms;             ///< cost of each edge
  std::uint32_t slots = 1;             ///< slot 0 is always zero: the start of every rank
  /// Makespan is the value of the last node.
};

/// The largest of each count on any edge: whether a cost fits is known before it is computed.
LogGPSForm largest_counts(const ReducedGraph<LogGPSForm>& reduced);

/// Reduces `graph` once for all values of L, o and G. Empty when sums do not fit in 61 bits.
/// O(vertices + edges); 8 bytes a vertex while it works, 28 bytes an edge that remains.
std::optional<ReducedGraph<LogGPSForm>> reduce(const ExecutionGraph& graph);

/// Reduces `graph` for one cost, which may tell pairs of ranks apart. Sums of any size.
ReducedGraph<LinearForm> reduce(const ExecutionGraph& graph, const LinearCost& cost);

}  // namespace slackline
