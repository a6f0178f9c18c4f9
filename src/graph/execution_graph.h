#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

using VertexId = std::uint32_t;
inline constexpr VertexId kNoVertex = std::numeric_limits<VertexId>::max();

/// Why a vertex cannot come before another.
enum class EdgeKind : std::uint8_t {
  compute,   ///< the rank's own program order: computation of `value` ns between the two
  order,     ///< program order to a vertex beside the rank's main path; `value` ns
  message,   ///< a message of `value` bytes from the source's rank to the target's
  protocol,  ///< a control message of the rendezvous, or local hand-over; no payload unless said
  inside,    ///< what a call of the rank takes whatever the network is (I/O); `value` ns
};
constexpr bool has_nanoseconds(EdgeKind kind) {
  return kind == EdgeKind::compute || kind == EdgeKind::order || kind == EdgeKind::inside;
}

/// A dependence with its cost as a linear form in the parameters:
///   nanoseconds + latencies * L + overheads * o + max(0, bytes - 1) * G.
struct Edge {
  VertexId from;
  EdgeKind kind;
  std::uint8_t latencies;
  std::uint8_t overheads;
  std::int64_t nanoseconds;
  std::uint64_t bytes;
};

/// The sending and the receiving rank of a message.
struct RankPair {
  std::int32_t from;
  std::int32_t to;
};

/// Topology of one execution: what must wait for what. Vertices are points in time, numbered in
/// topological order (every edge leads from a smaller to a larger number), and consecutive ones
/// mostly belong to one rank. A vertex exists where something can be decided: a send's hand-over,
/// the completion of a receive, wait or collective step; calls that only take program order forward
/// (a posted receive, MPI_Comm_rank) have none.
///
/// The *main path* of a rank is the chain of its vertices joined by their first edges (kind
/// compute). Vertices whose first edge is not of kind compute lie beside it: rendezvous handshakes
/// and the steps of nonblocking collectives.
///
/// Built once per trace and choice of protocol and collective algorithms (graph/build.h); never
/// changed. About 8 bytes a vertex and 12 an edge.
class ExecutionGraph {
 public:
  std::size_t vertex_count() const { return call_.size(); }
  std::size_t edge_count() const { return edges_.size(); }
  std::int32_t ranks() const { return static_cast<std::int32_t>(first_call_.size()) - 1; }

  /// Number of in-edges of `v`, and the k-th. Start vertices have none.
  std::size_t in_degree(VertexId v) const { return first_edge_[v + 1] - first_edge_[v]; }
  Edge in_edge(VertexId v, std::size_t k) const { return unpack(edges_[first_edge_[v] + k]); }
  /// Calls visit(edge) for each in-edge of `v`, in order.
  template <class Visit>
  void for_in_edges(VertexId v, Visit visit) const {
    for (std::size_t e = first_edge_[v]; e < first_edge_[v + 1]; ++e) visit(unpack(edges_[e]));
  }

  /// The call that `v` is part of: index over all ranks' calls. Start vertices belong to their
  /// rank's first call.
  std::uint32_t global_call(VertexId v) const { return call_[v]; }
  std::int32_t rank_of_call(std::uint32_t global_call) const;
  /// Global index of a rank's first call, for ranks() too (one past the end).
  std::uint32_t first_call(std::int32_t rank) const { return first_call_[to_index(rank)]; }
  std::int32_t rank(VertexId v) const { return rank_of_call(call_[v]); }
  std::uint32_t call(VertexId v) const { return call_[v] - first_call_[to_index(rank(v))]; }
  bool on_main_path(VertexId v) const {
    return in_degree(v) == 0 || edges_[first_edge_[v]].kind() == EdgeKind::compute;
  }

