// Whether a placement is worth moving ranks. Both placements are evaluated with the same resampled
// computation, so that the interval of the gain holds what other runs of the program may save, not
// how their lengths vary.

#include <utility>

#include "analysis/model/resampled_computation.h"
#include "analysis/model/sensitivity.h"
#include "analysis/placement/place.h"
#include "base/parallel.h"

namespace slackline {
namespace {

constexpr std::size_t kReplicates = 100;

/// The makespan of each replicate under a placement.
std::vector<double> makespans(const ResampledComputation& computation, const ExecutionGraph& graph,
                              ModelChoice choice, std::vector<std::int32_t> node_of_rank,
                              std::uint64_t seed) {
  choice.pairs = std::make_shared<PairNetwork>(
      PairNetwork{choice.pairs->routes, std::move(node_of_rank), choice.pairs->description});
  std::vector<double> result(kReplicates);
  with_cost(graph, choice, Parameter::latency, [&](const LinearCost& cost) {
    parallel_for(kReplicates, [&](std::size_t i) {
      const std::vector<std::int64_t> drawn = computation.draw(seed, i);
      MakespanFunction makespan(graph, ResampledCost(cost, computation.own(), drawn));
      result[i] = makespan.value_ns(makespan.line_at(makespan.base()), makespan.base());
    });
  });
  return result;
}

Interval resampled_gain(const PlaceResult& r, const Trace& trace, const ExecutionGraph& graph,
                        const ModelChoice& choice, std::uint64_t seed) {
  const ResampledComputation computation(trace, graph);
  std::vector<double> gains = makespans(computation, graph, choice, r.before.node_of_rank, seed);
  const std::vector<double> after =
      makespans(computation, graph, choice, r.best.node_of_rank, seed);
  for (std::size_t i = 0; i < gains.size(); ++i) {
    gains[i] = gains[i] > 0 ? 1 - after[i] / gains[i] : 0;
  }
  return percentile_interval(std::move(gains));
}

}  // namespace

void require_material_gain(PlaceResult& r, const Trace& trace, const ExecutionGraph& graph,
                           const ModelChoice& choice, std::uint64_t seed) {
  if (!r.improved()) return;
  if (r.gain_of(r.best) >= kMaterialGain) {
    r.gain = resampled_gain(r, trace, graph, choice, seed);
    if (r.gain->low > 0) return;
  }
  r.rivals.push_back(std::exchange(r.best, r.before));
}

}  // namespace slackline
