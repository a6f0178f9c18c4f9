#include "property/planted_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>

namespace slackline::testing {
namespace {

constexpr std::size_t kFewestInPhase = 6;

/// Draws plans.
class Planner {
 public:
  explicit Planner(std::uint64_t seed) : random_(seed * 7919 + 17) {}

  template <class T>
  T element(std::initializer_list<T> of) {
    return of.begin()[random_() % of.size()];
  }
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  RunPlan plain() {
    RunPlan run;
    run.ranks = element<std::int32_t>({2, 3, 4, 8, 13, 16, 32, 64});
    LoopPlan& p = run.loops.emplace_back();
    p.iterations = element<std::size_t>({20, 42, 60, 84, 120, 168, 250, 400});
    p.shape = static_cast<IterationShape>(below(6));
    p.communication_ns = kComputation_ns * uniform(0.08, 0.25);
    p.sigma = element<double>({0, 0.005, 0.01, 0.02, 0.05, 0.1});
    p.noise = element<Noise>(
        {Noise::independent, Noise::independent, Noise::long_tails, Noise::drifting});
    p.prologue_ns = element<double>({0, 1'000, 500'000, 5'000'000});
    spread(p, run.ranks);
    add_phases(p, run.ranks);
    add_outliers(p);
    return run;
  }

  /// One phase, few ranks, and moderate noise.
  RunPlan steady() {
    RunPlan run;
    run.ranks = element<std::int32_t>({2, 3, 4, 8, 16});
    run.loops.push_back(steady_loop(run.ranks));
    return run;
  }
  LoopPlan steady_loop(std::int32_t ranks) {
    LoopPlan p;
    p.iterations = element<std::size_t>({40, 60, 100, 160});
    p.shape = element({IterationShape::reduction, IterationShape::ring, IterationShape::halo,
                       IterationShape::neighbours_only});
    p.places = element({CallPlaces::unknown, CallPlaces::regions, CallPlaces::functions});
    p.communication_ns = kComputation_ns * uniform(0.08, 0.25);
    p.sigma = element<double>({0.005, 0.01, 0.02, 0.05});
    p.prologue_ns = element<double>({0, 1'000, 500'000});
    spread(p, ranks);
    only_phase(p, ranks);
    return p;
  }

