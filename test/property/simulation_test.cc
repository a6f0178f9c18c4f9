// Simulation without contention is the longest path of the LogGPS graph: two engines, one by events
// in time, one by dependences without it. All messages eager and o = 0, where the two mean the
// same.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/findings.h"
#include "graph/build.h"
#include "graph/collectives/choice.h"
#include "sim/platform/rank_map.h"
#include "sim/platform/read_platform.h"
#include "sim/simulation.h"
#include "timing/model_schedule.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr double kEverything = 1e18;
// Links of 1 GB/s and 5 us; two of them to any other host.
constexpr LogGPS kModel{
    .latency_fs = 10'000'000'000, .overhead_fs = 0, .gap_per_byte_fs = 1'000'000};

Platform crossbar(std::int32_t hosts) {
  Findings findings;
  return parse_platform_xml(
      fmt::format("<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><cluster id=\"c\" "
                  "prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" bw=\"1GBps\" "
                  "lat=\"5us\"/></zone></platform>",
                  hosts - 1),
      "crossbar", findings);
}

/// Ranks compute, exchange messages with random partners in any order, and meet in collectives.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed)
      : random_(seed), trace_(2 + static_cast<std::int32_t>(random_() % 9), false) {
    now_.resize(ranks());
    for (std::uint32_t step = 0, steps = 3 + below(10); step < steps; ++step) {
      for (std::size_t r = 0; r < ranks(); ++r) now_[r] += below(200'000);
      if (below(3) == 0) {
        collective();
      } else {
        exchange(static_cast<std::int32_t>(step));
      }
    }
  }

  const Trace& trace() const { return trace_; }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(trace_.ranks()); }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  void add(std::size_t rank, Call call) {
    call.begin_ns = call.end_ns = now_[rank];
    trace_.calls(static_cast<std::int32_t>(rank)).append(call);
  }

  void exchange(std::int32_t tag) {
    std::vector<std::size_t> to(ranks());
    std::iota(to.begin(), to.end(), std::size_t{0});
    std::ranges::shuffle(to, random_);
    std::vector<std::size_t> from(ranks());
    std::vector<std::uint64_t> bytes;
    for (std::size_t r = 0; r < ranks(); ++r) {
      from[to[r]] = r;
      bytes.push_back(1 + below(300'000));
    }
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (to[r] == r) continue;
      const std::uint32_t first = requests_ + 1;
      requests_ += 2;
      add(r, {.operation = Operation::irecv,
              .bytes = bytes[from[r]],
              .peer = static_cast<std::int32_t>(from[r]),
              .tag = tag,
              .request = first});
      add(r, {.operation = Operation::isend,
              .bytes = bytes[r],
              .peer = static_cast<std::int32_t>(to[r]),
              .tag = tag,
              .request = first + 1});
      now_[r] += below(100'000);
      const std::vector<std::int64_t> both{first, first + 1};
      add(r, {.operation = Operation::waitall, .args = both});
    }
  }

  void collective() {
    constexpr std::array kOperations{Operation::bcast, Operation::allreduce, Operation::allgather};
    const Operation operation = kOperations[below(kOperations.size())];
    const std::uint64_t bytes = 1024 * (1 + below(64));
    for (std::size_t r = 0; r < ranks(); ++r) {
      add(r, {.operation = operation,
              .bytes = bytes,
              .peer = operation == Operation::bcast ? 0 : kPeerNone,
              .tag = 8});
    }
  }

  std::mt19937_64 random_;
  TraceBuilder trace_;
  std::vector<std::int64_t> now_{};
  std::uint32_t requests_ = 0;
};

TEST(Simulation, WithoutContentionIsTheLongestPath) {
  CollectiveChoice choice;
  // Others hand parts of a broadcast to whatever is selected, which simulation asks for anew.
  choice.add("openmpi,bcast=binomial");
  GraphOptions options;
  options.eager_threshold_bytes = std::numeric_limits<std::uint64_t>::max();
  options.collectives = choice;
  SimulationOptions simulated;
  simulated.model = network_model("contention-free");
  simulated.model.envelope = -1;  // LogGPS: the first byte's time is in L
  simulated.model.eager_below = simulated.model.detached_below = kEverything;
  simulated.choose = [&](const CollectiveCall& call) {
    return SmpiDecision{&choice.algorithm(call), false};
  };
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RandomProgram program(seed);
    const Trace& trace = program.trace();
    const Platform platform = crossbar(trace.ranks());
    RankMap hosts(static_cast<std::size_t>(trace.ranks()));
    std::iota(hosts.begin(), hosts.end(), HostId{0});
    const Simulation found = simulate(trace, platform, hosts, simulated);
    const Schedule expected = model_schedule(build_graph(trace, options), kModel);
    const double seconds = static_cast<double>(expected.makespan_ps) * 1e-12;
    EXPECT_NEAR(found.makespan, seconds, 2e-9 + 1e-9 * seconds) << "seed " << seed;
    for (const RankTimes& t : found.ranks) {
      EXPECT_NEAR(t.compute + t.overhead + t.transfer + t.wait, found.makespan, 1e-9) << seed;
    }
  }
}

}  // namespace
}  // namespace slackline
