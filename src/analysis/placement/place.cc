// Rank placement by the critical path.
//
// LLAMP's heuristic (appendix J, Algorithm 3): compute the makespan and the pairwise sensitivities
// under the present placement; of all swaps of two ranks take the one that shortens the present
// critical path most; stop when the makespan gets no smaller, or no swap promises anything. It ends
// early, because another path as long as the first often takes over, and one failed swap stops it.
//
// Here the same gains are used, but
// - several swaps that share no rank are made at once, and half of them again while that is worse;
// - after a failure the next best swaps are tried, not only the first;
// - where many paths are equally long, a placement with the same makespan and less total cost of
//   all messages is a step as well: it clears one of those paths after the other;
// - it starts from several placements (today's, block, cyclic, and what Scotch makes of the traffic
//   in messages and in bytes), and again from the best after random swaps ("kicks").
//
// The gain of a swap is how much shorter today's critical path becomes, and the makespan is no
// shorter than that path. So when no swap has a gain, no swap improves: such a placement is a local
// optimum, and that is reported. A placement counts only once its makespan has been computed.

#include "analysis/placement/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "analysis/placement/evaluate.h"
#include "analysis/placement/scotch_map.h"
#include "base/error.h"
#include "base/units.h"
#include "timing/network/node_placement.h"

namespace slackline {
namespace {

constexpr std::size_t kTriedAfterFailure = 24;
constexpr std::size_t kMostAtOnce = 64;

struct Swap {
  Int128 gain;
  std::int32_t a;
  std::int32_t b;
};

void apply(SlotAssignment& slots, const Swap& swap) {
  std::swap(slots.node_of[static_cast<std::size_t>(swap.a)],
            slots.node_of[static_cast<std::size_t>(swap.b)]);
}

/// A placement with all that is known of it.
struct State {
  SlotAssignment slots;
  Evaluated evaluated;
  Int128 traffic_cost = 0;

  bool better_than(const State& o) const {
    if (evaluated.makespan_fs != o.evaluated.makespan_fs) {
      return evaluated.makespan_fs < o.evaluated.makespan_fs;
    }
    return traffic_cost < o.traffic_cost;
  }
};

class Search {
 public:
  Search(const ExecutionGraph& graph, const ModelChoice& choice, const PlaceOptions& options)
      : evaluator_(graph, choice),
        options_(options),
        traffic_(total_traffic(graph, vertex_ranks(graph))),
        random_(options.seed) {}

  bool exhausted() const { return evaluator_.evaluations() >= options_.evaluations; }
  PlacementEvaluator& evaluator() { return evaluator_; }
  const Traffic& traffic() const { return traffic_; }

  State state(SlotAssignment slots) {
    State s;
    s.evaluated = evaluator_.evaluate(slots);
    for (const PairSensitivity& p : traffic_.pairs) {
      s.traffic_cost += evaluator_.pair_cost(p, slots.node_of[static_cast<std::size_t>(p.from)],
                                             slots.node_of[static_cast<std::size_t>(p.to)]);
    }
    s.slots = std::move(slots);
    return s;
  }

  /// LLAMP's heuristic as it stands in the paper.
  State published(State s) {
    while (!exhausted()) {
      const std::vector<Swap> swaps = promising(s);
      if (swaps.empty()) break;
      State next = after(s, {swaps.front()});
      if (next.evaluated.makespan_fs >= s.evaluated.makespan_fs) break;
      s = std::move(next);
    }
    return s;
  }

  State descend(State s) {
    while (!exhausted()) {
      const std::vector<Swap> swaps = promising(s);
      if (swaps.empty() || !step(s, swaps)) break;
    }
    return s;
  }

  State kicked(const State& s) {
    SlotAssignment slots = s.slots;
    const std::size_t most = std::max<std::size_t>(2, slots.node_of.size() / 8);
    for (std::size_t k = 2 + below(most); k > 0; --k) {
      apply(slots, {0, static_cast<std::int32_t>(below(slots.node_of.size())),
                    static_cast<std::int32_t>(below(slots.node_of.size()))});
    }
    return state(std::move(slots));
  }

  /// All swaps that shorten the critical path, best first.
  std::vector<Swap> promising(const State& s) const {
    std::vector<std::vector<PairSensitivity>> touching(static_cast<std::size_t>(s.slots.ranks));
    for (const PairSensitivity& p : s.evaluated.pairs) {
      touching[static_cast<std::size_t>(p.from)].push_back(p);
      touching[static_cast<std::size_t>(p.to)].push_back(p);
    }
    std::vector<Swap> swaps;
    const auto slots = static_cast<std::int32_t>(s.slots.node_of.size());
    for (std::int32_t a = 0; a < s.slots.ranks; ++a) {
      if (touching[static_cast<std::size_t>(a)].empty()) continue;
      for (std::int32_t b = 0; b < slots; ++b) {
        const bool on_path = b < s.slots.ranks && !touching[static_cast<std::size_t>(b)].empty();
        if (on_path && b <= a) continue;  // seen from the other side
        if (s.slots.node_of[static_cast<std::size_t>(a)] ==
            s.slots.node_of[static_cast<std::size_t>(b)]) {
          continue;
        }
        const Int128 gain = evaluator_.swap_gain(s.slots, a, b, touching);
        if (gain > 0) swaps.push_back({gain, a, b});
      }
    }
    std::ranges::stable_sort(swaps, std::greater{}, &Swap::gain);
    return swaps;
  }

 private:
  State after(const State& s, const std::vector<Swap>& swaps) {
    SlotAssignment slots = s.slots;
    for (const Swap& swap : swaps) apply(slots, swap);
    return state(std::move(slots));
  }

