#include "analysis/paths/path_flows.h"

#include <algorithm>

#include "calls/message_pairs.h"

namespace slackline {

std::vector<TimelineFlow> critical_path_flows(const ExecutionGraph& graph,
                                              const Schedule& schedule) {
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

std::vector<TimelineFlow> message_flows(const Trace& trace) {
  std::vector<TimelineFlow> flows;
  const auto pairs = pair_messages(trace);
  for (std::size_t rank = 0; rank < pairs.size(); ++rank) {
    for (const MessagePair& pair : pairs[rank]) {
      const bool completed = pair.done != MessagePair::kNeverCompleted;
      flows.push_back({pair.source, pair.send, static_cast<std::int32_t>(rank),
                       completed ? pair.done : pair.post});
    }
  }
  return flows;
}

}  // namespace slackline
