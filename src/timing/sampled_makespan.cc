// Longest paths of many runs that differ in their computation and their messages.
//
// What the runs have in common is the graph. So it is contracted once for eight of them, with forms
// that hold the costs of all eight, of which a term goes only if another dominates it in every run;
// and a pass over what remains gives eight makespans. Beside a reduction and a pass for each run
// that saves seven of eight walks over the graph, and the maxima are vector instructions.
//
// The largest x within a bound is found by Newton's iteration from the right, all runs together,
// each at its own x: a line of the convex T reaches the bound at the solution or right of it, and
// lines are finitely many.

#include "timing/sampled_makespan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/units.h"
#include "timing/reduction/graph_contraction.h"

namespace slackline {
namespace {

constexpr double kFarthest_ns = kNanosPerSecond;
constexpr double kRounding = 1e-12;
constexpr int kMostSteps = 100;

/// Cost of a chain of edges in each of the runs: fixed_ns + multiples * x.
struct SampledForm {
  Lanes fixed_ns{};
  double multiples = 0;

  SampledForm& operator+=(const SampledForm& o) {
    for (std::size_t k = 0; k < fixed_ns.size(); ++k) fixed_ns[k] += o.fixed_ns[k];
    multiples += o.multiples;
    return *this;
  }
  bool dominates(const SampledForm& o) const {
    bool none_less = multiples >= o.multiples;
    for (std::size_t k = 0; k < fixed_ns.size(); ++k) none_less &= fixed_ns[k] >= o.fixed_ns[k];
    return none_less;
  }
};

struct SampledSink {
  std::vector<passes::Node>& nodes;
  std::vector<passes::SampledEdge>& edges;

  void edge(std::uint32_t slot, const SampledForm& form) {
    edges.push_back({.fixed = {}, .multiples = form.multiples, .source = slot});
    std::ranges::copy(form.fixed_ns, edges.back().fixed);
  }
  void node(std::uint32_t slot, std::uint32_t count) { nodes.push_back({slot, count}); }
};

Lanes all(double value) {
  Lanes lanes;
  lanes.fill(value);
  return lanes;
}

}  // namespace

SampledMakespan::SampledMakespan(const ExecutionGraph& graph, const LinearCost& cost,
                                 const std::function<void(const Edge&, Lanes&)>& add) {
  const double ns_per_tick = ns_of_fs(cost.tick_fs());
  std::vector<std::int32_t> rank_of;
  if (cost.depends_on_ranks()) rank_of = vertex_ranks(graph);
  SampledSink sink{nodes_, edges_};
  Contraction<SampledForm, SampledSink> contraction(sink);
  contract(graph, contraction, [&](const Edge& e, VertexId to) {
    const LinearTerm term =
        rank_of.empty() ? cost.term(e, 0, 0) : cost.term(e, rank_of[e.from], rank_of[to]);
    SampledForm form{all(static_cast<double>(term.fixed_ticks) * ns_per_tick),
                     static_cast<double>(term.multiples)};
    add(e, form.fixed_ns);
    return form;
  });
  slots_ = contraction.slots();
}

SampledMakespan::Lines SampledMakespan::at(const Lanes& x_ns) const {
  struct alignas(64) Slot {
    Lines lines{};
  };
  std::vector<Slot> state(slots_);
  passes::sampled_pass()({nodes_.data(), nodes_.size(), edges_.data()},
                         state.front().lines.makespan_ns.data(), x_ns.data());
  return state[nodes_.back().target].lines;
}

Lanes SampledMakespan::largest_within(double bound_ns, const Lanes& beyond) const {
  Lanes x = beyond;
  for (double& value : x) value = std::min(value, kFarthest_ns);
  bool moved = true;
  for (int step = 0; moved && step < kMostSteps; ++step) {
    const Lines lines = at(x);
    moved = false;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double over = lines.makespan_ns[k] - bound_ns;
      if (over <= 0 || x[k] < 0) continue;
      const double next = lines.slope[k] > 0 ? x[k] - over / lines.slope[k] : -kFarthest_ns;
      moved = moved || next < x[k] * (1 - kRounding);
      // T begins at 0: only there can a bound turn out to lie below all of it.
      x[k] = x[k] > 0 ? std::max(0.0, next) : next;
    }
  }
  for (double& value : x) {
    if (value == kFarthest_ns) value = std::numeric_limits<double>::infinity();
  }
  return x;
}

Lanes SampledMakespan::largest_within(double bound_ns) const {
  return largest_within(bound_ns, all(kFarthest_ns));
}

}  // namespace slackline
