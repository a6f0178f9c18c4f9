// Mapping by communication volume, the established way, as a start for the search and as its rival.
//
// Nodes are halved, ranks are divided between the halves so that little traffic crosses, and each
// half goes on by itself. Nodes are halved by their numbers, which follow the topology (pods,
// groups, the slabs of a torus), at the place near the middle where neighbours are farthest apart,
// so that groups stay whole. Ranks are divided by Scotch, with the two halves' slots as sizes.

#include "analysis/placement/scotch_map.h"

#include <scotch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>

#include "base/arithmetic.h"
#include "base/error.h"
#include "timing/network/pair_cost.h"

namespace slackline {
namespace {

/// The traffic among some ranks as Scotch takes graphs: adjacency lists, weights in 1 ... 10^6.
struct Adjacency {
  std::vector<SCOTCH_Num> first{0};
  std::vector<SCOTCH_Num> neighbour;
  std::vector<SCOTCH_Num> weight;
};

class Mapper {
 public:
  Mapper(const Traffic& traffic, TrafficWeight weight, const RouteTable& routes,
         std::int32_t ranks_per_node)
      : routes_(routes),
        ranks_per_node_(ranks_per_node),
        neighbours_(static_cast<std::size_t>(traffic.ranks)),
        node_of_rank_(static_cast<std::size_t>(traffic.ranks), 0) {
    for (const PairSensitivity& p : traffic.pairs) {
      const std::int64_t w = weight == TrafficWeight::messages
                                 ? p.lambda_latency
                                 : saturated_sum(p.lambda_gap_bytes, 1);
      neighbours_[static_cast<std::size_t>(p.from)].push_back({p.to, w});
      neighbours_[static_cast<std::size_t>(p.to)].push_back({p.from, w});
      heaviest_ = std::max(heaviest_, w);
    }
  }

