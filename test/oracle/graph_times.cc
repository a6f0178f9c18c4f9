#include "oracle/graph_times.h"

namespace slackline::oracle {

TimeSystem graph_times(const ExecutionGraph& graph) {
  TimeSystem system;
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    std::vector<TimeSystem::Term> terms;
    for (std::size_t k = 0; k < graph.in_degree(v); ++k) {
      const Edge e = graph.in_edge(v, k);
      const std::int64_t paid_bytes = e.bytes > 0 ? static_cast<std::int64_t>(e.bytes) - 1 : 0;
      terms.push_back({e.from, {e.nanoseconds, e.latencies, e.overheads, paid_bytes}});
    }
    system.maximum(std::move(terms));
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    system.ends.push_back({graph.last_vertex(r), {graph.tail_ns(r), 0, 0, 0}});
  }
  return system;
}

}  // namespace slackline::oracle
