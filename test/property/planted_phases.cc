#include "property/planted_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace slackline::testing {
namespace {

constexpr double kComputation_ns = 100'000;
constexpr std::size_t kFewestInPhase = 6;

struct Phase {
  std::size_t begin = 0;
  std::vector<double> computation;  // by rank: times the usual
  double communication = 1;
};

enum class Noise : std::uint8_t { independent, long_tails, drifting };

struct Plan {
  std::int32_t ranks = 2;
  std::size_t iterations = 20;
  IterationShape shape = IterationShape::reduction;
  double communication_ns = 10'000;  // of one call
  double sigma = 0;
  Noise noise = Noise::independent;
  std::vector<Phase> phases;
  std::vector<std::size_t> outliers;
  double outlier_factor = 4;
  double prologue_ns = 0;
  std::vector<double> base;  // by rank
};

/// Executes a plan: ranks in step by their messages.
class Execution {
 public:
  Execution(const Plan& plan, std::uint64_t seed)
      : plan_(plan),
        trace_(plan.ranks, true),
        now_(static_cast<std::size_t>(plan.ranks)),
        drift_(now_.size()),
        request_(now_.size()),
        random_(seed) {
    run();
  }
  Trace take() { return std::move(trace_); }
  std::vector<std::int64_t> take_begins() { return std::move(begins_); }

 private:
  using Arrivals = std::vector<std::int64_t>;

