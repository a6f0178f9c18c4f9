#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/run_part.h"
#include "graph/execution_graph.h"
#include "timing/reduction/contraction.h"

namespace slackline {

/// The slots in which contractions of parts of a run (graph/build.h) leave where programs and links
/// are at the border between two parts. They take turns at two sets of them: what a part begins
/// with it reads while it writes what it ends with.
class BorderSlots {
 public:
  BorderSlots(std::int32_t ranks, std::size_t number)
      : ranks_(static_cast<std::uint32_t>(ranks)), odd_(number % 2 == 1) {}

  std::uint32_t count() const { return 4 * ranks_; }
  std::uint32_t program_begin(std::uint32_t rank) const { return 1 + set(odd_) + rank; }
  std::uint32_t link_begin(std::uint32_t rank) const { return program_begin(rank) + ranks_; }
  std::uint32_t program_end(std::uint32_t rank) const { return 1 + set(!odd_) + rank; }
  std::uint32_t link_end(std::uint32_t rank) const { return program_end(rank) + ranks_; }

 private:
  std::uint32_t set(bool second) const { return second ? 2 * ranks_ : 0; }

  std::uint32_t ranks_;
  bool odd_;
};

/// Feeds the graph of a part of a run to a contraction. That of a part which is not the whole run
/// has reserved the slots of `border`; then the lists of all parts, one after the other, are that
/// of the run. `form_of(edge, target)` is the cost of an edge; of one that leads to where a program
/// or link is at the end of the part, the target is where it comes from. O(vertices + edges).
template <class Form, class Sink, class FormOf>
void contract_part(const ExecutionGraph& graph, Contraction<Form, Sink>& contraction,
                   FormOf form_of, const RunPart& part, const BorderSlots& border) {
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  const auto ranks = static_cast<VertexId>(graph.ranks());
  std::vector<std::uint32_t> uses(vertices, 0);  // and then its value
  for (VertexId v = 0; v < vertices; ++v) {
    graph.for_in_edges(v, [&](const Edge& e) { ++uses[e.from]; });
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    ++uses[graph.last_vertex(r)];
    if (const VertexId link = graph.link_end(r).from; !part.last && link != kNoVertex) ++uses[link];
  }
  // Nobody waits for some vertices; what leads only to those would hold its slots for ever.
  for (VertexId v = vertices; v-- > 0;) {
    if (uses[v] == 0) graph.for_in_edges(v, [&](const Edge& e) { --uses[e.from]; });
  }
  VertexId begun = 0;
  if (!part.first) {
    for (; begun < ranks; ++begun) {
      uses[begun] = contraction.from_slot(border.program_begin(begun), uses[begun]);
    }
    for (VertexId r = 0; r < ranks && graph.link_start(0) != kNoVertex; ++r, ++begun) {
      uses[begun] = contraction.from_slot(border.link_begin(r), uses[begun]);
    }
  }
  for (VertexId v = begun; v < vertices; ++v) {
    if (uses[v] == 0) continue;
    contraction.open();
    if (graph.in_degree(v) == 0) contraction.from_start(Form{});
    graph.for_in_edges(v, [&](const Edge& e) { contraction.from(uses[e.from], form_of(e, v)); });
    uses[v] = contraction.close(uses[v]);
  }
  const auto from_end = [&](std::int32_t rank) {
    const VertexId at = graph.last_vertex(rank);
    const Edge tail{.from = at,
                    .kind = EdgeKind::compute,
                    .latencies = 0,
                    .overheads = 0,
                    .nanoseconds = graph.tail_ns(rank),
                    .bytes = 0};
    contraction.from(uses[at], form_of(tail, at));
  };
  if (part.last) {
    contraction.open();
    for (std::int32_t r = 0; r < graph.ranks(); ++r) from_end(r);
    contraction.close_last();
    return;
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    contraction.open();
    from_end(r);
    contraction.close_in(border.program_end(static_cast<std::uint32_t>(r)));
    contraction.open();
    const Edge link = graph.link_end(r);
    if (link.from == kNoVertex) contraction.from_start(Form{});
    if (link.from != kNoVertex) contraction.from(uses[link.from], form_of(link, link.from));
    contraction.close_in(border.link_end(static_cast<std::uint32_t>(r)));
  }
}

/// The same of a graph that is whole.
template <class Form, class Sink, class FormOf>
void contract(const ExecutionGraph& graph, Contraction<Form, Sink>& contraction, FormOf form_of) {
  contract_part(graph, contraction, form_of, RunPart{}, BorderSlots(graph.ranks(), 0));
}

}  // namespace slackline