  std::vector<std::int32_t> run(std::int32_t nodes) {
    std::vector<std::int32_t> ranks(node_of_rank_.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    divide(ranks, 0, nodes);
    return node_of_rank_;
  }

 private:
  struct Neighbour {
    std::int32_t rank;
    std::int64_t weight;
  };

  std::int32_t slots(std::int32_t nodes) const { return nodes * ranks_per_node_; }

  /// Puts `ranks` on the nodes [begin, end).
  void divide(const std::vector<std::int32_t>& ranks, std::int32_t begin, std::int32_t end) {
    if (ranks.empty()) return;
    if (end - begin == 1) {
      for (const std::int32_t r : ranks) node_of_rank_[static_cast<std::size_t>(r)] = begin;
      return;
    }
    const std::int32_t middle = cut_between(begin, end);
    const auto count = static_cast<std::int32_t>(ranks.size());
    // Filled in proportion; never more than fits.
    const std::int32_t all = slots(end - begin);
    const auto share = static_cast<std::int32_t>(std::int64_t{count} * slots(middle - begin) / all);
    const std::int32_t left_count =
        std::clamp(share, count - slots(end - middle), slots(middle - begin));
    std::vector<bool> left = bipartition(ranks, left_count);
    std::vector<std::int32_t> sides[2];
    for (std::size_t i = 0; i < ranks.size(); ++i) sides[left[i] ? 0 : 1].push_back(ranks[i]);
    divide(sides[0], begin, middle);
    divide(sides[1], middle, end);
  }

  /// Where neighbours by number are farthest apart, in the middle half; then nearest the middle.
  std::int32_t cut_between(std::int32_t begin, std::int32_t end) const {
    const std::int32_t size = end - begin;
    const std::int32_t centre = begin + (size + 1) / 2;
    std::int32_t best = centre;
    std::int64_t farthest = -1;
    for (std::int32_t distance = 0; distance <= size / 4; ++distance) {
      for (const std::int32_t at : {centre - distance, centre + distance}) {
        if (at <= begin || at >= end) continue;
        const std::int64_t apart = routes_.latency_fs(routes_.kind(at - 1, at));
        if (apart <= farthest) continue;
        farthest = apart;
        best = at;
      }
    }
    return best;
  }

  Adjacency adjacency(const std::vector<std::int32_t>& ranks) const {
    constexpr std::int64_t kHeaviest = 1'000'000;
    const std::int64_t unit = heaviest_ / kHeaviest + 1;
    std::map<std::int32_t, SCOTCH_Num> index;
    for (std::size_t i = 0; i < ranks.size(); ++i) index[ranks[i]] = static_cast<SCOTCH_Num>(i);
    Adjacency a;
    for (const std::int32_t r : ranks) {
      for (const Neighbour& n : neighbours_[static_cast<std::size_t>(r)]) {
        const auto found = index.find(n.rank);
        if (found == index.end()) continue;
        a.neighbour.push_back(found->second);
        a.weight.push_back(static_cast<SCOTCH_Num>(n.weight / unit + 1));
      }
      a.first.push_back(static_cast<SCOTCH_Num>(a.neighbour.size()));
    }
    return a;
  }

  /// Which of `ranks` are on the left, `left_count` of them.
  std::vector<bool> bipartition(const std::vector<std::int32_t>& ranks, std::int32_t left_count) {
    const auto count = static_cast<std::int32_t>(ranks.size());
    std::vector<SCOTCH_Num> part(ranks.size(), 0);
    const Adjacency a = adjacency(ranks);
    if (left_count > 0 && left_count < count && !a.neighbour.empty()) {
      const SCOTCH_Num sizes[2] = {left_count, count - left_count};
      SCOTCH_Graph graph;
      SCOTCH_Arch two;
      SCOTCH_Strat strategy;
      SCOTCH_graphInit(&graph);
      SCOTCH_archInit(&two);
      SCOTCH_stratInit(&strategy);
      SCOTCH_randomSeed(1);
      SCOTCH_randomReset();
      const bool failed =
          SCOTCH_graphBuild(&graph, 0, count, a.first.data(), a.first.data() + 1, nullptr, nullptr,
                            static_cast<SCOTCH_Num>(a.neighbour.size()), a.neighbour.data(),
                            a.weight.data()) != 0 ||
          SCOTCH_archCmpltw(&two, 2, sizes) != 0 ||
          SCOTCH_graphMap(&graph, &two, &strategy, part.data()) != 0;
      SCOTCH_stratExit(&strategy);
      SCOTCH_archExit(&two);
      SCOTCH_graphExit(&graph);
      if (failed) std::ranges::fill(part, 0);
    }
    std::vector<bool> left(ranks.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = part[i] == 0;
    balance(left, left_count, a);
    return left;
  }

  /// Scotch may be off by a few: those go over that lose least by it.
  static void balance(std::vector<bool>& left, std::int32_t left_count, const Adjacency& a) {
    for (;;) {
      const auto now = static_cast<std::int32_t>(std::ranges::count(left, true));
      if (now == left_count) return;
      const bool from_left = now > left_count;
      std::size_t cheapest = left.size();
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] != from_left) continue;
        std::int64_t loss = 0;
        for (SCOTCH_Num e = a.first[i]; e < a.first[i + 1]; ++e) {
          const auto k = static_cast<std::size_t>(e);
          const bool same = left[static_cast<std::size_t>(a.neighbour[k])] == from_left;
          loss += same ? a.weight[k] : -a.weight[k];
        }
        if (loss >= least) continue;
        least = loss;
        cheapest = i;
      }
      left[cheapest] = !from_left;
    }
  }

  const RouteTable& routes_;
  std::int32_t ranks_per_node_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<std::int32_t> node_of_rank_;
  std::int64_t heaviest_ = 1;
};

}  // namespace

Traffic total_traffic(const ExecutionGraph& graph, const std::vector<std::int32_t>& ranks) {
  std::map<std::pair<std::int32_t, std::int32_t>, PairSensitivity> pairs;
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    graph.for_in_edges(v, [&](const Edge& e) {
      if (e.latencies == 0) return;
      const auto [low, high] = std::minmax(ranks[e.from], ranks[v]);
      PairSensitivity& p =
          pairs.try_emplace({low, high}, PairSensitivity{low, high, 0, 0}).first->second;
      p.lambda_latency += e.latencies;
      p.lambda_gap_bytes = saturated_sum(p.lambda_gap_bytes, static_cast<std::int64_t>(e.bytes));
    });
  }
  Traffic traffic{graph.ranks(), {}};
  for (const auto& entry : pairs) traffic.pairs.push_back(entry.second);
  return traffic;
}

std::vector<std::int32_t> scotch_mapping(const Traffic& traffic, TrafficWeight weight,
                                         const RouteTable& routes, std::int32_t nodes,
                                         std::int32_t ranks_per_node) {
  expects(std::int64_t{nodes} * ranks_per_node >= traffic.ranks, "the nodes hold the ranks");
  return Mapper(traffic, weight, routes, ranks_per_node).run(nodes);
}

}  // namespace slackline