  /// As many phases as fit.
  void add_phases(LoopPlan& p, std::int32_t ranks) {
    const std::size_t most = std::min<std::size_t>(5, p.iterations / (2 * kFewestInPhase));
    const std::size_t count = below(4) == 0 ? 1 : 1 + below(most);
    add_phases(p, ranks, count);
  }
  void add_phases(LoopPlan& p, std::int32_t ranks, std::size_t count) {
    std::vector<std::size_t> begins{0};
    const std::size_t spare = p.iterations - count * kFewestInPhase;
    std::vector<std::size_t> cuts;
    for (std::size_t i = 1; i < count; ++i) cuts.push_back(below(spare + 1));
    std::ranges::sort(cuts);
    for (std::size_t i = 1; i < count; ++i) begins.push_back(cuts[i - 1] + i * kFewestInPhase);
    p.phases.clear();
    int kind = -1;
    for (const std::size_t begin : begins) {
      LoopPhase phase{.begin = begin,
                      .computation = std::vector<double>(static_cast<std::size_t>(ranks), 1)};
      // No two phases that follow each other are of one kind.
      const int next =
          kind == -1 ? static_cast<int>(below(5)) : (kind + 1 + static_cast<int>(below(4))) % 5;
      kind = next == 3 && ranks < 4 ? (kind == 1 ? 0 : 1) : next;
      const double factor = std::exp(std::max(uniform(0.2, 0.9), 4 * p.sigma));
      const auto one = static_cast<std::size_t>(below(static_cast<std::uint64_t>(ranks)));
      if (kind == 1) std::ranges::fill(phase.computation, factor);
      if (kind == 2) phase.computation[one] = factor;
      if (kind == 3) {
        for (std::size_t r = 0; r < phase.computation.size(); r += 2) phase.computation[r] = factor;
      }
      if (kind == 4) phase.communication = uniform(4, 8);
      p.phases.push_back(std::move(phase));
    }
  }
  /// All ranks, or one, compute longer from one iteration on, between the fifths of the loop.
  void add_slowdown(LoopPlan& p, std::int32_t ranks) {
    LoopPhase phase = p.phases.back();
    phase.begin = p.iterations / 5 + below(std::max<std::uint64_t>(1, p.iterations * 3 / 5));
    phase.begin = std::clamp<std::size_t>(phase.begin, 5, p.iterations - 5);
    const double factor = std::exp(std::max(uniform(0.25, 0.7), 4 * p.sigma));
    if (below(2) == 0) {
      for (double& c : phase.computation) c *= factor;
    } else {
      phase.computation[below(static_cast<std::uint64_t>(ranks))] *= factor;
    }
    p.phases.push_back(std::move(phase));
  }
  void add_outliers(LoopPlan& p) {
    if (p.shape == IterationShape::neighbours_only) return;
    p.outlier_factor = uniform(4, 6);
    for (std::uint64_t i = below(4); i > 0; --i) {
      const std::size_t at = below(p.iterations);
      const bool clear =
          std::ranges::all_of(p.phases,
                              [&](const LoopPhase& f) {
                                return at + 4 <= f.begin || at >= f.begin + 4 || f.begin == 0;
                              }) &&
          std::ranges::all_of(p.outliers,
                              [&](std::size_t o) { return at + 4 <= o || o + 4 <= at; });
      if (clear && at >= 3 && at + 3 < p.iterations) p.outliers.push_back(at);
    }
    std::ranges::sort(p.outliers);
  }
  /// Up to three times the first computation at the last iteration.
  void add_growth(LoopPlan& p, std::int32_t ranks) {
    const auto steps = static_cast<double>(p.iterations);
    const double at_end = uniform(0.2, 2);
    p.exponential = below(2) == 0;
    p.growth = p.exponential ? std::pow(1 + at_end, 1 / steps) - 1 : at_end / steps;
    if (below(4) == 0) p.growth = (below(2) == 0 ? -0.5 : -0.3) / steps;
    if (below(3) == 0)
      p.growing_rank = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(ranks)));
  }

 private:
  void spread(LoopPlan& p, std::int32_t ranks) {
    for (std::int32_t r = 0; r < ranks; ++r) p.base.push_back(uniform(0.9, 1.1));
  }
  static void only_phase(LoopPlan& p, std::int32_t ranks) {
    p.phases = {{.computation = std::vector<double>(static_cast<std::size_t>(ranks), 1)}};
  }

  std::mt19937_64 random_;
};

/// The run of a plan; what was planted is that of the last loop.
PlantedRun run_of(const RunPlan& plan, std::uint64_t seed) {
  ExecutedPlan executed = execute(plan, seed);
  const LoopPlan& loop = plan.loops.back();
  PlantedRun run;
  run.trace = std::move(executed.trace);
  run.begin_ns = std::move(executed.begin_ns.back());
  run.iterations = loop.iterations;
  run.outliers = loop.outliers;
  for (std::size_t i = 1; i < loop.phases.size(); ++i) run.changes.push_back(loop.phases[i].begin);
  run.shape = fmt::format("{} ranks, {} iterations of shape {}, noise {} of kind {}, places {}",
                          plan.ranks, loop.iterations, static_cast<int>(loop.shape), loop.sigma,
                          static_cast<int>(loop.noise), static_cast<int>(loop.places));
  return run;
}

/// A steady run to which `change` adds something; every other one has a slowdown, too, if asked.
template <class Change>
PlantedRun changed_run(std::uint64_t seed, bool slowdowns, Change change) {
  Planner planner(seed);
  RunPlan run = planner.steady();
  change(planner, run);
  if (slowdowns) planner.add_slowdown(run.loops.back(), run.ranks);
  return run_of(run, seed);
}

CallPlaces known_places(Planner& planner) {
  return planner.element({CallPlaces::regions, CallPlaces::functions});
}

