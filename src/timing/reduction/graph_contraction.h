#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/run_part.h"
#include "graph/execution_graph.h"
#include "timing/reduction/contraction.h"

namespace slackline {

/// The slots in which the contraction of one part of a run (graph/build.h) leaves its ends for that
/// of the next part. There is one end for each start vertex of the next part, in the same order:
/// the programs of all ranks and then their links. Parts of even and odd number swap two sets of
/// slots, so that a part reads where it begins while it writes where it ends.
class BorderSlots {
 public:
  BorderSlots(std::int32_t ranks, std::size_t number)
      : ends_(2 * static_cast<std::uint32_t>(ranks)), odd_(number % 2 == 1) {}

  /// Slots from 1 on.
  std::uint32_t count() const { return 2 * ends_; }
  std::uint32_t begin(std::uint32_t start) const { return 1 + (odd_ ? ends_ : 0) + start; }
  std::uint32_t end(std::uint32_t start) const { return 1 + (odd_ ? 0 : ends_) + start; }

 private:
  std::uint32_t ends_;
  bool odd_;
};

/// By vertex, the number of edges from it whose target is used itself. The ends of all programs are
/// used, and in all parts but the last also those of the links.
inline std::vector<std::uint32_t> uses_of_vertices(const ExecutionGraph& graph,
                                                   const RunPart& part) {
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  std::vector<std::uint32_t> uses(vertices, 0);
  for (VertexId v = 0; v < vertices; ++v) {
    graph.for_in_edges(v, [&](const Edge& e) { ++uses[e.from]; });
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    ++uses[graph.last_vertex(r)];
    if (const VertexId link = graph.link_end(r).from; !part.last && link != kNoVertex) ++uses[link];
  }
  // What leads only to unused vertices would hold its slots until the end.
  for (VertexId v = vertices; v-- > 0;) {
    if (uses[v] == 0) graph.for_in_edges(v, [&](const Edge& e) { --uses[e.from]; });
  }
  return uses;
}

/// Feeds the graph of a part of a run to a contraction, which, unless the part is the whole run,
/// has reserved the slots of `border`. The lists of all parts, one after the other, are then those
/// of the run. `form_of(edge, target)` is the cost of an edge; for the edges to the ends of
/// programs and links, `target` is the edge's source. O(vertices + edges).
template <class Form, class Sink, class FormOf>
void contract_part(const ExecutionGraph& graph, Contraction<Form, Sink>& contraction,
                   FormOf form_of, const RunPart& part, const BorderSlots& border) {
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  const auto ranks = static_cast<VertexId>(graph.ranks());
  VertexId starts = 0;
  if (!part.first) starts = graph.link_start(0) == kNoVertex ? ranks : 2 * ranks;
  // Once a vertex has been contracted, its value.
  std::vector<std::uint32_t> uses = uses_of_vertices(graph, part);
  for (VertexId v = 0; v < starts; ++v) {
    uses[v] = contraction.from_slot(border.begin(v), uses[v]);
  }
  for (VertexId v = starts; v < vertices; ++v) {
    if (uses[v] == 0) continue;
    contraction.open();
    if (graph.in_degree(v) == 0) contraction.from_start(Form{});
    graph.for_in_edges(v, [&](const Edge& e) { contraction.from(uses[e.from], form_of(e, v)); });
    uses[v] = contraction.close(uses[v]);
  }
  const auto from_end = [&](const Edge& end) {
    if (end.from == kNoVertex) {
      contraction.from_start(Form{});
    } else {
      contraction.from(uses[end.from], form_of(end, end.from));
    }
  };
  if (part.last) {
    contraction.open();
    for (std::int32_t r = 0; r < graph.ranks(); ++r) from_end(graph.tail(r));
    contraction.close_last();
    return;
  }
  for (VertexId r = 0; r < ranks; ++r) {
    contraction.open();
    from_end(graph.tail(static_cast<std::int32_t>(r)));
    contraction.close_in(border.end(r));
    contraction.open();
    from_end(graph.link_end(static_cast<std::int32_t>(r)));
    contraction.close_in(border.end(ranks + r));
  }
}

/// The same for the graph of a whole run.
template <class Form, class Sink, class FormOf>
void contract(const ExecutionGraph& graph, Contraction<Form, Sink>& contraction, FormOf form_of) {
  contract_part(graph, contraction, form_of, RunPart{}, BorderSlots(graph.ranks(), 0));
}

}  // namespace slackline
