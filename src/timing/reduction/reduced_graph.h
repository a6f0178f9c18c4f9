#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/arithmetic.h"
#include "base/large_pages.h"
#include "base/spill_file.h"
#include "calls/run_part.h"
#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "timing/passes/kernel.h"

namespace slackline {

/// Cost of a chain of edges: a sum of edge costs, kept apart by what is paid.
struct LogGPSForm {
  std::int64_t nanoseconds = 0;
  std::int64_t bytes = 0;  ///< sum of (bytes - 1) over the messages
  std::uint32_t latencies = 0;
  std::uint32_t overheads = 0;

  LogGPSForm& operator+=(const LogGPSForm& o) {
    nanoseconds = saturated_sum(nanoseconds, o.nanoseconds);
    bytes = saturated_sum(bytes, o.bytes);
    latencies += o.latencies;
    overheads += o.overheads;
    return *this;
  }
  /// Never cheaper than `o`, whatever the parameters are.
  bool dominates(const LogGPSForm& o) const {
    return nanoseconds >= o.nanoseconds && bytes >= o.bytes && latencies >= o.latencies &&
           overheads >= o.overheads;
  }
};

/// The same when one parameter varies: fixed + multiples * x, in ticks of the cost.
struct LinearForm {
  Int128 fixed = 0;
  std::int64_t multiples = 0;

  LinearForm& operator+=(const LinearForm& o) {
    fixed += o.fixed;
    multiples = saturated_sum(multiples, o.multiples);
    return *this;
  }
  bool dominates(const LinearForm& o) const { return fixed >= o.fixed && multiples >= o.multiples; }
};

/// What is left of an ExecutionGraph when everything is gone that decides nothing: a list of nodes
/// in topological order, each the maximum over its edges of (value of the source + cost). Values
/// live in slots that are used again after their last use, so the working set is a small part of
/// the graph and stays in the cache; edges are read once, front to back.
template <class Form>
struct ReducedGraph {
  std::vector<passes::Node> nodes;
  std::vector<std::uint32_t> sources;  ///< slot of each edge's source, by node
  std::vector<Form> forms;             ///< cost of each edge
  std::uint32_t slots = 1;             ///< slot 0 is always zero: the start of every rank
  /// Makespan is the value of the last node.
};

/// The same for all values of L, o and G, as passes read it: 16 bytes an edge. Cheap to copy; the
/// arrays lie in `storage`, which may be a mapped file.
struct ReducedLogGPS {
  std::span<const passes::Node> nodes;
  std::span<const passes::LogGPSEdge> edges;
  std::span<const passes::Counts> wide;  ///< of edges whose counts do not fit in 16 bytes
  std::uint32_t slots = 1;
  LogGPSForm longest;  ///< the most of each count on any path; not of one path
  std::shared_ptr<const void> storage;
  bool spilled = false;  ///< it does not fit in memory

  LogGPSForm form(std::size_t edge) const;
  passes::LogGPSProgram program() const {
    return {nodes.data(), nodes.size(), edges.data(), wide.data()};
  }
};

/// Edges with their costs in 16 bytes each; of the few that need more, the counts are apart.
class PackedEdges {
 public:
  BigVector<passes::LogGPSEdge> edges;
  std::vector<passes::Counts> wide;

  void add(std::uint32_t source, const LogGPSForm& form) { edges.push_back(pack(source, form)); }
  void set(std::size_t i, std::uint32_t source, const LogGPSForm& form) {
    edges[i] = pack(source, form);
  }

