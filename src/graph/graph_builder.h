#pragma once

#include <cstdint>
#include <vector>

#include "base/findings.h"
#include "graph/execution_graph.h"

namespace slackline {

/// Writes an ExecutionGraph, vertex after vertex. Edges may only come from vertices that exist, so
/// every order of calls gives a topological order.
class GraphBuilder {
 public:
  /// `calls_per_rank`: number of calls of each rank; ranks without any get one in the numbering,
  /// so that their start vertex has a call of its own.
  explicit GraphBuilder(const std::vector<std::uint32_t>& calls_per_rank);

  /// Room for that many; memory that is not used is not touched.
  void reserve(std::size_t vertices, std::size_t edges);

  std::uint32_t global_call(std::int32_t rank, std::uint32_t call) const {
    return graph_.first_call_[ExecutionGraph::to_index(rank)] + call;
  }

  /// From now on vertex() throws GraphTooLarge (graph/build.h) instead of adding one more.
  void set_most_vertices(std::size_t count) { most_vertices_ = count; }

  /// A new vertex without in-edges, that edge() then fills.
  VertexId vertex(std::uint32_t global_call);
  /// Adds an in-edge to the newest vertex.
  void edge(const Edge& e);

  void count_message() { ++graph_.message_count_; }
  /// Edges with bytes from `v` to its own rank pay for a message of that pair.
  void set_pair(VertexId v, RankPair pair) { graph_.pairs_.emplace_back(v, pair); }
  Findings& findings() { return graph_.findings_; }
  void end_rank(std::int32_t rank, VertexId last, std::int64_t tail_ns);
  /// ExecutionGraph::link_start(). To be called for all ranks, in order.
  VertexId start_link(std::int32_t rank);
  /// ExecutionGraph::link_end(): the vertex where the last message begins to leave, and its bytes.
  void end_link(std::int32_t rank, VertexId begins, std::uint64_t bytes);
  ExecutionGraph finish() &&;

 private:
  ExecutionGraph graph_;
  std::size_t most_vertices_ = kNoVertex;
};

}  // namespace slackline
