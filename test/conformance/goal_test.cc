// The GOAL cases with their known results: T, its derivatives with respect to L and G at five
// latencies, tolerances and breakpoints. They come from the linear program of the model (its
// optimum and reduced costs), computed apart from this project's engine.

#include <gtest/gtest.h>
#include <zstd.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "formats/goal/goal.h"
#include "graph/goal/goal_graph.h"
#include "sim/loggops/loggops.h"
#include "timing/envelope.h"
#include "timing/makespan.h"
#include "timing/tolerance.h"

namespace slackline {
namespace {

constexpr std::int64_t kNs = 1'000'000;  // femtoseconds
constexpr LogGPS kModel{
    .latency_fs = 3000 * kNs, .overhead_fs = 5000 * kNs, .gap_per_byte_fs = 18'000};

GoalProgram read_program(const std::string& name) {
  const auto folder = std::filesystem::path(SLACKLINE_CASES) / "goal";
  if (std::filesystem::exists(folder / (name + ".goal"))) {
    const MappedFile file(folder / (name + ".goal"));
    return read_goal_text(file.text(), name);
  }
  const MappedFile file(folder / (name + ".goal.zst"));
  const auto bytes = file.bytes();
  std::string text(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
  ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  return read_goal_text(text, name);
}

ExecutionGraph read_case(const std::string& name) {
  return build_goal_graph(read_program(name), name, {}).graph;
}

struct Known {
  std::int64_t latency_ns;
  double makespan_ns;
  std::int64_t lambda_latency;
  std::int64_t lambda_gap;
};

void expect_values(const ExecutionGraph& graph, const std::vector<Known>& known) {
  MakespanFunction of_latency(graph, kModel, Parameter::latency);
  for (const Known& k : known) {
    const Ticks x = of_latency.from_fs(k.latency_ns * kNs);
    const PathLine line = of_latency.line_at(x);
    EXPECT_NEAR(of_latency.value_ns(line, x), k.makespan_ns, 1e-9 * k.makespan_ns);
    EXPECT_EQ(line.slope, k.lambda_latency);
    LogGPS model = kModel;
    model.latency_fs = k.latency_ns * kNs;
    MakespanFunction of_gap(graph, model, Parameter::gap_per_byte);
    EXPECT_EQ(of_gap.line_at(of_gap.base()).slope, k.lambda_gap);
  }
}

void expect_tolerances(const ExecutionGraph& graph, const std::vector<double>& known_ns) {
  MakespanFunction t(graph, kModel, Parameter::latency);
  const std::int64_t degradations_ppm[] = {10'000, 20'000, 50'000};
  for (std::size_t i = 0; i < known_ns.size(); ++i) {
    const Tolerance tolerance = find_tolerance(t, degradations_ppm[i]);
    ASSERT_TRUE(tolerance.value.has_value());
    EXPECT_NEAR(t.to_ns(*tolerance.value), known_ns[i], 5e-4);
  }
}

void expect_breakpoints(const ExecutionGraph& graph, std::size_t count, std::int64_t first_lambda,
                        std::int64_t last_lambda) {
  MakespanFunction t(graph, kModel, Parameter::latency);
  const Envelope envelope = compute_envelope(t, t.from_fs(3000 * kNs), t.from_fs(13'000 * kNs));
  EXPECT_EQ(envelope.breakpoints().size(), count);
  EXPECT_EQ(envelope.pieces.front().line.slope, first_lambda);
  EXPECT_EQ(envelope.pieces.back().line.slope, last_lambda);
}

TEST(GoalCases, Sweep3d) {
  const ExecutionGraph graph = read_case("sweep3d_4");
  expect_values(graph, {{0, 41919539657.566, 101, 2592087},
                        {1000, 41919642657.926, 105, 2592107},
                        {3000, 41919866659.186, 119, 2592177},
                        {10'000, 41920762660.806, 137, 2592267},
                        {100'000, 41933482661.040, 142, 2592280}});
  expect_tolerances(graph, {2936738.914, 5868198.121, 14662575.742});
  expect_breakpoints(graph, 6, 119, 137);
}

TEST(GoalCases, Lulesh) {
  const ExecutionGraph graph = read_case("lulesh27");
  expect_values(graph, {{0, 63146669.258, 303, 37181},
                        {1000, 63458694.872, 328, 38604},
                        {3000, 64144699.282, 371, 38849},
                        {10'000, 67436736.542, 589, 40919},
                        {100'000, 145370166.976, 901, 64832}});
  expect_tolerances(graph, {4635.943, 6090.527, 9853.042});
  expect_breakpoints(graph, 91, 371, 663);
}

/// In ns; with what the simulator does to messages of no bytes.
LogGOPS simulator(std::int64_t latency, std::int64_t overhead, std::int64_t gap,
                  std::int64_t gap_per_byte, std::uint64_t threshold) {
  return {.latency_fs = latency * kNs,
          .overhead_fs = overhead * kNs,
          .gap_fs = gap * kNs,
          .gap_per_byte_fs = gap_per_byte * kNs,
          .overhead_per_byte_fs = 0,
          .eager_threshold_bytes = threshold,
          .loggopsim_deviations = true};
}

/// Results of LogGOPSim itself, to the nanosecond.
void expect_simulated(const std::string& name, const std::vector<double>& makespans_ns) {
  const GoalProgram program = read_program(name);
  const LogGOPS models[] = {
      simulator(3000, 0, 0, 0, 256000),      simulator(3000, 5000, 0, 0, 256000),
      simulator(3000, 5000, 100, 0, 256000), simulator(10000, 5000, 0, 0, 256000),
      simulator(3000, 5000, 0, 1, 4096),     simulator(3000, 1000, 50, 2, 100)};
  for (std::size_t i = 0; i < makespans_ns.size(); ++i) {
    EXPECT_EQ(simulate_loggops(program, models[i], name).makespan_ns, makespans_ns[i])
        << name << ", set " << i;
  }
}

TEST(GoalCases, LogGopsSimsTimes) {
  expect_simulated("sweep3d_4",
                   {41904395000, 41920008000, 41920008000, 41920848000, 42081791898, 42161740282});
  expect_simulated("lulesh27", {39569000, 89485000, 89485000, 91590000, 90799302, 52096302});
  expect_simulated("alltoall_100", {3000, 990000, 990000, 990000, 1395405, 1305810});
  expect_simulated("bcast_4", {13000, 73000, 73000, 87000, 73066, 25132});
}

}  // namespace
}  // namespace slackline
