#include "base/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "graph/testing/text_graph.h"
#include "sim/platform/rank_map.h"
#include "sim/simulation.h"
#include "sim/smpi_options.h"
#include "sim/testing/star.h"

namespace slackline {
namespace {

using testing::star;
using testing::untimed_trace;

constexpr int kSeeds = 20000;

struct Moments {
  double mean = 0, variance = 0;
};

/// They are the run time's over many seeds; `raw` is a model without factors, envelopes and window.
Moments moments(const std::string& program, SimulationOptions options, const char* model = "raw") {
  const Trace trace = untimed_trace(3, program);
  const Platform platform = star("500us");
  const RankMap hosts = place_ranks("block:1", platform, 3);
  options.model = network_model(model);
  options.model.envelope = 0;
  options.choose = SmpiOptions{}.collectives();
  double sum = 0;
  double squares = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    options.compute_noise.seed = options.message_noise.seed = static_cast<std::uint64_t>(seed);
    const double t = simulate(trace, platform, hosts, options).makespan;
    EXPECT_TRUE(seed > 3 || t == simulate(trace, platform, hosts, options).makespan);
    sum += t;
    squares += t * t;
  }
  const double mean = sum / kSeeds;
  return {mean, squares / kSeeds - mean * mean};
}

const std::string kOwn = " barrier comm=self\n";
const std::string kTwice =
    "rank 0\n compute 1000000000\n" + kOwn + " compute 1000000000\n" + kOwn + "rank 1\nrank 2\n";

// Two computations of 1 s, each longer by up to 0.3 s: mean 2 + 2 * 0.15, variance 2 * 0.3^2 / 12.
TEST(SimulatedNoise, OfComputationAddsUp) {
  for (const Noise& noise : {Noise{.share = 0.3}, Noise{.time = 0.3}}) {
    const Moments found = moments(kTwice, {.compute_noise = noise});
    EXPECT_NEAR(found.mean, 2.3, 0.003);
    EXPECT_NEAR(found.variance, 0.18 / 12, 0.0005);
  }
}

// Exponential: mean 2 + 2 * 0.3, variance 2 * 0.3^2.
TEST(SimulatedNoise, HasALongTailIfExponential) {
  const Moments found = moments(kTwice, {.compute_noise = {.time = 0.3, .exponential = true}});
  EXPECT_NEAR(found.mean, 2.6, 0.01);
  EXPECT_NEAR(found.variance, 0.18, 0.01);
}

// The last of three ranks: the largest of three even draws has mean 3/4 and variance 3/80.
TEST(SimulatedNoise, DelaysTheLastRank) {
  std::string program;
  for (const char* rank : {"0", "1", "2"}) {
    program += "rank " + std::string(rank) + "\n compute 1000000000\n" + kOwn;
  }
  const Moments found = moments(program, {.compute_noise = {.share = 1}});
  EXPECT_NEAR(found.mean, 1.75, 0.005);
  EXPECT_NEAR(found.variance, 3. / 80, 0.001);
}

// A message crosses two cables of 0.5 ms, so 1 ms and 1 ms for 1 MB; up to 2 ms more: mean 3 ms,
// variance (2 ms)^2 / 12.
TEST(SimulatedNoise, DelaysMessages) {
  const Moments found =
      moments("rank 0\n send to=2 bytes=1000000\nrank 1\nrank 2\n recv from=0 bytes=1000000\n",
              {.message_noise = {.time = 2e-3}});
  EXPECT_NEAR(found.mean, 3e-3, 2e-5);
  EXPECT_NEAR(found.variance, 4e-6 / 12, 1e-8);
}

// Every message takes 1 s, and up to half of it more: mean 1.25 s, variance (0.5 s)^2 / 12.
TEST(SimulatedNoise, DelaysMessagesOfConstantTime) {
  const Moments found =
      moments("rank 0\n send to=2 bytes=1000\nrank 1\nrank 2\n recv from=0 bytes=1000\n",
              {.message_noise = {.share = 0.5}}, "constant");
  EXPECT_NEAR(found.mean, 1.25, 0.005);
  EXPECT_NEAR(found.variance, 0.25 / 12, 0.0005);
}

}  // namespace
}  // namespace slackline
