// Distributions of T: eight runs in one pass against each run by itself, and quantiles,
// probabilities and tolerances against a plain Monte Carlo simulation that shares no code.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "analysis/model/run_distribution.h"
#include "graph/testing/text_graph.h"
#include "property/cases.h"
#include "timing/makespan.h"
#include "timing/sampled_makespan.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;

/// What run `lane` spends on an edge beyond its cost, in ns.
std::int64_t more_ns(const Edge& e, std::size_t lane) {
  return static_cast<std::int64_t>((e.from * 7919u + e.latencies * 104'729u + lane * 1'299'709u) %
                                   500u);
}

/// The same as a cost.
class CostOfRun : public LinearCost {
 public:
  CostOfRun(const LinearCost& cost, std::size_t lane) : cost_(cost), lane_(lane) {}
  std::int64_t tick_fs() const override { return cost_.tick_fs(); }
  std::int64_t base_fs() const override { return cost_.base_fs(); }
  LinearTerm term(const Edge& e, std::int32_t from, std::int32_t to) const override {
    LinearTerm t = cost_.term(e, from, to);
    t.fixed_ticks += Int128{more_ns(e, lane_)} * (kFemtosPerNano / cost_.tick_fs());
    return t;
  }

 private:
  const LinearCost& cost_;
  std::size_t lane_;
};

void expect_each_run(const testing::Case& c, Parameter parameter) {
  const ExecutionGraph graph = build_graph(c.trace, c.options);
  const LogGPSCost cost(c.model, parameter);
  const SampledMakespan all(graph, cost, [](const Edge& e, Lanes& ns) {
    for (std::size_t k = 0; k < ns.size(); ++k) ns[k] += static_cast<double>(more_ns(e, k));
  });
  const double base_ns = ns_of_fs(cost.base_fs());
  Lanes x;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = base_ns * static_cast<double>(k);
  const SampledMakespan::Lines lines = all.at(x);
  x.fill(base_ns);
  const double bound_ns = 1.05 * all.at(x).makespan_ns[3];
  const Lanes within = all.largest_within(bound_ns);
  for (std::size_t k = 0; k < x.size(); ++k) {
    MakespanFunction t(graph, CostOfRun(cost, k));
    const auto makespan_at = [&](const Ticks& at) { return t.value_ns(t.line_at(at), at); };
    const Ticks at = t.from_fs(static_cast<std::int64_t>(k) * cost.base_fs());
    EXPECT_NEAR(lines.makespan_ns[k], makespan_at(at), 1e-9 * lines.makespan_ns[k] + 1e-6);
    EXPECT_EQ(lines.slope[k], static_cast<double>(t.line_at(at).slope));
    if (within[k] < 0) {
      EXPECT_GT(makespan_at(Ticks{}), bound_ns);
    } else if (std::isinf(within[k])) {
      EXPECT_LE(makespan_at(t.from_fs(1000 * kNs * 1'000'000)), bound_ns * (1 + 1e-12));
    } else {
      const Ticks limit = t.from_fs(std::llround(within[k] * kFemtosPerNano));
      const double per_fs = static_cast<double>(t.line_at(limit).slope) / kFemtosPerNano;
      EXPECT_NEAR(makespan_at(limit), bound_ns, 1e-9 * bound_ns + per_fs);
    }
  }
}

TEST(SampledMakespan, IsThatOfEachRun) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const testing::Case c = testing::seeded_case(seed + 9000, {});
    for (const Parameter p : {Parameter::latency, Parameter::gap_per_byte}) expect_each_run(c, p);
  }
}

// A ring: each rank computes, sends to the next one and receives from the one before.
constexpr std::size_t kRanks = 4;
constexpr std::size_t kSteps = 60;
constexpr double kOverhead_ns = 100;
constexpr double kLatency_ns = 2000;

int computation_ns(std::size_t rank, std::size_t step) {
  return 5000 + static_cast<int>((step * step * 37 + rank * 911) % 4000) +
         (step % 17 == 3 ? 9000 : 0);
}

std::string ring() {
  std::string text;
  for (std::size_t r = 0; r < kRanks; ++r) {
    text += "rank " + std::to_string(r) + "\n";
    for (std::size_t i = 0; i < kSteps; ++i) {
      text += " compute " + std::to_string(computation_ns(r, i)) +
              "\n send to=" + std::to_string((r + 1) % kRanks) +
              " bytes=1\n recv from=" + std::to_string((r + kRanks - 1) % kRanks) + " bytes=1\n";
    }
  }
  return text;
}

/// Percentiles of a skewed noise, as a machine file has them.
std::vector<double> noise_percentiles() {
  std::vector<double> percentiles;
  for (int i = 0; i <= 100; ++i) percentiles.push_back(-300 + 0.002 * i * i * i);
  return percentiles;
}

