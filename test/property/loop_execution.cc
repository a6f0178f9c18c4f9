#include "property/loop_execution.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "trace/trace_builder.h"

namespace slackline::testing {
namespace {

class Execution {
 public:
  Execution(const RunPlan& plan, std::uint64_t seed)
      : trace_(plan.ranks, true),
        now_(static_cast<std::size_t>(plan.ranks)),
        drift_(now_.size()),
        request_(now_.size()),
        random_(seed) {
    each([&](std::size_t r) { add(r, {.operation = Operation::init}, 0, 50'000); });
    for (const LoopPlan& l : plan.loops) {
      loop_ = &l;
      run_loop();
    }
    each([&](std::size_t r) { add(r, {.operation = Operation::finalize}, 100, 20'000); });
  }
  ExecutedPlan take() { return {std::move(trace_).build(), std::move(begins_)}; }

 private:
  using Arrivals = std::vector<std::int64_t>;

  void run_loop() {
    std::vector<std::int64_t>& begins = begins_.emplace_back();
    collective({.operation = Operation::bcast, .bytes = 4096, .peer = 0}, loop_->prologue_ns, 1);
    std::size_t phase = 0;
    for (std::size_t k = 0; k < loop_->iterations; ++k) {
      if (phase + 1 < loop_->phases.size() && loop_->phases[phase + 1].begin == k) ++phase;
      begins.push_back(middle());
      phase_ = &loop_->phases[phase];
      inside("step", [&] { iteration(k); });
    }
    begins.push_back(middle());
    collective({.operation = Operation::gather, .bytes = 64, .peer = 0}, loop_->prologue_ns, 1);
  }

  /// A part of the ranks' computation in iteration k; `changing`: as phases have it.
  void compute_part(std::size_t k, double part, bool changing) {
    const bool outlier = std::ranges::find(loop_->outliers, k) != loop_->outliers.end();
    const double all = kComputation_ns * part * (outlier ? loop_->outlier_factor : 1);
    each([&](std::size_t r) {
      const double phase = changing ? phase_->computation[r] : 1;
      compute(r, all * loop_->base[r] * phase * grown(r, k) * noise(r));
    });
  }
  double grown(std::size_t r, std::size_t k) const {
    if (loop_->growing_rank >= 0 && static_cast<std::size_t>(loop_->growing_rank) != r) return 1;
    const auto steps = static_cast<double>(k);
    return loop_->exponential ? std::pow(1 + loop_->growth, steps) : 1 + loop_->growth * steps;
  }

  void iteration(std::size_t k) {
    const Call sum{.operation = Operation::allreduce, .bytes = 8, .tag = 8};
    const double slower = phase_->communication;
    if (loop_->shape != IterationShape::four_sums) compute_part(k, 1, !loop_->phases_of_rounds);
    switch (loop_->shape) {
      case IterationShape::reduction:
        collective(sum, 0, slower);
        break;
      case IterationShape::ring:
        exchange(1, slower, 0.02);
        collective(sum, 0, slower);
        break;
      case IterationShape::halo:
        exchange(2, slower, 0.02);
        collective(sum, 0, slower);
        break;
      case IterationShape::neighbours_only:
        exchange(2, slower, 0.02);
        break;
      case IterationShape::exchanges:
        for (int i = 0; i < 3; ++i) exchange(1, slower, 0.01);
        if (k % 10 == 9) {
          collective({.operation = Operation::gather, .bytes = 512, .peer = 0}, 0, slower);
        }
        collective(sum, 0, slower);
        break;
      case IterationShape::four_sums:
        for (const char* part : {"density", "energy", "momentum", "pressure"}) {
          inside(part, [&] {
            compute_part(k, 0.25, true);
            collective(sum, 0, slower / 4);
          });
        }
        break;
      case IterationShape::solver:
      case IterationShape::inner_loop:
      case IterationShape::residual:
        rounds(k);
        break;
    }
    output(k);
  }

  void rounds(std::size_t k) {
    const Call sum{.operation = Operation::allreduce, .bytes = 8, .tag = 8};
    const double slower = phase_->communication;
    const std::uint64_t spread = loop_->most_rounds - loop_->least_rounds + 1;
    const std::uint64_t count = loop_->least_rounds + random_() % spread;
    inside("solve", [&] {
      for (std::uint64_t i = 0; i < count; ++i) {
        compute_part(k, loop_->round_computation, loop_->phases_of_rounds);
        exchange(1, slower / 4, 0);
        if (loop_->shape == IterationShape::solver) continue;
        collective(sum, 0, slower / 4);
        if (loop_->shape == IterationShape::inner_loop) collective(sum, 1'000, slower / 4);
      }
    });
    if (loop_->shape == IterationShape::solver) {
      collective({.operation = Operation::bcast, .bytes = 16, .peer = 0}, 0, slower);
      collective({.operation = Operation::barrier}, 0, slower);
    } else if (loop_->shape == IterationShape::inner_loop) {
      collective({.operation = Operation::allreduce, .bytes = 4096, .tag = 8}, 2'000, slower / 4);
    } else {
      collective(sum, 2'000, slower / 4);
    }
  }

  void output(std::size_t k) {
    if (loop_->output_every == 0 || k % loop_->output_every != loop_->output_every - 1) return;
    compute(0, kComputation_ns * loop_->output_factor);
    if (loop_->output_calls) {
      collective({.operation = Operation::gather, .bytes = 1 << 20, .peer = 0}, 0, 2);
    }
  }

  /// Calls and computation of `body` stand in a region or function of that name.
  template <class Body>
  void inside(const char* name, Body body) {
    const FrameId outer = frame_;
    std::uint32_t region = 0;
    if (loop_->places == CallPlaces::functions) {
      frame_ = trace_.call_tree().child(outer, {.function = name, .file = "app.c", .line = 10});
    } else if (loop_->places == CallPlaces::regions) {
      region = trace_.region_id(name);
      mark(region, true);
    }
    body();
    if (loop_->places == CallPlaces::regions) mark(region, false);
    frame_ = outer;
  }
  void mark(std::uint32_t region, bool enter) {
    each([&](std::size_t r) {
      RankCallsBuilder& calls = trace_.calls(static_cast<std::int32_t>(r));
      calls.append_region({now_[r], region, static_cast<std::uint32_t>(calls.size()), enter});
    });
  }

  template <class Visit>
  void each(Visit visit) {
    for (std::size_t r = 0; r < now_.size(); ++r) visit(r);
  }
  double normal() { return std::normal_distribution<double>()(random_); }
  double uniform() { return std::uniform_real_distribution<double>()(random_); }
  double noise(std::size_t r) {
    const double sigma = loop_->sigma;
    switch (loop_->noise) {
      case Noise::independent:
        return std::exp(sigma * normal());
      case Noise::long_tails:
        return std::exp(sigma * normal()) + (random_() % 150 == 0 ? 0.4 : 0.0);
      case Noise::drifting:
        drift_[r] = 0.5 * drift_[r] + std::sqrt(0.75) * sigma * normal();
        return std::exp(drift_[r]);
      case Noise::spikes:
        return std::exp(sigma * normal()) * (random_() % 100 == 0 ? 1 + 4 * uniform() : 1.0);
    }
    return 1;
  }
  void compute(std::size_t r, double ns) {
    now_[r] += std::llround(ns);
    if (phase_->without_processor <= 0 || uniform() >= phase_->without_processor) return;
    RankCallsBuilder& calls = trace_.calls(static_cast<std::int32_t>(r));
    const std::int64_t begin = now_[r];
    now_[r] += std::llround(kComputation_ns * std::exponential_distribution<double>()(random_));
    calls.append_pause(
        {begin, now_[r], static_cast<std::uint32_t>(calls.size()), PauseKind::no_processor});
  }
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
    call.frame = frame_;
    now_[r] = call.end_ns;
    trace_.calls(static_cast<std::int32_t>(r)).append(call);
  }
  void collective(const Call& call, double gap, double slower) {
    const std::int64_t ready = last() + std::llround(gap);
    const double duration =
        loop_->communication_ns * slower * std::exp(0.5 * loop_->sigma * normal());
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
          loop_->communication_ns * slower * std::exp(0.5 * loop_->sigma * normal());
      add(r, all, between * kComputation_ns, duration, ready);
    });
  }

  TraceBuilder trace_;
  const LoopPlan* loop_ = nullptr;
  const LoopPhase* phase_ = nullptr;
  FrameId frame_ = 0;
  Arrivals now_;
  std::vector<double> drift_;
  std::vector<std::uint32_t> request_;
  std::vector<std::vector<std::int64_t>> begins_;
  std::mt19937_64 random_;
};

}  // namespace

ExecutedPlan execute(const RunPlan& plan, std::uint64_t seed) {
  return Execution(plan, seed).take();
}

}  // namespace slackline::testing
