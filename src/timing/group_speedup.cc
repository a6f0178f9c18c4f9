// Which path is longest when one group's costs shrink, for eight groups at a time.
//
// A reduced graph for one group alone would be smaller, but takes some hundred passes to make. This
// one serves all groups. What eight of them need of it is written down once: of each edge the parts
// that any of these groups has, those of the same groups added up. A pass carries not T but the
// path's two coefficients, so its result is a line; where T alone is wanted, one number will do.

#include "timing/group_speedup.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

constexpr std::size_t kLanes = passes::kLanes;
constexpr double kMostExact = 0x1p53;

/// As many vectors of doubles as asked for, all zero, aligned as vectors want them.
class LaneNumbers {
 public:
  explicit LaneNumbers(std::size_t vectors) : vectors_(vectors) {}
  double* data() { return vectors_.front().values; }

 private:
  struct alignas(64) Vector {
    double values[kLanes] = {};
  };
  std::vector<Vector> vectors_;
};

/// Which lanes' groups have each owner, one bit a lane.
std::vector<std::uint32_t> lanes_by_owner(std::span<const CostGroup> groups, std::size_t owners) {
  std::vector<std::uint32_t> lanes(owners, 0);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    for (const std::uint32_t owner : groups[k].owners) {
      if (owner < owners) lanes[owner] |= std::uint32_t{1} << k;
    }
  }
  return lanes;
}

/// Adds up parts of the same lanes in [first, last); the new end.
template <class Part>
Part merged(Part first, Part last) {
  Part end = first;
  for (Part part = first; part != last; ++part) {
    const Part same =
        std::find_if(first, end, [&](const auto& p) { return p.lanes == part->lanes; });
    if (same == end) {
      *end++ = *part;
    } else {
      same->ticks += part->ticks;
    }
  }
  return end;
}

}  // namespace

GroupSpeedup::GroupSpeedup(const AttributedGraph& graph, std::span<const CostGroup> groups)
    : graph_(graph), count_(groups.size()) {
  expects(static_cast<double>(graph.most_ticks) < kMostExact, "a path has fewer than 2^53 ticks");
  expects(!groups.empty() && groups.size() <= kMost, "one group a lane");
  edges_.resize(graph.ticks.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    edges_[e] = {graph.ticks[e], graph.sources[e], 0};
  }
  add_parts(groups);
}

/// Sorts the parts of the groups' owners by edge, and adds up what can be.
void GroupSpeedup::add_parts(std::span<const CostGroup> groups) {
  const AttributedGraph::Parts& all = graph_.by_kind[static_cast<std::size_t>(groups[0].kind)];
  const std::size_t owners = all.first_of_owner.size() - 1;
  const std::vector<std::uint32_t> lanes = lanes_by_owner(groups, owners);
  const auto for_parts = [&](auto use) {
    for (std::size_t owner = 0; owner < owners; ++owner) {
      if (lanes[owner] == 0) continue;
      for (std::size_t i = all.first_of_owner[owner]; i < all.first_of_owner[owner + 1]; ++i) {
        use(all.of_owners[i], lanes[owner]);
      }
    }
  };
  for_parts(
      [&](const AttributedGraph::EdgePart& part, std::uint32_t) { ++edges_[part.edge].parts; });
  std::vector<std::size_t> next(edges_.size());
  std::size_t sum = 0;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    next[e] = sum;
    sum += edges_[e].parts;
  }
  parts_.resize(sum);
  for_parts([&](const AttributedGraph::EdgePart& part, std::uint32_t of) {
    parts_[next[part.edge]++] = {part.ticks, of};
  });
  auto end = parts_.begin();
  auto first = parts_.begin();
  for (passes::GroupEdge& e : edges_) {
    const auto last = first + e.parts;
    const auto kept = e.parts < 2 ? last : merged(first, last);
    e.parts = static_cast<std::uint32_t>(kept - first);
    end = end == first ? kept : std::copy(first, kept, end);
    first = last;
  }
  parts_.erase(end, parts_.end());
}