  /// Takes the first improvement: several swaps at once, then fewer, then single ones.
  bool step(State& s, const std::vector<Swap>& swaps) {
    for (std::vector<Swap> some = disjoint(swaps); some.size() > 1; some.resize(some.size() / 2)) {
      if (take_if_better(s, some)) return true;
      if (exhausted()) return false;
    }
    for (std::size_t i = 0; i < std::min(swaps.size(), kTriedAfterFailure); ++i) {
      if (take_if_better(s, {swaps[i]})) return true;
      if (exhausted()) return false;
    }
    return false;
  }

  bool take_if_better(State& s, const std::vector<Swap>& swaps) {
    State next = after(s, swaps);
    if (!next.better_than(s)) return false;
    s = std::move(next);
    return true;
  }

  static std::vector<Swap> disjoint(const std::vector<Swap>& swaps) {
    std::vector<Swap> chosen;
    std::vector<std::int32_t> used;
    for (const Swap& swap : swaps) {
      if (chosen.size() == kMostAtOnce) break;
      if (std::ranges::find(used, swap.a) != used.end() ||
          std::ranges::find(used, swap.b) != used.end()) {
        continue;
      }
      chosen.push_back(swap);
      used.insert(used.end(), {swap.a, swap.b});
    }
    return chosen;
  }

  /// Not a std distribution: the same numbers with every standard library.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  PlacementEvaluator evaluator_;
  PlaceOptions options_;
  Traffic traffic_;
  std::mt19937_64 random_;
};

/// Fills every node up to `capacity` with free slots.
SlotAssignment with_free_slots(const std::vector<std::int32_t>& node_of_rank, std::int32_t nodes,
                               std::int32_t capacity) {
  std::vector<std::int32_t> used(static_cast<std::size_t>(nodes), 0);
  for (const std::int32_t node : node_of_rank) ++used[static_cast<std::size_t>(node)];
  SlotAssignment slots{node_of_rank, static_cast<std::int32_t>(node_of_rank.size())};
  for (std::int32_t node = 0; node < nodes; ++node) {
    for (std::int32_t k = used[static_cast<std::size_t>(node)]; k < capacity; ++k) {
      slots.node_of.push_back(node);
    }
  }
  return slots;
}

/// Slots a node: as asked for, or as today's fullest node has them.
std::int32_t capacity_of(const PairNetwork& network, std::int32_t nodes,
                         std::int32_t ranks_per_node) {
  std::vector<std::int32_t> used(static_cast<std::size_t>(nodes), 0);
  for (const std::int32_t node : network.node_of_rank) ++used[static_cast<std::size_t>(node)];
  return std::max(ranks_per_node, *std::ranges::max_element(used));
}

std::int32_t nodes_of(const PairNetwork& network, const PlaceOptions& options) {
  const std::int32_t needed = 1 + *std::ranges::max_element(network.node_of_rank);
  const std::int32_t nodes = std::max(options.nodes, needed);
  if (nodes > network.routes->nodes()) {
    throw usage_error(fmt::format("cannot place ranks on {} nodes", nodes),
                      fmt::format("the network has {}", network.routes->nodes()),
                      "Name fewer hosts or a larger topology.");
  }
  return nodes;
}

PlacedRun to_run(std::string name, const State& s) {
  return {std::move(name), s.slots.node_of_rank(),
          static_cast<double>(s.evaluated.makespan_fs) / static_cast<double>(kFemtosPerNano)};
}

}  // namespace

PlaceResult place_ranks(const ExecutionGraph& graph, const ModelChoice& choice,
                        const PlaceOptions& options) {
  expects(choice.pairs != nullptr, "a placement needs a network whose pairs differ");
  const PairNetwork& network = *choice.pairs;
  const std::int32_t nodes = nodes_of(network, options);
  const std::int32_t capacity = capacity_of(network, nodes, options.ranks_per_node);
  Search search(graph, choice, options);
  PlaceResult result;
  result.lower_bound_ns = static_cast<double>(search.evaluator().lower_bound_fs(capacity > 1)) /
                          static_cast<double>(kFemtosPerNano);

  const auto start = [&](const std::vector<std::int32_t>& node_of_rank) {
    return search.state(with_free_slots(node_of_rank, nodes, capacity));
  };
  const State today = start(network.node_of_rank);
  result.before = to_run("current", today);
  result.rivals.push_back(
      to_run("LLAMP swaps from the current placement", search.published(today)));

  struct Start {
    std::string name;
    std::vector<std::int32_t> node_of_rank;
  };
  std::vector<Start> starts;
  if (options.scotch) {
    for (const auto& [weight, name] : {std::pair(TrafficWeight::messages, "Scotch, by messages"),
                                       std::pair(TrafficWeight::bytes, "Scotch, by bytes")}) {
      starts.push_back(
          {name, scotch_mapping(search.traffic(), weight, *network.routes, nodes, capacity)});
    }
  }
  starts.push_back({"block", block_placement(graph.ranks(), capacity)});
  starts.push_back({"cyclic", cyclic_placement(graph.ranks(), capacity)});

  State best = search.descend(today);
  for (const Start& s : starts) {
    const State found = start(s.node_of_rank);
    result.rivals.push_back(to_run(s.name, found));
    State refined = search.descend(found);
    if (refined.better_than(best)) best = std::move(refined);
  }
  for (; result.restarts < options.restarts && !search.exhausted(); ++result.restarts) {
    State again = search.descend(search.kicked(best));
    if (again.better_than(best)) best = std::move(again);
  }

  const bool improved = best.evaluated.makespan_fs < today.evaluated.makespan_fs;
  result.best = improved ? to_run("found", best) : result.before;
  result.local_optimum = search.promising(improved ? best : today).empty();
  result.evaluations = search.evaluator().evaluations();
  return result;
}

}  // namespace slackline
