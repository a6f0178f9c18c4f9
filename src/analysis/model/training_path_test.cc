#include "analysis/model/training_path.h"

#include <gtest/gtest.h>

#include "graph/training/training_graph.h"

namespace slackline {
namespace {

constexpr std::uint32_t kThread = 0;
constexpr std::uint32_t kStream = 1;

void launch(ProfiledRank& rank, GpuWork work, std::int64_t launched, TimeSpan time) {
  const auto call = static_cast<std::uint32_t>(rank.runtime_calls.size());
  rank.runtime_calls.push_back({{launched, launched + 2}, kThread, 0, false});
  const std::uint32_t name = work == GpuWork::communication ? 2 : 1;
  rank.gpu.push_back({time, work, kStream, name, call, kNotRecorded});
}

/// Operators aten::a from 0 to 4, all_reduce to 7 and aten::b to 9 launch a kernel, a collective,
/// and a kernel of 50; the first one takes 100, on rank 1 300.
ProfiledRank rank_of(std::int32_t number, std::int64_t first_ends) {
  ProfiledRank rank;
  rank.rank = number;
  rank.names = {"launch",  "gemm",       "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)",
                "aten::a", "all_reduce", "aten::b",
                "Linear_0"};
  rank.locations = {{false, 1}, {true, 7}};
  rank.cpu = {{{0, 9}, CpuRangeKind::module, kThread, 6},
              {{0, 4}, CpuRangeKind::operation, kThread, 3},
              {{5, 7}, CpuRangeKind::operation, kThread, 4},
              {{8, 9}, CpuRangeKind::operation, kThread, 5}};
  launch(rank, GpuWork::computation, 0, {10, first_ends});
  launch(rank, GpuWork::communication, 5, {first_ends, 350});
  launch(rank, GpuWork::computation, 8, {350, 400});
  return rank;
}

std::vector<TrainingPathTime> path_of(const TrainingRun& run) {
  const TrainingGraph built = build_training_graph(run);
  LogGPS model;
  model.latency_fs = built.network.latency_fs;
  model.gap_per_byte_fs = built.network.gap_per_byte_fs;
  model.overhead_fs = 0;
  const PicosecondCost cost(model);
  const Schedule schedule = model_schedule(built.graph, cost);
  return training_path({run, built.moments, built.graph, schedule, cost});
}

std::int64_t ns_of(const std::vector<TrainingPathTime>& path, TrainingPathPart part,
                   const std::string& operation) {
  std::int64_t ps = 0;
  for (const TrainingPathTime& row : path) {
    if (row.activity.part == part && row.activity.operation == operation) ps += row.time_ps;
  }
  return ps / kPicosPerNano;
}

TEST(TrainingPath, NamesKernelsAndTheirOperators) {
  TrainingRun run;
  run.ranks = {rank_of(0, 110), rank_of(4, 310)};
  const std::vector<TrainingPathTime> path = path_of(run);
  std::int64_t sum_ps = 0;
  for (const TrainingPathTime& row : path) sum_ps += row.time_ps;
  EXPECT_EQ(sum_ps, 400 * kPicosPerNano) << "the measured length";
  const TrainingActivity& longest = path.front().activity;
  EXPECT_EQ(path.front().time_ps, 300 * kPicosPerNano);
  EXPECT_EQ(longest.part, TrainingPathPart::kernel);
  EXPECT_EQ(longest.operation, "aten::a");
  EXPECT_EQ(longest.module, "Linear_0");
  EXPECT_EQ(longest.name, "gemm");
  EXPECT_EQ(longest.rank, 4) << "the straggler";
  EXPECT_EQ(longest.location, "stream 7");
  EXPECT_EQ(ns_of(path, TrainingPathPart::collective, "all_reduce"), 40);
  EXPECT_EQ(ns_of(path, TrainingPathPart::kernel, "aten::b"), 50);
  EXPECT_EQ(ns_of(path, TrainingPathPart::launch, "aten::a"), 10);
}

TEST(TrainingPath, NamesOperatorsBeforeALateLaunch) {
  ProfiledRank rank = rank_of(0, 110);
  rank.cpu.push_back({{400, 1000}, CpuRangeKind::operation, kThread, 5});
  launch(rank, GpuWork::computation, 900, {910, 950});
  rank.cpu.back().time.end_ns = 940;
  TrainingRun run;
  run.ranks = {rank};
  const std::vector<TrainingPathTime> path = path_of(run);
  EXPECT_EQ(ns_of(path, TrainingPathPart::cpu, "aten::b"), 1 + 500);
  EXPECT_EQ(ns_of(path, TrainingPathPart::cpu, "aten::a"), 4);
  EXPECT_EQ(ns_of(path, TrainingPathPart::cpu, "all_reduce"), 2);
  EXPECT_EQ(ns_of(path, TrainingPathPart::cpu, ""), 393);
  EXPECT_EQ(ns_of(path, TrainingPathPart::launch, "aten::b"), 10);
}

TEST(TrainingPath, IsATableThatAddsUp) {
  TrainingRun run;
  run.ranks = {rank_of(0, 110), rank_of(1, 310)};
  Section section;
  describe_training_path(path_of(run), section);
  const auto& table = std::get<Table>(section.items.front());
  double shares = 0;
  for (const auto& row : table.rows) shares += std::get<double>(row.back());
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_EQ(std::get<std::string>(table.rows[2][3]), "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
}

}  // namespace
}  // namespace slackline