/// One run, straight from the program: all ranks compute what they did in one step of the recorded
/// run, any but the first, before which there is no receive; and each message has its noise.
double simulated_ns(double latency_ns, std::mt19937& random) {
  std::uniform_int_distribution<std::size_t> any_step(1, kSteps - 1);
  std::uniform_real_distribution<double> uniform(0, 100);
  std::vector<double> clock(kRanks, 0);
  for (std::size_t i = 0; i < kSteps; ++i) {
    const std::size_t step = i == 0 ? 0 : any_step(random);
    for (std::size_t r = 0; r < kRanks; ++r) clock[r] += computation_ns(r, step) + kOverhead_ns;
    const std::vector<double> sent = clock;
    for (std::size_t r = 0; r < kRanks; ++r) {
      const double u = uniform(random);
      const double below = std::floor(u);
      const auto noise = [](double p) { return -300 + 0.002 * p * p * p; };
      const double late = noise(below) + (u - below) * (noise(below + 1) - noise(below));
      const double arrival = sent[(r + kRanks - 1) % kRanks] + latency_ns + late;
      clock[r] = std::max(clock[r], arrival) + kOverhead_ns;
    }
  }
  return *std::ranges::max_element(clock);
}

class MonteCarlo {
 public:
  explicit MonteCarlo(double latency_ns) {
    std::mt19937 random(77);
    for (int i = 0; i < 20'000; ++i) sorted_.push_back(simulated_ns(latency_ns, random));
    std::ranges::sort(sorted_);
  }
  double quantile(double q) const {
    return sorted_[static_cast<std::size_t>(q * static_cast<double>(sorted_.size() - 1))];
  }
  double exceeding(double bound) const {
    return static_cast<double>(sorted_.end() - std::ranges::upper_bound(sorted_, bound)) /
           static_cast<double>(sorted_.size());
  }

 private:
  std::vector<double> sorted_;
};

RunDistribution distribution_of_ring(std::uint64_t seed) {
  const Trace trace = testing::untimed_trace(kRanks, ring());
  const ExecutionGraph graph = build_graph(trace, {});
  ModelChoice choice;
  choice.model = {static_cast<std::int64_t>(kLatency_ns) * kNs,
                  static_cast<std::int64_t>(kOverhead_ns) * kNs, 0};
  choice.noise_ns = noise_percentiles();
  return run_distribution(trace, graph, choice, Parameter::latency, 0, 20'000 * kNs,
                          {50'000, 100'000, 300'000}, 3001, seed);
}

TEST(RunDistribution, IsThatOfAPlainMonteCarlo) {
  const RunDistribution d = distribution_of_ring(5);
  for (const RunDistribution::Point& p : d.points) {
    const MonteCarlo plain(p.value_ns);
    for (std::size_t q = 0; q < RunDistribution::kQuantiles.size(); ++q) {
      const double expected = plain.quantile(RunDistribution::kQuantiles[q]);
      EXPECT_NEAR(p.makespan_ns[q], expected, 0.01 * expected);
    }
    for (std::size_t t = 0; t < d.tolerances.size(); ++t) {
      EXPECT_NEAR(p.exceeding[t], plain.exceeding(d.tolerances[t].bound_ns), 0.04);
    }
  }
}

TEST(RunDistribution, ToleranceHasTheProbabilityThatItSays) {
  const RunDistribution d = distribution_of_ring(5);
  const RunDistribution::Tolerance& t = d.tolerances.back();
  ASSERT_GT(t.value_ns, 0);
  EXPECT_NEAR(MonteCarlo(t.value_ns).exceeding(t.bound_ns), 0.05, 0.02);
  EXPECT_NEAR(t.exceeding_at_base, MonteCarlo(d.base_ns).exceeding(t.bound_ns), 0.04);
}

TEST(RunDistribution, IsTheSameForASeed) {
  const RunDistribution a = distribution_of_ring(5);
  const RunDistribution b = distribution_of_ring(5);
  const RunDistribution other = distribution_of_ring(6);
  EXPECT_EQ(a.points.front().makespan_ns, b.points.front().makespan_ns);
  EXPECT_NE(a.points.front().makespan_ns, other.points.front().makespan_ns);
}

// 10 * (1000 + L), whatever is drawn.
TEST(RunDistribution, WithoutVariationIsThePrediction) {
  std::string zero = "rank 0\n", one = "rank 1\n";
  for (int i = 0; i < 10; ++i) {
    zero += " compute 1000\n send to=1 bytes=1\n recv from=1 bytes=1\n";
    one += " recv from=0 bytes=1\n send to=0 bytes=1\n";
  }
  const Trace trace = testing::untimed_trace(2, zero + one);
  ModelChoice choice;
  choice.model = {50 * kNs, 0, 0};
  const RunDistribution d =
      run_distribution(trace, build_graph(trace, {}), choice, Parameter::latency, 0, 500 * kNs,
                       {10'000, 100'000}, 5, 1);
  EXPECT_EQ(d.makespan_ns, 10 * (1000 + 2 * 50));
  EXPECT_EQ(d.points.back().makespan_ns[0], 10 * (1000 + 2 * 500));
  EXPECT_EQ(d.points.back().makespan_ns[2], 10 * (1000 + 2 * 500));
  EXPECT_NEAR(d.tolerances[1].value_ns, 50 + 1100 * 0.1 / 2, 1e-9);
  EXPECT_EQ(d.points.front().exceeding[0], 0);
  EXPECT_EQ(d.points.back().exceeding[1], 1);
}

}  // namespace
}  // namespace slackline