  void run() {
    each([&](std::size_t r) { add(r, {.operation = Operation::init}, 0, 50'000); });
    collective({.operation = Operation::bcast, .bytes = 4096, .peer = 0}, plan_.prologue_ns, 1);
    std::size_t phase = 0;
    for (std::size_t k = 0; k < plan_.iterations; ++k) {
      if (phase + 1 < plan_.phases.size() && plan_.phases[phase + 1].begin == k) ++phase;
      begins_.push_back(middle());
      iteration(k, plan_.phases[phase]);
    }
    begins_.push_back(middle());
    collective({.operation = Operation::gather, .bytes = 64, .peer = 0}, plan_.prologue_ns, 1);
    each([&](std::size_t r) { add(r, {.operation = Operation::finalize}, 100, 20'000); });
  }

  void iteration(std::size_t k, const Phase& phase) {
    const bool outlier = std::ranges::find(plan_.outliers, k) != plan_.outliers.end();
    const double all = kComputation_ns * (outlier ? plan_.outlier_factor : 1);
    each([&](std::size_t r) { compute(r, all * plan_.base[r] * phase.computation[r] * noise(r)); });
    const double slower = phase.communication;
    const Call sum{.operation = Operation::allreduce, .bytes = 8, .tag = 8};
    switch (plan_.shape) {
      case IterationShape::reduction:
        break;
      case IterationShape::ring:
        exchange(1, slower, 0.02);
        break;
      case IterationShape::halo:
      case IterationShape::neighbours_only:
        exchange(2, slower, 0.02);
        break;
      case IterationShape::solver: {
        const std::uint64_t rounds = 2 + random_() % 5;
        for (std::uint64_t i = 0; i < rounds; ++i) {
          exchange(1, slower / 4, 0.005);
        }
        collective({.operation = Operation::bcast, .bytes = 16, .peer = 0}, 0, slower);
        collective({.operation = Operation::barrier}, 0, slower);
        break;
      }
      case IterationShape::exchanges:
        for (int i = 0; i < 3; ++i) exchange(1, slower, 0.01);
        if (k % 10 == 9) {
          collective({.operation = Operation::gather, .bytes = 512, .peer = 0}, 0, slower);
        }
        break;
    }
    if (plan_.shape != IterationShape::neighbours_only && plan_.shape != IterationShape::solver) {
      collective(sum, 0, slower);
    }
  }

  template <class Visit>
  void each(Visit visit) {
    for (std::size_t r = 0; r < now_.size(); ++r) visit(r);
  }
  double normal() { return std::normal_distribution<double>()(random_); }
  double noise(std::size_t r) {
    switch (plan_.noise) {
      case Noise::independent:
        return std::exp(plan_.sigma * normal());
      case Noise::long_tails:
        return std::exp(plan_.sigma * normal()) + (random_() % 150 == 0 ? 0.4 : 0.0);
      case Noise::drifting:
        drift_[r] = 0.5 * drift_[r] + std::sqrt(0.75) * plan_.sigma * normal();
        return std::exp(drift_[r]);
    }
    return 1;
  }
  void compute(std::size_t r, double ns) { now_[r] += std::llround(ns); }
  std::int64_t last() const { return *std::ranges::max_element(now_); }
  std::int64_t middle() const {
    Arrivals sorted = now_;
    std::ranges::nth_element(sorted,
                             sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    return sorted[sorted.size() / 2];
  }

  /// Begins after `gap`, and lasts until `ready` and then for `duration`.
  void add(std::size_t r, Call call, double gap, double duration, std::int64_t ready = 0) {
    call.begin_ns = now_[r] + std::llround(gap);
    call.end_ns = std::max(call.begin_ns, ready) + std::llround(duration);
    now_[r] = call.end_ns;
    trace_.calls(static_cast<std::int32_t>(r)).append(call);
  }
  void collective(const Call& call, double gap, double slower) {
    const std::int64_t ready = last() + std::llround(gap);
    const double duration =
        plan_.communication_ns * slower * std::exp(0.5 * plan_.sigma * normal());
    each([&](std::size_t r) { add(r, call, gap, duration, ready); });
  }
  /// With the next rank, and with the one before where there are two sides.
  void exchange(int sides, double slower, double between) {
    const auto n = static_cast<std::int32_t>(now_.size());
    const Arrivals before = now_;
    each([&](std::size_t r) {
      std::vector<std::int64_t> requests;
      std::int64_t ready = 0;
      for (int side = 0; side < sides; ++side) {
        const std::int32_t step = side == 0 ? 1 : n - 1;
        const std::int32_t from = (static_cast<std::int32_t>(r) + n - step) % n;
        const std::int32_t to = (static_cast<std::int32_t>(r) + step) % n;
        const std::uint32_t receive = ++request_[r];
        add(r,
            {.operation = Operation::irecv,
             .bytes = 800,
             .peer = from,
             .tag = side,
             .request = receive},
            100, 200);
        const std::uint32_t send = ++request_[r];
        add(r,
            {.operation = Operation::isend, .bytes = 800, .peer = to, .tag = side, .request = send},
            100, 300);
        requests.push_back(receive);
        requests.push_back(send);
        ready = std::max(ready, before[static_cast<std::size_t>(from)] + 900);
      }
      Call all{.operation = Operation::waitall};
      all.args = requests;
      const double duration =
          plan_.communication_ns * slower * std::exp(0.5 * plan_.sigma * normal());
      add(r, all, between * kComputation_ns, duration, ready);
    });
  }

  const Plan& plan_;
  Trace trace_;
  Arrivals now_;
  std::vector<double> drift_;
  std::vector<std::uint32_t> request_;
  std::vector<std::int64_t> begins_;
  std::mt19937_64 random_;
};

/// Draws plans.
class Planner {
 public:
  explicit Planner(std::uint64_t seed) : random_(seed * 7919 + 17) {}

  Plan plan() {
    Plan p;
    p.ranks = element<std::int32_t>({2, 3, 4, 8, 13, 16, 32, 64});
    p.iterations = element<std::size_t>({20, 42, 60, 84, 120, 168, 250, 400});
    p.shape = static_cast<IterationShape>(random_() % kIterationShapes);
    p.communication_ns = kComputation_ns * uniform(0.08, 0.25);
    p.sigma = element<double>({0, 0.005, 0.01, 0.02, 0.05, 0.1});
    p.noise = element<Noise>(
        {Noise::independent, Noise::independent, Noise::long_tails, Noise::drifting});
    p.prologue_ns = element<double>({0, 1'000, 500'000, 5'000'000});
    for (std::int32_t r = 0; r < p.ranks; ++r) p.base.push_back(uniform(0.9, 1.1));
    add_phases(p);
    add_outliers(p);
    return p;
  }

 private:
  template <class T>
  T element(std::vector<T> of) {
    return of[random_() % of.size()];
  }
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }

  void add_phases(Plan& p) {
    const std::size_t most = std::min<std::size_t>(5, p.iterations / (2 * kFewestInPhase));
    const std::size_t count = random_() % 4 == 0 ? 1 : 1 + random_() % most;
    std::vector<std::size_t> begins{0};
    const std::size_t spare = p.iterations - count * kFewestInPhase;
    std::vector<std::size_t> cuts;
    for (std::size_t i = 1; i < count; ++i) cuts.push_back(random_() % (spare + 1));
    std::ranges::sort(cuts);
    for (std::size_t i = 1; i < count; ++i) begins.push_back(cuts[i - 1] + i * kFewestInPhase);
    int kind = -1;
    for (const std::size_t begin : begins) {
      Phase phase{.begin = begin,
                  .computation = std::vector<double>(static_cast<std::size_t>(p.ranks), 1)};
      // No two phases that follow each other are of one kind.
      const int next = kind == -1 ? static_cast<int>(random_() % 5)
                                  : (kind + 1 + static_cast<int>(random_() % 4)) % 5;
      kind = next == 3 && p.ranks < 4 ? (kind == 1 ? 0 : 1) : next;
      const double factor = std::exp(std::max(uniform(0.2, 0.9), 4 * p.sigma));
      const auto one = static_cast<std::size_t>(random_() % static_cast<std::uint64_t>(p.ranks));
      if (kind == 1) std::ranges::fill(phase.computation, factor);
      if (kind == 2) phase.computation[one] = factor;
      if (kind == 3) {
        for (std::size_t r = 0; r < phase.computation.size(); r += 2) phase.computation[r] = factor;
      }
      if (kind == 4) phase.communication = uniform(4, 8);
      p.phases.push_back(std::move(phase));
    }
  }
  void add_outliers(Plan& p) {
    if (p.shape == IterationShape::neighbours_only) return;
    p.outlier_factor = uniform(4, 6);
    for (std::uint64_t i = random_() % 4; i > 0; --i) {
      const std::size_t at = random_() % p.iterations;
      const bool clear =
          std::ranges::all_of(p.phases,
                              [&](const Phase& f) {
                                return at + 4 <= f.begin || at >= f.begin + 4 || f.begin == 0;
                              }) &&
          std::ranges::all_of(p.outliers,
                              [&](std::size_t o) { return at + 4 <= o || o + 4 <= at; });
      if (clear && at >= 3 && at + 3 < p.iterations) p.outliers.push_back(at);
    }
    std::ranges::sort(p.outliers);
  }

  std::mt19937_64 random_;
};

}  // namespace

PlantedRun planted_run(std::uint64_t seed) {
  const Plan plan = Planner(seed).plan();
  Execution execution(plan, seed);
  PlantedRun run;
  run.trace = execution.take();
  run.begin_ns = execution.take_begins();
  run.iterations = plan.iterations;
  run.outliers = plan.outliers;
  for (std::size_t i = 1; i < plan.phases.size(); ++i) run.changes.push_back(plan.phases[i].begin);
  run.shape = fmt::format("{} ranks, {} iterations of shape {}, noise {} of kind {}", plan.ranks,
                          plan.iterations, static_cast<int>(plan.shape), plan.sigma,
                          static_cast<int>(plan.noise));
  return run;
}

Trace one_slow_rank(std::int32_t ranks, std::size_t iterations, std::int32_t slow, double factor,
                    std::size_t from, std::size_t to) {
  Plan plan;
  plan.ranks = ranks;
  plan.iterations = iterations;
  plan.sigma = 0.02;
  plan.base.assign(static_cast<std::size_t>(ranks), 1);
  const std::vector<double> even(static_cast<std::size_t>(ranks), 1);
  std::vector<double> uneven = even;
  uneven[static_cast<std::size_t>(slow)] = factor;
  plan.phases = {{0, even}, {from, uneven}, {to, even}};
  return Execution(plan, 1).take();
}

}  // namespace slackline::testing