PlantedRun noise_only(std::uint64_t seed) {
  return changed_run(seed, false, [](Planner& planner, RunPlan& run) {
    LoopPlan& p = run.loops.back();
    p.sigma = planner.element({0.01, 0.05, 0.1, 0.2});
    p.noise = planner.element({Noise::independent, Noise::long_tails, Noise::drifting});
  });
}
void add_spikes(Planner& planner, RunPlan& run) {
  LoopPlan& p = run.loops.back();
  p.iterations = planner.element<std::size_t>({60, 160, 300});
  p.noise = Noise::spikes;
}
PlantedRun spikes_only(std::uint64_t seed) {
  return changed_run(seed, false, add_spikes);
}
PlantedRun spikes_and_slowdown(std::uint64_t seed) {
  return changed_run(seed, true, add_spikes);
}

void add_growth(Planner& planner, RunPlan& run) {
  planner.add_growth(run.loops.back(), run.ranks);
}
PlantedRun growth_only(std::uint64_t seed) {
  return changed_run(seed, false, add_growth);
}
PlantedRun growth_and_slowdown(std::uint64_t seed) {
  return changed_run(seed, true, add_growth);
}

void add_rounds(Planner& planner, RunPlan& run) {
  LoopPlan& p = run.loops.back();
  p.shape = IterationShape::inner_loop;
  p.least_rounds = 5;
  p.most_rounds = 25;
  p.round_computation = planner.element({0.01, 0.05, 0.2});
}
PlantedRun rounds_only(std::uint64_t seed) {
  return changed_run(seed, false, add_rounds);
}
PlantedRun rounds_and_slowdown(std::uint64_t seed) {
  return changed_run(seed, true, [](Planner& planner, RunPlan& run) {
    add_rounds(planner, run);
    LoopPlan& p = run.loops.back();
    p.phases_of_rounds = planner.below(2) == 0;
    p.round_computation = p.phases_of_rounds ? 0.2 : 0.01;
  });
}
PlantedRun residual(std::uint64_t seed) {
  return changed_run(seed, true, [](Planner& planner, RunPlan& run) {
    add_rounds(planner, run);
    run.loops.back().shape = IterationShape::residual;
    run.loops.back().places = known_places(planner);
    run.loops.back().round_computation = 0.01;
  });
}
PlantedRun residual_without_places(std::uint64_t seed) {
  return changed_run(seed, true, [](Planner& planner, RunPlan& run) {
    add_rounds(planner, run);
    run.loops.back().shape = IterationShape::residual;
    run.loops.back().places = CallPlaces::unknown;
    run.loops.back().round_computation = 0.01;
  });
}
PlantedRun four_sums(std::uint64_t seed) {
  return changed_run(seed, true, [](Planner& planner, RunPlan& run) {
    run.loops.back().shape = IterationShape::four_sums;
    run.loops.back().places = known_places(planner);
  });
}

/// The first one to three iterations take longer, as caches and buffers are cold.
void add_warm_up(Planner& planner, RunPlan& run) {
  LoopPlan& p = run.loops.back();
  p.shape =
      planner.element({IterationShape::reduction, IterationShape::ring, IterationShape::halo});
  const std::size_t count = 1 + planner.below(3);
  for (std::size_t k = 0; k < count; ++k) p.outliers.push_back(k);
  p.outlier_factor = planner.uniform(3, 6);
}
/// What the first iteration computes before its first call may as well be before the loop: nothing
/// says that it is an outlier.
PlantedRun warm_up(std::uint64_t seed, bool slowdown) {
  PlantedRun run = changed_run(seed, slowdown, add_warm_up);
  run.outliers.erase(run.outliers.begin());
  return run;
}
PlantedRun warm_up_only(std::uint64_t seed) {
  return warm_up(seed, false);
}
PlantedRun warm_up_and_slowdown(std::uint64_t seed) {
  return warm_up(seed, true);
}

void add_output(Planner& planner, RunPlan& run) {
  LoopPlan& p = run.loops.back();
  p.output_every = planner.element<std::size_t>({5, 10, 20});
  p.output_calls = planner.below(2) == 0;
  p.output_factor = planner.uniform(1, 5);
}
PlantedRun output_only(std::uint64_t seed) {
  return changed_run(seed, false, add_output);
}
PlantedRun output_and_slowdown(std::uint64_t seed) {
  return changed_run(seed, true, add_output);
}

