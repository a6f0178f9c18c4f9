#pragma once

#include <cstdint>
#include <vector>

#include "analysis/paths/activities.h"

namespace slackline {

using ActivityVertex = std::uint32_t;
inline constexpr ActivityVertex kNoActivityVertex = static_cast<ActivityVertex>(-1);

/// The program activity graph of a measured run (activities.h), written down: for algorithms that
/// search in it. Vertices are moments: entering and leaving each call, and the last entry into each
/// collective that is waited for. Edges are activities: computation between calls, the part of a
/// call that is no waiting. Numbers of vertices are a topological order, 0 is the start of the run
/// and the last one its end.
///
/// An edge is never longer than the time between its ends, and one of every vertex's in-edges is
/// exactly as long. So the longest path is the run itself, and what an edge is shorter than the
/// time between its ends is its slack: time that was spent waiting.
struct ActivityGraph {
  static constexpr std::int32_t kNoRank = -1;

  struct Edge {
    ActivityVertex from;
    std::int64_t ns;
  };
  struct Place {
    std::int32_t rank = kNoRank;  ///< kNoRank: the start, the end, a collective's last entry
    CallIndex call : 31 = 0;      ///< of a last entry the collective
    CallIndex leaves : 1 = 0;     ///< end of the call; else its begin
  };

  std::vector<std::int64_t> time_ns;      ///< of each vertex, from the start of the run
  std::vector<std::uint32_t> first_edge;  ///< vertices + 1
  std::vector<Edge> edges;                ///< in-edges; the rank's own program order first
  std::vector<Place> places;              ///< of each vertex
  std::uint64_t dropped = 0;              ///< dependences against the direction of time
  std::uint64_t released = 0;

  std::size_t size() const { return time_ns.size(); }
  ActivityVertex sink() const { return static_cast<ActivityVertex>(size() - 1); }
  std::int64_t makespan_ns() const { return time_ns.empty() ? 0 : time_ns.back(); }
  template <class Visit>
  void for_in_edges(ActivityVertex v, Visit visit) const {
    for (std::uint32_t e = first_edge[v]; e < first_edge[v + 1]; ++e) visit(edges[e]);
  }
};

/// O(calls + members of collectives).
ActivityGraph activity_graph(const Activities& run);

}  // namespace slackline
