// An ExecutionGraph's vertices, in their order, through contraction.h.

#include "timing/reduction/reduced_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "timing/passes/lane_state.h"
#include "timing/reduction/graph_contraction.h"

namespace slackline {
namespace {

/// Would they not leave 61 bits even if every edge had the most of everything?
bool sums_of_most_fit(const ExecutionGraph& graph) {
  constexpr std::size_t kMostOfByte = std::numeric_limits<std::uint8_t>::max();
  const auto terms = Int128{graph.edge_count()} + graph.ranks();
  return graph.max_nanoseconds() * terms < kMostCount &&
         static_cast<Int128>(graph.max_bytes()) * terms < kMostCount &&
         graph.edge_count() < kNoVertex / kMostOfByte;
}

/// Can no sum over the graph's edges leave 61 bits?
bool sums_fit(const ExecutionGraph& graph) {
  if (sums_of_most_fit(graph)) return true;
  CountSums sums;
  sums.add(graph);
  return sums.fit();
}

LogGPSForm form_of(const Edge& e, VertexId /*to*/) {
  return {.nanoseconds = e.nanoseconds,
          .bytes = multiples(e, Parameter::gap_per_byte),
          .latencies = e.latencies,
          .overheads = e.overheads};
}

/// All of an array, of which what was spilled comes first.
template <class T, class Vector>
std::span<const T> all_of(const Vector& in_memory, SpillFile* spilled) {
  if (spilled == nullptr) return in_memory;
  spilled->append(std::as_bytes(std::span(in_memory)));
  const std::span<const std::byte> bytes = spilled->map();
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

struct LinearSink {
  ReducedGraph<LinearForm>& result;

  void edge(std::uint32_t slot, const LinearForm& form) {
    result.sources.push_back(slot);
    result.forms.push_back(form);
  }
  void node(std::uint32_t slot, std::uint32_t edges) { result.nodes.push_back({slot, edges}); }
};

}  // namespace

LogGPSForm ReducedLogGPS::form(std::size_t edge) const {
  return unpack(edges[edge], wide.data());
}

void ReducedLogGPSWriter::reserve(std::size_t nodes, std::size_t edges) {
  arrays_->nodes.reserve(nodes);
  arrays_->edges.edges.reserve(edges);
}

passes::LogGPSEdge PackedEdges::pack_wide(std::uint32_t source, const LogGPSForm& form) {
  wide.push_back({form.nanoseconds, form.bytes, form.latencies, form.overheads});
  return {.nanoseconds = static_cast<std::uint32_t>(wide.size() - 1),
          .bytes = 0,
          .latencies = passes::kWide,
          .overheads = 0,
          .source = source};
}

void ReducedLogGPSWriter::spill_beyond(std::uint64_t bytes) {
  auto& nodes = arrays_->nodes;
  auto& edges = arrays_->edges.edges;
  const auto of_nodes = std::as_bytes(std::span(nodes));
  const auto of_edges = std::as_bytes(std::span(edges));
  if (of_nodes.size() + of_edges.size() <= bytes) return;
  if (!arrays_->spilled) arrays_->spilled.emplace();
  arrays_->spilled->nodes.append(of_nodes);
  arrays_->spilled->edges.append(of_edges);
  nodes.clear();
  edges.clear();
}

void ReducedLogGPSWriter::renumber_wide(std::size_t before) {
  if (before == 0 || arrays_->edges.wide.empty()) return;
  for (passes::LogGPSEdge& e : arrays_->edges.edges) {
    if (e.latencies == passes::kWide) e.nanoseconds += static_cast<std::uint32_t>(before);
  }
}

void ReducedLogGPSWriter::clear() {
  arrays_->nodes.clear();
  arrays_->edges.edges.clear();
  arrays_->edges.wide.clear();
}

ReducedLogGPS ReducedLogGPSWriter::finish(std::uint32_t slots) && {
  Spilled* spilled = arrays_->spilled ? &*arrays_->spilled : nullptr;
  ReducedLogGPS result{
      .nodes = all_of<passes::Node>(arrays_->nodes, spilled ? &spilled->nodes : nullptr),
      .edges =
          all_of<passes::LogGPSEdge>(arrays_->edges.edges, spilled ? &spilled->edges : nullptr),
      .wide = arrays_->edges.wide,
      .slots = slots,
      .longest = {},
      .storage = arrays_,
      .spilled = spilled != nullptr};
  const passes::Rates rates[passes::kLanes] = {
      {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  passes::LaneState state(slots);
  passes::loggps_lanes_pass()(result.program(), state.data(), rates);
  const std::int64_t* end = state.lanes(result.nodes.back().target);
  result.longest = {end[0], end[1], static_cast<std::uint32_t>(end[2]),
                    static_cast<std::uint32_t>(end[3])};
  return result;
}

void CountSums::add(const ExecutionGraph& graph) {
  for (std::int32_t r = 0; r < graph.ranks(); ++r) nanoseconds += graph.tail_ns(r);
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      nanoseconds += e.nanoseconds;
      bytes += static_cast<Int128>(e.bytes);
      latencies += e.latencies;
      overheads += e.overheads;
    });
  }
}

CountSums& CountSums::operator+=(const CountSums& o) {
  nanoseconds += o.nanoseconds;
  bytes += o.bytes;
  latencies += o.latencies;
  overheads += o.overheads;
  return *this;
}

bool CountSums::fit() const {
  return nanoseconds < kMostCount && bytes < kMostCount &&
         std::max(latencies, overheads) < kNoVertex;
}

std::optional<ReducedLogGPS> reduce(const ExecutionGraph& graph) {
  if (!sums_fit(graph)) return std::nullopt;
  ReducedLogGPSWriter writer;
  Contraction<LogGPSForm, ReducedLogGPSWriter> contraction(writer);
  contract(graph, contraction, form_of);
  return std::move(writer).finish(contraction.slots());
}

bool PartReduction::add(const ExecutionGraph& graph, const RunPart& part, std::size_t number) {
  sums_.add(graph);
  if (!sums_.fit()) return false;
  const BorderSlots border(graph.ranks(), number);
  Contraction<LogGPSForm, ReducedLogGPSWriter> contraction(lists_, border.count());
  contract_part(graph, contraction, form_of, part, border);
  slots_ = std::max(slots_, contraction.slots());
  return true;
}

ReducedGraph<LinearForm> reduce(const ExecutionGraph& graph, const LinearCost& cost) {
  std::vector<std::int32_t> rank_of;
  if (cost.depends_on_ranks()) rank_of = vertex_ranks(graph);
  ReducedGraph<LinearForm> result;
  LinearSink sink{result};
  Contraction<LinearForm, LinearSink> contraction(sink);
  contract(graph, contraction, [&](const Edge& e, VertexId to) {
    const LinearTerm term =
        rank_of.empty() ? cost.term(e, 0, 0) : cost.term(e, rank_of[e.from], rank_of[to]);
    return LinearForm{term.fixed_ticks, term.multiples};
  });
  result.slots = contraction.slots();
  return result;
}

}  // namespace slackline