passes::GroupLanes GroupSpeedup::lanes(const Reductions& reductions, Side side) const {
  passes::GroupLanes lanes{.q = {}, .p = {}, .tie = {}, .exact = true};
  std::ranges::fill(lanes.q, 1.0);
  for (std::size_t k = 0; k < count_; ++k) {
    lanes.q[k] = static_cast<double>(reductions[k].denominator);
    lanes.p[k] = static_cast<double>(reductions[k].numerator);
    lanes.tie[k] = side == Side::left ? 1 : -1;
    expects(lanes.q[k] < kMostExact && lanes.p[k] >= 0 && lanes.p[k] <= lanes.q[k],
            "a reduction is a share");
    lanes.exact = lanes.exact && lanes.q[k] * static_cast<double>(graph_.most_ticks) < kMostExact;
  }
  return lanes;
}

GroupSpeedup::Paths GroupSpeedup::run(const passes::GroupLanes& lanes,
                                      std::uint32_t* decided) const {
  LaneNumbers state(2 * std::size_t{graph_.slots});
  passes::group_passes().paths(program(), lanes, state.data(), decided);
  const double* end = state.data() + 2 * kLanes * graph_.nodes.back().target;
  Paths paths;
  for (std::size_t k = 0; k < count_; ++k) {
    paths[k] = {static_cast<std::int64_t>(end[k]), static_cast<std::int64_t>(end[kLanes + k])};
  }
  return paths;
}

GroupSpeedup::Paths GroupSpeedup::paths_at(const Reductions& reductions, Side side) const {
  return run(lanes(reductions, side), nullptr);
}

GroupSpeedup::Paths GroupSpeedup::paths_at(const Reductions& reductions, Side side,
                                           std::array<PathComposition, kMost>& compositions) const {
  std::vector<std::uint32_t> decided(graph_.nodes.size() * kLanes);
  const Paths paths = run(lanes(reductions, side), decided.data());
  for (std::size_t k = 0; k < count_; ++k) compositions[k] = composition(decided.data(), k);
  return paths;
}

std::array<Int128, GroupSpeedup::kMost> GroupSpeedup::lengths_at(const Ticks& reduction) const {
  Reductions same;
  same.fill(reduction);
  const passes::GroupLanes asked = lanes(same, Side::right);
  std::array<Int128, kMost> lengths{};
  if (!asked.exact) {
    const Paths paths = run(asked, nullptr);
    for (std::size_t k = 0; k < count_; ++k) {
      lengths[k] =
          reduction.denominator * paths[k].ticks - reduction.numerator * paths[k].group_ticks;
    }
    return lengths;
  }
  LaneNumbers state(graph_.slots);
  passes::group_passes().lengths(program(), asked, state.data());
  const double* end = state.data() + kLanes * graph_.nodes.back().target;
  for (std::size_t k = 0; k < count_; ++k) lengths[k] = static_cast<std::int64_t>(end[k]);
  return lengths;
}

PathComposition GroupSpeedup::composition(const std::uint32_t* decided, std::size_t lane) const {
  PathComposition ticks;
  for (std::size_t kind = 0; kind < ticks.size(); ++kind) {
    ticks[kind].resize(graph_.by_kind[kind].first_of_owner.size() - 1);
  }
  auto node = static_cast<std::uint32_t>(graph_.nodes.size() - 1);
  while (node != AttributedGraph::kStart) {
    const std::size_t edge = graph_.first_edge[node] + decided[std::size_t{node} * kLanes + lane];
    for (std::size_t kind = 0; kind < ticks.size(); ++kind) {
      const AttributedGraph::Parts& all = graph_.by_kind[kind];
      for (std::size_t i = all.first_of_edge[edge]; i < all.first_of_edge[edge + 1]; ++i) {
        ticks[kind][all.of_edges[i].owner] += static_cast<std::int64_t>(all.of_edges[i].ticks);
      }
    }
    node = graph_.source_node[edge];
  }
  return ticks;
}

}  // namespace slackline
