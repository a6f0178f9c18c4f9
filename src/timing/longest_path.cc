// The matrices of pairwise sensitivities from one path.
//
// The makespan is the length of the longest path, so its derivative by L[i][j] is the number of
// times that this path crosses from i to j, and by G[i][j] the bytes that it carries. One pass that
// remembers the deciding edge of each vertex, and one walk back, give all entries at once; LLAMP
// reads the same numbers as reduced costs from its linear program (appendix I).

#include "timing/longest_path.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/arithmetic.h"
#include "timing/network/pair_cost.h"

namespace slackline {
namespace {

struct ReachedPath {
  Int128 fs = -1;
  std::uint32_t crossings = 0;

  bool operator<(const ReachedPath& o) const {
    return fs != o.fs ? fs < o.fs : crossings < o.crossings;
  }
};

}  // namespace

LongestPath longest_path(const ExecutionGraph& graph, const std::vector<std::int32_t>& ranks,
                         const LinearCost& cost) {
  const Int128 base = cost.base_fs();
  const Int128 tick = cost.tick_fs();
  // In femtoseconds: the base value need not be whole in ticks.
  const auto price = [&](const LinearTerm& t) { return t.fixed_ticks * tick + t.multiples * base; };
  LongestPath path;
  path.decided_by.assign(graph.vertex_count(), std::numeric_limits<std::uint32_t>::max());
  std::vector<ReachedPath> reached(graph.vertex_count());
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    ReachedPath best;
    std::uint32_t k = 0;
    graph.for_in_edges(v, [&](const Edge& e) {
      const ReachedPath r{reached[e.from].fs + price(cost.term(e, ranks[e.from], ranks[v])),
                          reached[e.from].crossings + e.latencies};
      if (best < r) {
        best = r;
        path.decided_by[v] = k;
      }
      ++k;
    });
    reached[v] = k == 0 ? ReachedPath{0, 0} : best;
  }
  ReachedPath last;
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    const Edge tail = graph.tail(r);
    const ReachedPath& before = reached[tail.from];
    const ReachedPath end{before.fs + price(cost.term(tail, r, r)), before.crossings};
    if (last < end) {
      last = end;
      path.last_rank = r;
    }
  }
  path.length_fs = last.fs;
  return path;
}

std::vector<PairSensitivity> pair_sensitivities(const ExecutionGraph& graph,
                                                const std::vector<std::int32_t>& ranks,
                                                const LongestPath& path) {
  std::map<std::pair<std::int32_t, std::int32_t>, PairSensitivity> pairs;
  walk_path(graph, path, [&](const Edge& e, VertexId to) {
    if (e.latencies == 0 && e.bytes == 0) return;
    const RankPair p = graph.pair_of(e, ranks[e.from], ranks[to]);
    PairSensitivity& s =
        pairs.try_emplace({p.from, p.to}, PairSensitivity{p.from, p.to, 0, 0}).first->second;
    s.lambda_latency += e.latencies;
    s.lambda_gap_bytes = saturated_sum(s.lambda_gap_bytes, multiples(e, Parameter::gap_per_byte));
  });
  std::vector<PairSensitivity> result;
  for (const auto& entry : pairs) result.push_back(entry.second);
  std::ranges::stable_sort(result, [](const PairSensitivity& a, const PairSensitivity& b) {
    return a.lambda_latency != b.lambda_latency ? a.lambda_latency > b.lambda_latency
                                                : a.lambda_gap_bytes > b.lambda_gap_bytes;
  });
  return result;
}

}  // namespace slackline
