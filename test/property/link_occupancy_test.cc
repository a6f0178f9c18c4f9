// Links that carry one message at a time: what holds of any program, and LogGOPS beside it.

#include "graph/link_occupancy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "formats/testing/text_trace.h"
#include "graph/goal/goal_graph.h"
#include "property/cases.h"
#include "sim/loggops/loggops.h"
#include "timing/makespan.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

// Links cost bytes and nothing else, and never make a program faster.
TEST(LinkOccupancy, TakesTimeWhereBytesDo) {
  std::uint64_t differ = 0;
  for (std::uint64_t seed = 0; seed < testing::kSeeds / 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Case c = testing::seeded_case(seed, {.timed = seed % 2 == 0});
    c.options.serial_links = true;
    const ExecutionGraph links = build_graph(c.trace, c.options);
    const ExecutionGraph none = build_graph(c.trace, testing::without_links(c).options);
    EXPECT_EQ(links.message_count(), none.message_count());
    EXPECT_GE(model_schedule(links, c.model).makespan_ps,
              model_schedule(none, c.model).makespan_ps);
    LogGPS free = c.model;
    free.gap_per_byte_fs = 0;
    EXPECT_EQ(model_schedule(links, free).makespan_ps, model_schedule(none, free).makespan_ps);
    differ += links.vertex_count() > none.vertex_count() ? 1 : 0;
  }
  EXPECT_GT(differ, testing::kSeeds / 8);
}

constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 40;

/// T with links, T without, and LogGOPSim's timing with its g of 0, in ns.
struct ThreeTimes {
  double links;
  double none;
  double loggops;
};

ThreeTimes times_of(int ranks, const std::string& text, std::uint64_t eager_threshold) {
  const LogGPS model{3'000'000'000, 500'000'000, 18'000};
  const Trace trace = testing::untimed_trace(ranks, text);
  GraphOptions options{.eager_threshold_bytes = eager_threshold};
  const auto run_time = [&] {
    return static_cast<double>(model_schedule(build_graph(trace, options), model).makespan_ps) /
           1000;
  };
  const double none = run_time();
  options.serial_links = true;
  Findings findings;
  LogGOPS simulated;
  simulated.latency_fs = model.latency_fs;
  simulated.overhead_fs = model.overhead_fs;
  simulated.gap_per_byte_fs = model.gap_per_byte_fs;
  simulated.eager_threshold_bytes = kUnlimited;
  const GoalProgram program = goal_of_trace(trace, options, findings);
  return {run_time(), none, simulate_loggops(program, simulated, "test").makespan_ns};
}

std::string all_to_all(int ranks) {
  std::string text;
  for (int r = 0; r < ranks; ++r)
    text += "rank " + std::to_string(r) + "\n alltoall bytes=3200000\n";
  return text;
}

std::string all_to_one(int ranks) {
  std::string first = "rank 0\n";
  std::string others;
  for (int r = 1; r < ranks; ++r) {
    first += " irecv from=" + std::to_string(r) + " bytes=200000 req=" + std::to_string(r) + "\n";
    others += "rank " + std::to_string(r) + "\n send to=0 bytes=200000\n";
  }
  return first + " waitall reqs=1.." + std::to_string(ranks - 1) + "\n" + others;
}

/// `more_ns`: what LogGOPS has beyond links.
void expect_agreement(const ThreeTimes& t, double more_ns) {
  EXPECT_NEAR(t.links, t.loggops - more_ns, 0.1 * t.loggops);
  EXPECT_GT(t.links, 15 * 199'999 * 0.018);
  EXPECT_LT(t.none, 0.5 * t.links);
}

// 16 ranks that send 200 kB to all or to one: what a rank sends or receives needs its link for 54
// us, which LogGPS without links takes at once. LogGOPS pays o for each of the receives that are
// waited for together, where LogGPS pays it once.
TEST(LinkOccupancy, AgreesWithLogGOPSWhereLinksAreWaitedFor) {
  expect_agreement(times_of(16, all_to_all(16), kUnlimited), 0);
  expect_agreement(times_of(16, all_to_all(16), 8192), 0);
  expect_agreement(times_of(16, all_to_one(16), 8192), 14 * 500);
}

}  // namespace
}  // namespace slackline