 private:
  passes::LogGPSEdge pack(std::uint32_t source, const LogGPSForm& form) {
    constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
    // Counts are not negative, so one comparison serves two of them.
    const auto large = static_cast<std::uint64_t>(form.nanoseconds | form.bytes);
    const std::uint32_t many = form.latencies | form.overheads;
    if (large > kMost32 || many >= passes::kWide / 2) return pack_wide(source, form);
    return {.nanoseconds = static_cast<std::uint32_t>(form.nanoseconds),
            .bytes = static_cast<std::uint32_t>(form.bytes),
            .latencies = static_cast<std::uint16_t>(form.latencies),
            .overheads = static_cast<std::uint16_t>(form.overheads),
            .source = source};
  }
  passes::LogGPSEdge pack_wide(std::uint32_t source, const LogGPSForm& form);
};

/// What a packed edge counts.
inline LogGPSForm unpack(const passes::LogGPSEdge& e, const passes::Counts* wide) {
  if (e.latencies != passes::kWide) return {e.nanoseconds, e.bytes, e.latencies, e.overheads};
  const passes::Counts& c = wide[e.nanoseconds];
  return {c.nanoseconds, c.bytes, c.latencies, c.overheads};
}

/// Collects a ReducedLogGPS.
class ReducedLogGPSWriter {
 public:
  /// Room for that many; memory that is not used is not touched.
  void reserve(std::size_t nodes, std::size_t edges);
  void edge(std::uint32_t slot, const LogGPSForm& form) { arrays_->edges.add(slot, form); }
  void node(std::uint32_t slot, std::uint32_t edges) { arrays_->nodes.push_back({slot, edges}); }
  /// Moves what there is to a temporary file, if it takes more than `bytes`. Throws Error.
  void spill_beyond(std::uint64_t bytes);

  // The lists in memory; append() adds those of another writer.
  std::span<const passes::Node> nodes() const { return arrays_->nodes; }
  std::span<const passes::LogGPSEdge> edges() const { return arrays_->edges.edges; }
  std::span<const passes::Counts> wide() const { return arrays_->edges.wide; }
  void append(std::span<const passes::Node> nodes) { append(arrays_->nodes, nodes); }
  void append(std::span<const passes::LogGPSEdge> edges) { append(arrays_->edges.edges, edges); }
  void append(std::span<const passes::Counts> wide) { append(arrays_->edges.wide, wide); }
  /// Renumbers the wide counts of the edges, so that the lists can be appended to others that have
  /// `before` wide counts.
  void renumber_wide(std::size_t before);
  /// Empties the lists in memory.
  void clear();
  /// One pass finds the longest counts. Throws Error.
  ReducedLogGPS finish(std::uint32_t slots) &&;

 private:
  struct Spilled {
    SpillFile nodes;
    SpillFile edges;
  };
  struct Arrays {
    BigVector<passes::Node> nodes;
    PackedEdges edges;
    std::optional<Spilled> spilled;  // what comes before
  };
  template <class Vector, class T>
  static void append(Vector& all, std::span<const T> more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  std::shared_ptr<Arrays> arrays_ = std::make_shared<Arrays>();
};

/// Sums of counts below this cannot overflow, wherever they are added up.
inline constexpr std::int64_t kMostCount = std::int64_t{1} << 61;

/// Reduces `graph` once for all values of L, o and G. Empty when sums might not fit in 61 bits.
/// O(vertices + edges); 8 bytes a vertex while it works, 16 bytes an edge that remains.
std::optional<ReducedLogGPS> reduce(const ExecutionGraph& graph);

/// Sums over all edges of graphs.
struct CountSums {
  Int128 nanoseconds = 0;
  Int128 bytes = 0;
  std::uint64_t latencies = 0;
  std::uint64_t overheads = 0;

  void add(const ExecutionGraph& graph);
  CountSums& operator+=(const CountSums& o);
  bool fit() const;
};

/// The same for a run whose graph is built part by part (graph/build.h): reduces some of the parts,
/// in order. Parts are contracted independently of each other, so several objects can do so at the
/// same time; the lists of all parts, one after the other, are those of the run.
class PartReduction {
 public:
  /// Part number `number`. False when sums might not fit in 61 bits: then there is no reduction.
  bool add(const ExecutionGraph& graph, const RunPart& part, std::size_t number);

  /// The lists so far, to which those of other parts can be appended.
  ReducedLogGPSWriter& lists() { return lists_; }
  /// Over the parts that were added.
  const CountSums& sums() const { return sums_; }
  std::uint32_t slots() const { return slots_; }

 private:
  CountSums sums_{};
  ReducedLogGPSWriter lists_{};
  std::uint32_t slots_ = 1;
};

/// Reduces `graph` for one cost, which may tell pairs of ranks apart. Sums of any size.
ReducedGraph<LinearForm> reduce(const ExecutionGraph& graph, const LinearCost& cost);

}  // namespace slackline
