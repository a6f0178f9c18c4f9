#include "graph/training/training_graph.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

constexpr std::uint32_t kThread = 0;
constexpr std::uint32_t kStream = 1;

ProfiledRank rank_of(std::int32_t number) {
  ProfiledRank rank;
  rank.rank = number;
  rank.names = {"launch", "gemm", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"};
  rank.locations = {{false, 1}, {true, 7}};
  return rank;
}

void launch(ProfiledRank& rank, GpuWork work, std::int64_t launched, TimeSpan time) {
  const auto call = static_cast<std::uint32_t>(rank.runtime_calls.size());
  rank.runtime_calls.push_back({{launched, launched + 2}, kThread, 0, false});
  const std::uint32_t name = work == GpuWork::communication ? 2 : 1;
  rank.gpu.push_back({time, work, kStream, name, call, kNotRecorded});
}

// A kernel of 100 (rank 1: 300), then an AllReduce that ends 40 after the last has come.
TrainingRun pair() {
  TrainingRun run;
  run.ranks = {rank_of(0), rank_of(1)};
  launch(run.ranks[0], GpuWork::computation, 0, {10, 110});
  launch(run.ranks[0], GpuWork::communication, 5, {110, 350});
  launch(run.ranks[0], GpuWork::computation, 8, {350, 400});
  launch(run.ranks[1], GpuWork::computation, 0, {10, 310});
  launch(run.ranks[1], GpuWork::communication, 5, {310, 350});
  launch(run.ranks[1], GpuWork::computation, 8, {350, 400});
  return run;
}

// The ranks' ends by a plain walk over the edges, with L in ns and no bytes.
std::int64_t length_of(const ExecutionGraph& graph, std::int64_t latency_ns) {
  std::vector<std::int64_t> times(graph.vertex_count());
  std::int64_t longest = 0;
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    graph.for_in_edges(v, [&](const Edge& edge) {
      times[v] = std::max(times[v], times[edge.from] + edge.nanoseconds +
                                        std::int64_t{edge.latencies} * latency_ns);
    });
    longest = std::max(longest, times[v]);
  }
  return longest;
}

TEST(TrainingGraph, TakesAsLongAsWasMeasured) {
  const TrainingGraph found = build_training_graph(pair());
  EXPECT_EQ(found.measured_ns, 400);
  EXPECT_EQ(found.network.latency_fs, 20'000'000);  // two steps of 20
  EXPECT_EQ(length_of(found.graph, 20), 400);
  EXPECT_EQ(found.graph.ranks(), 2);
}

// The way of the last rank crosses the network twice and back to itself.
TEST(TrainingGraph, PaysLatencyForEachStep) {
  const TrainingGraph found = build_training_graph(pair());
  EXPECT_EQ(length_of(found.graph, 120), 400 + 2 * 100);
}

// Without the late rank both come at 110.
TEST(TrainingGraph, BalancesWorkOfTheSameCall) {
  const TrainingGraph found = build_training_graph(pair(), TrainingEdit::no_straggler);
  EXPECT_EQ(length_of(found.graph, 20), 400 - 200);
}

TEST(TrainingGraph, OfNothingIsEmpty) {
  EXPECT_EQ(build_training_graph(TrainingRun{}).measured_ns, 0);
}

}  // namespace
}  // namespace slackline
