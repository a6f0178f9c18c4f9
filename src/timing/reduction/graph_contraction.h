#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/reduction/contraction.h"

namespace slackline {

/// Where the programs and links of all ranks are after a part of a run
/// (ExecutionGraph::link_end()), as values of a contraction, of which each is waited for once.
/// Empty before the first part.
template <class Form>
struct ContractedEnds {
  struct End {
    std::uint32_t value;
    Form tail;  ///< the computation after it
  };
  std::vector<End> programs;
  std::vector<std::optional<std::uint32_t>> links;
};

/// Feeds the graph of a part of a run to the contraction that has had the parts before it, which
/// `ends` is of; then it is of this one. `form_of(edge, target)` is the cost of an edge; of a
/// rank's tail, the target is its last vertex. O(vertices + edges).
template <class Form, class Sink, class FormOf>
void contract_part(const ExecutionGraph& graph, Contraction<Form, Sink>& contraction,
                   FormOf form_of, bool last, ContractedEnds<Form>& ends) {
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  const auto ranks = static_cast<VertexId>(graph.ranks());
  std::vector<std::uint32_t> uses(vertices, 0);  // and then its value
  for (VertexId v = 0; v < vertices; ++v) {
    graph.for_in_edges(v, [&](const Edge& e) { ++uses[e.from]; });
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    ++uses[graph.last_vertex(r)];
    if (const VertexId link = graph.link_end(r).begins; !last && link != kNoVertex) ++uses[link];
  }
  // Nobody waits for some vertices; what leads only to those would hold its slots for ever.
  for (VertexId v = vertices; v-- > 0;) {
    if (uses[v] == 0) graph.for_in_edges(v, [&](const Edge& e) { --uses[e.from]; });
  }
  VertexId begun = 0;
  if (!ends.programs.empty()) {
    const auto go_on = [&](VertexId v, std::uint32_t value, const Form& tail) {
      if (uses[v] > 0) uses[v] = contraction.shift(value, tail, uses[v]);
      ++begun;
    };
    for (VertexId r = 0; r < ranks; ++r) go_on(r, ends.programs[r].value, ends.programs[r].tail);
    for (const std::optional<std::uint32_t>& link : ends.links) {
      if (link) go_on(begun, *link, Form{});
    }
  }
  for (VertexId v = begun; v < vertices; ++v) {
    if (uses[v] == 0) continue;
    contraction.open();
    if (graph.in_degree(v) == 0) contraction.from_start(Form{});
    graph.for_in_edges(v, [&](const Edge& e) { contraction.from(uses[e.from], form_of(e, v)); });
    uses[v] = contraction.close(uses[v]);
  }
  ends = {};
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    const VertexId at = graph.last_vertex(r);
    const Edge tail{.from = at,
                    .kind = EdgeKind::compute,
                    .latencies = 0,
                    .overheads = 0,
                    .nanoseconds = graph.tail_ns(r),
                    .bytes = 0};
    ends.programs.push_back({uses[at], form_of(tail, at)});
    const VertexId link = graph.link_end(r).begins;
    ends.links.push_back(link == kNoVertex ? std::optional<std::uint32_t>() : uses[link]);
  }
  if (!last) return;
  contraction.open();
  for (const auto& end : ends.programs) contraction.from(end.value, end.tail);
  contraction.close_last();
}

/// The same of a graph that is whole.
template <class Form, class Sink, class FormOf>
void contract(const ExecutionGraph& graph, Contraction<Form, Sink>& contraction, FormOf form_of) {
  ContractedEnds<Form> ends;
  contract_part(graph, contraction, form_of, true, ends);
}

}  // namespace slackline
