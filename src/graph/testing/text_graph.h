#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/testing/text_trace.h"
#include "graph/build.h"

namespace slackline::testing {

// Graphs from the text form, for tests that write their programs out.

inline ExecutionGraph untimed_graph(int ranks, std::string_view text,
                                    const GraphOptions& options = {}) {
  return build_graph(untimed_trace(ranks, text), options);
}

/// When each rank ends, in ns, for an L, o and G in whole ns: every vertex at the latest of its
/// in-edges' ends.
inline std::vector<std::int64_t> end_times_ns(const ExecutionGraph& graph, std::int64_t latency_ns,
                                              std::int64_t overhead_ns, std::int64_t gap_ns) {
  std::vector<std::int64_t> time(graph.vertex_count());
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      const std::int64_t paid_bytes = e.bytes > 0 ? static_cast<std::int64_t>(e.bytes) - 1 : 0;
      time[v] = std::max(time[v], time[e.from] + e.nanoseconds + e.latencies * latency_ns +
                                      e.overheads * overhead_ns + paid_bytes * gap_ns);
    });
  }
  std::vector<std::int64_t> ends;
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    ends.push_back(time[graph.last_vertex(r)] + graph.tail_ns(r));
  }
  return ends;
}

}  // namespace slackline::testing
