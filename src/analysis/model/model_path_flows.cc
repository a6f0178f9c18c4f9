#include "analysis/model/model_path_flows.h"

#include <algorithm>

namespace slackline {

std::vector<TimelineFlow> model_path_flows(const ExecutionGraph& graph, const Schedule& schedule) {
  std::vector<TimelineFlow> flows;
  if (graph.vertex_count() == 0) return flows;
  VertexId v = graph.last_vertex(schedule.last_rank);
  while (v != kNoVertex && schedule.decided_by[v] != Schedule::kUndecided) {
    const VertexId from = graph.in_edge(v, schedule.decided_by[v]).from;
    if (graph.rank(from) != graph.rank(v)) {
      flows.push_back({graph.rank(from), graph.call(from), graph.rank(v), graph.call(v)});
    }
    v = from;
  }
  std::ranges::reverse(flows);
  return flows;
}

}  // namespace slackline