/// The last loop is the longest one.
PlantedRun several_loops(std::uint64_t seed) {
  return changed_run(seed, true, [](Planner& planner, RunPlan& run) {
    run.loops.back().iterations = 160;
    const std::size_t others = 1 + planner.below(2);
    for (std::size_t i = 0; i < others; ++i) {
      LoopPlan other = planner.steady_loop(run.ranks);
      other.iterations = planner.element<std::size_t>({30, 60});
      other.shape = i == 0 ? IterationShape::exchanges : IterationShape::solver;
      run.loops.insert(run.loops.begin(), std::move(other));
    }
  });
}

/// More ranks than processors: CPU times say when ranks had none.
void take_processors(Planner& planner, RunPlan& run) {
  LoopPlan& p = run.loops.back();
  p.iterations = 100;
  p.shape = planner.element({IterationShape::reduction, IterationShape::halo});
  for (LoopPhase& phase : p.phases) phase.without_processor = planner.uniform(0.05, 0.5);
}
PlantedRun few_processors(std::uint64_t seed) {
  return changed_run(seed, false, take_processors);
}
PlantedRun few_processors_and_slowdown(std::uint64_t seed) {
  return changed_run(seed, true, take_processors);
}

PlantedRun few_iterations(std::uint64_t seed) {
  const bool slowdown = seed % 2 == 0;
  return changed_run(seed, slowdown, [&](Planner& planner, RunPlan& run) {
    LoopPlan& p = run.loops.back();
    p.iterations = slowdown ? 12 + planner.below(9) : 5 + planner.below(16);
    p.sigma = planner.element({0.005, 0.01, 0.02});
  });
}
PlantedRun many_iterations(std::uint64_t seed) {
  return changed_run(seed, seed % 2 == 0, [](Planner& planner, RunPlan& run) {
    run.ranks = 2;
    run.loops = {planner.steady_loop(2)};
    run.loops.back().iterations = 10'000;
    run.loops.back().shape = IterationShape::ring;
  });
}

}  // namespace

PlantedRun planted_run(std::uint64_t seed) {
  return run_of(Planner(seed).plain(), seed);
}

const std::vector<PlantedKind>& planted_kinds() {
  static const std::vector<PlantedKind> kinds{
      {"plain", planted_run, 100, true},
      {"noise only", noise_only, 60, false},
      {"spikes only", spikes_only, 60, false},
      {"spikes, slowdown", spikes_and_slowdown, 50, false},
      {"growth only", growth_only, 80, true},
      {"growth, slowdown", growth_and_slowdown, 50, true},
      {"inner loop only", rounds_only, 70, true},
      {"inner loop, slowdown", rounds_and_slowdown, 70, true},
      {"residual, places known", residual, 50, true},
      {"residual, places unknown", residual_without_places, 10, true},
      {"four sums, places known", four_sums, 50, true},
      {"warm-up only", warm_up_only, 40, true},
      {"warm-up, slowdown", warm_up_and_slowdown, 40, true},
      {"output only", output_only, 50, false},
      {"output, slowdown", output_and_slowdown, 50, false},
      {"several loops", several_loops, 50, true},
      {"few processors only", few_processors, 40, false},
      {"few processors, slowdown", few_processors_and_slowdown, 30, false},
      {"few iterations", few_iterations, 40, true},
      {"many iterations", many_iterations, 10, true},
  };
  return kinds;
}

Trace one_slow_rank(std::int32_t ranks, std::size_t iterations, std::int32_t slow, double factor,
                    std::size_t from, std::size_t to) {
  RunPlan run;
  run.ranks = ranks;
  LoopPlan& plan = run.loops.emplace_back();
  plan.iterations = iterations;
  plan.sigma = 0.02;
  plan.base.assign(static_cast<std::size_t>(ranks), 1);
  const std::vector<double> even(static_cast<std::size_t>(ranks), 1);
  std::vector<double> uneven = even;
  uneven[static_cast<std::size_t>(slow)] = factor;
  plan.phases = {{0, even}, {from, uneven}, {to, even}};
  return execute(run, 1).trace;
}

}  // namespace slackline::testing
