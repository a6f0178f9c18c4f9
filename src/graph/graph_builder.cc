#include "graph/graph_builder.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "graph/build.h"

namespace slackline {
namespace {

/// The parts of a collective may together have more bytes than a cost can hold.
std::uint64_t countable(std::uint64_t bytes) {
  return std::min<std::uint64_t>(bytes, std::numeric_limits<std::int64_t>::max());
}

}  // namespace

GraphBuilder::GraphBuilder(const std::vector<std::uint32_t>& calls_per_rank) {
  graph_.first_call_.reserve(calls_per_rank.size() + 1);
  std::uint64_t total = 0;
  for (const std::uint32_t calls : calls_per_rank) {
    graph_.first_call_.push_back(static_cast<std::uint32_t>(total));
    total += std::max<std::uint32_t>(1, calls);
  }
  if (total >= kNoVertex) {
    throw Error("cannot build the execution graph", "the trace has more than 4 billion calls",
                "Record a part of the run (MPI_Pcontrol switches recording).");
  }
  graph_.first_call_.push_back(static_cast<std::uint32_t>(total));
  graph_.last_vertex_.assign(calls_per_rank.size(), kNoVertex);
  graph_.tail_ns_.assign(calls_per_rank.size(), 0);
  graph_.first_edge_.push_back(0);
}

void GraphBuilder::reserve(std::size_t vertices, std::size_t edges) {
  graph_.first_edge_.reserve(vertices + 1);
  graph_.call_.reserve(vertices);
  graph_.edges_.reserve(edges);
}

VertexId GraphBuilder::vertex(std::uint32_t global_call) {
  const std::size_t id = graph_.call_.size();
  if (id >= most_vertices_ && most_vertices_ < kNoVertex) throw GraphTooLarge();
  if (id >= kNoVertex || graph_.edges_.size() >= kNoVertex) {
    throw Error("cannot build the execution graph", "it has more than 4 billion vertices or edges",
                "Record a part of the run, or choose collective algorithms with fewer messages.");
  }
  graph_.call_.push_back(global_call);
  graph_.first_edge_.push_back(graph_.first_edge_.back());
  return static_cast<VertexId>(id);
}

void GraphBuilder::edge(const Edge& e) {
  const bool timed = has_nanoseconds(e.kind);
  const std::uint64_t bytes = countable(e.bytes);
  const std::uint64_t value = timed ? static_cast<std::uint64_t>(e.nanoseconds) : bytes;
  graph_.max_nanoseconds_ = std::max(graph_.max_nanoseconds_, e.nanoseconds);
  graph_.max_bytes_ = std::max(graph_.max_bytes_, bytes);
  const bool wide = value > std::numeric_limits<std::uint32_t>::max();
  ExecutionGraph::PackedEdge packed{.from = e.from,
                                    .value = static_cast<std::uint32_t>(value),
                                    .meta = static_cast<std::uint32_t>(e.kind) | (wide ? 8u : 0u) |
                                            static_cast<std::uint32_t>(e.latencies) << 4 |
                                            static_cast<std::uint32_t>(e.overheads) << 12};
  if (wide) {
    packed.value = static_cast<std::uint32_t>(graph_.wide_values_.size());
    graph_.wide_values_.push_back(value);
  }
  graph_.edges_.push_back(packed);
  ++graph_.first_edge_.back();
}

void GraphBuilder::end_rank(std::int32_t rank, VertexId last, std::int64_t tail_ns) {
  graph_.last_vertex_[ExecutionGraph::to_index(rank)] = last;
  graph_.tail_ns_[ExecutionGraph::to_index(rank)] = tail_ns;
  graph_.max_nanoseconds_ = std::max(graph_.max_nanoseconds_, tail_ns);
}

VertexId GraphBuilder::start_link(std::int32_t rank) {
  graph_.has_link_starts_ = true;
  const VertexId v = vertex(global_call(rank, 0));
  ensures(v == graph_.link_start(rank), "links start after the programs of all ranks");
  return v;
}

void GraphBuilder::end_link(std::int32_t rank, VertexId begins, std::uint64_t bytes) {
  graph_.link_ends_.resize(graph_.last_vertex_.size());
  graph_.link_ends_[ExecutionGraph::to_index(rank)] = {begins, countable(bytes)};
}

ExecutionGraph GraphBuilder::finish() && {
  graph_.wide_values_.shrink_to_fit();
  std::ranges::sort(graph_.pairs_, {}, &std::pair<VertexId, RankPair>::first);
  return std::move(graph_);
}

}  // namespace slackline
