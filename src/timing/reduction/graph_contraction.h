#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/reduction/contraction.h"

namespace slackline {

/// Feeds a graph's vertices to a contraction. `form_of(edge, target)` is the cost of an edge; of a
/// rank's tail, the target is its last vertex. O(vertices + edges).
template <class Form, class Sink, class FormOf>
void contract(const ExecutionGraph& graph, Contraction<Form, Sink>& contraction, FormOf form_of) {
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  std::vector<std::uint32_t> uses(vertices, 0);  // and then its value
  for (VertexId v = 0; v < vertices; ++v) {
    graph.for_in_edges(v, [&](const Edge& e) { ++uses[e.from]; });
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) ++uses[graph.last_vertex(r)];
  // Nobody waits for some vertices; what leads only to those would hold its slots for ever.
  for (VertexId v = vertices; v-- > 0;) {
    if (uses[v] == 0) graph.for_in_edges(v, [&](const Edge& e) { --uses[e.from]; });
  }
  for (VertexId v = 0; v < vertices; ++v) {
    if (uses[v] == 0) continue;
    contraction.open();
    if (graph.in_degree(v) == 0) contraction.from_start(Form{});
    graph.for_in_edges(v, [&](const Edge& e) { contraction.from(uses[e.from], form_of(e, v)); });
    uses[v] = contraction.close(uses[v]);
  }
  contraction.open();
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    const VertexId last = graph.last_vertex(r);
    const Edge tail{.from = last,
                    .kind = EdgeKind::compute,
                    .latencies = 0,
                    .overheads = 0,
                    .nanoseconds = graph.tail_ns(r),
                    .bytes = 0};
    contraction.from(uses[last], form_of(tail, last));
  }
  contraction.close_last();
}

}  // namespace slackline
