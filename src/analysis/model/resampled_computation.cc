// What varies from run to run is the computation between calls, and the trace holds many
// occurrences of the same computation: those between the same two operations of a rank. A replicate
// draws each occurrence's length from all of them. Drawing every rank for itself would take apart
// what ranks share (a slow iteration is slow for all) and make the slowest rank of each iteration
// slower than it ever was; so all computation with equally many occurrences, which is mostly what
// an iteration has once, draws the same ones: whole iterations, as they were.

#include "analysis/model/resampled_computation.h"

#include <map>
#include <random>

#include "base/arithmetic.h"

namespace slackline {
namespace {

Operation operation_at(const Trace& trace, const ExecutionGraph& graph, VertexId v) {
  const std::int32_t rank = graph.rank(v);
  if (trace.calls(rank).empty() || graph.in_degree(v) == 0) return Operation::none;
  return trace.calls(rank).operation(graph.call(v));
}

}  // namespace

ResampledComputation::ResampledComputation(const Trace& trace, const ExecutionGraph& graph)
    : own_(graph.vertex_count(), 0), contexts_(static_cast<std::size_t>(graph.ranks())) {
  std::vector<std::map<std::pair<Operation, Operation>, std::size_t>> index(contexts_.size());
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  const auto add = [&](VertexId from, Operation end, std::int64_t ns) {
    own_[from] = ns;
    const auto rank = static_cast<std::size_t>(graph.rank(from));
    const std::pair between(operation_at(trace, graph, from), end);
    std::vector<Context>& mine = contexts_[rank];
    const auto [found, is_new] = index[rank].try_emplace(between, mine.size());
    if (is_new) mine.push_back({between, {}});
    mine[found->second].begins.push_back(from);
  };
  for (VertexId v = 0; v < vertices; ++v) {
    if (graph.in_degree(v) == 0 || !graph.on_main_path(v)) continue;
    const Edge e = graph.in_edge(v, 0);
    add(e.from, operation_at(trace, graph, v), e.nanoseconds);
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    add(graph.last_vertex(r), Operation::none, graph.tail_ns(r));
  }
}

std::vector<std::int64_t> ResampledComputation::draw(std::uint64_t seed,
                                                     std::size_t replicate) const {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + replicate);
  std::vector<std::int64_t> drawn = own_;
  std::map<std::size_t, std::vector<std::size_t>> choices;  // one for all of that size
  for (const std::vector<Context>& rank : contexts_) {
    for (const Context& c : rank) {
      std::vector<std::size_t>& chosen = choices[c.begins.size()];
      while (chosen.size() < c.begins.size()) chosen.push_back(random() % c.begins.size());
      for (std::size_t k = 0; k < c.begins.size(); ++k) {
        drawn[c.begins[k]] = own_[c.begins[chosen[k]]];
      }
    }
  }
  return drawn;
}

std::int64_t resampled_ns(const Edge& e, const std::vector<std::int64_t>& own,
                          const std::vector<std::int64_t>& drawn) {
  if (e.kind == EdgeKind::compute) return drawn[e.from];
  const std::int64_t whole = own[e.from];
  if (e.nanoseconds <= 0 || whole <= 0) return e.nanoseconds;
  // Beside the main path, perhaps after a part of the computation.
  return static_cast<std::int64_t>(Int128{e.nanoseconds} * drawn[e.from] / whole);
}

LinearTerm ResampledCost::term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const {
  Edge other = e;
  other.nanoseconds = resampled_ns(e, own_, drawn_);
  return cost_.term(other, from_rank, to_rank);
}

}  // namespace slackline