  /// The pair of ranks between which a message is sent that the in-edge `e` of a vertex of
  /// `to_rank` is part of; from == to: none. For an edge within one rank that pays for bytes this
  /// is where they are sent, since the sender completes, or a link is free again, when they have
  /// left.
  RankPair pair_of(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const;

  /// The last vertex of each rank's main path, where its program ends.
  VertexId last_vertex(std::int32_t rank) const { return last_vertex_[to_index(rank)]; }
  /// Computation after that vertex, up to MPI_Finalize or the end of the trace.
  std::int64_t tail_ns(std::int32_t rank) const { return tail_ns_[to_index(rank)]; }
  /// The same as an edge to the end of the program, which has no vertex.
  Edge tail(std::int32_t rank) const {
    return {last_vertex(rank), EdgeKind::compute, 0, 0, tail_ns(rank), 0};
  }

  /// The graph of any but the first part of a run (calls/run_part.h) begins with a start vertex for
  /// each rank, in order, and, where messages occupy links, with a second one for each: when its
  /// link is free of the messages of earlier parts. This is the second one; kNoVertex if there is
  /// none.
  VertexId link_start(std::int32_t rank) const {
    return has_link_starts_ ? static_cast<VertexId>(ranks() + rank) : kNoVertex;
  }
  /// The last message on a rank's link, as an edge from the vertex where it begins to leave to the
  /// moment at which the link is free again, which has no vertex. Its source is link_start() if the
  /// part has no such message, and kNoVertex if the run has had none yet or messages do not occupy
  /// links.
  Edge link_end(std::int32_t rank) const {
    const LastOnLink last = link_ends_.empty() ? LastOnLink{} : link_ends_[to_index(rank)];
    return {last.begins, EdgeKind::protocol, 0, 0, 0, last.bytes};
  }

  /// Largest computation and payload of any edge or tail.
  std::int64_t max_nanoseconds() const { return max_nanoseconds_; }
  std::uint64_t max_bytes() const { return max_bytes_; }

  /// Sum over messages; collectives' messages included.
  std::uint64_t message_count() const { return message_count_; }
  const Findings& findings() const { return findings_; }

 private:
  friend class GraphBuilder;

  struct LastOnLink {
    VertexId begins = kNoVertex;
    std::uint64_t bytes = 0;
  };
  // 12 bytes: values of 32 bits and more go to wide_values_.
  struct PackedEdge {
    VertexId from;
    std::uint32_t value;
    std::uint32_t meta;  // kind:3 wide:1 latencies:8 overheads:8

    EdgeKind kind() const { return static_cast<EdgeKind>(meta & 7u); }
  };
  Edge unpack(const PackedEdge& e) const {
    const std::uint64_t value = (e.meta & 8u) != 0 ? wide_values_[e.value] : e.value;
    const EdgeKind kind = e.kind();
    const bool timed = has_nanoseconds(kind);
    return Edge{.from = e.from,
                .kind = kind,
                .latencies = static_cast<std::uint8_t>(e.meta >> 4),
                .overheads = static_cast<std::uint8_t>(e.meta >> 12),
                .nanoseconds = timed ? static_cast<std::int64_t>(value) : 0,
                .bytes = timed ? 0 : value};
  }
  static std::size_t to_index(std::int32_t rank) { return static_cast<std::size_t>(rank); }

  std::vector<std::uint32_t> first_edge_;  // vertex_count() + 1
  std::vector<std::uint32_t> call_;
  std::vector<PackedEdge> edges_;
  std::vector<std::uint64_t> wide_values_;
  std::vector<std::uint32_t> first_call_;  // per rank, and one past the end
  std::vector<VertexId> last_vertex_;
  std::vector<std::int64_t> tail_ns_;
  bool has_link_starts_ = false;
  std::vector<LastOnLink> link_ends_;  // per rank; empty: without links
  std::int64_t max_nanoseconds_ = 0;
  std::uint64_t max_bytes_ = 0;
  std::uint64_t message_count_ = 0;
  std::vector<std::pair<VertexId, RankPair>> pairs_;  // by vertex; see GraphBuilder::set_pair
  Findings findings_;
};

/// The rank of every vertex. 4 bytes a vertex.
std::vector<std::int32_t> vertex_ranks(const ExecutionGraph& graph);

inline constexpr std::int64_t kPicosPerNano = 1000;

/// When everything in an ExecutionGraph happens under a model, and what decided it. Times in
/// picoseconds from the begin of the run's analysed interval (calls/run_span.h). What a run of any
/// origin has in common is not this but a trace with times: analysis/runs/scheduled_calls.h makes
/// one.
struct Schedule {
  static constexpr std::uint32_t kUndecided = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::int64_t> time_ps;      ///< of each vertex
  std::vector<std::uint32_t> decided_by;  ///< which of its in-edges was last; kUndecided at a start
  std::vector<std::int64_t> rank_end_ps;  ///< when each rank's program ends
  std::int64_t makespan_ps = 0;           ///< the largest of these
  std::int32_t last_rank = 0;             ///< whose it is
};

}  // namespace slackline
