#include "page/training_timeline.h"
#include "page/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page/drawn_timeline.h"
#include "page/testing/column_reader.h"

namespace slackline {
namespace {

using testing::ColumnReader;
using ::testing::ElementsAre;

constexpr std::uint32_t kThread = 0;
constexpr std::uint32_t kStream = 1;

/// A rank of one thread and one stream, which launches a GEMM in an operator of a module and then
/// one collective.
ProfiledRank rank_of(std::int32_t number, std::int64_t collective_begin) {
  ProfiledRank rank;
  rank.rank = number;
  rank.locations = {{false, 11}, {true, 7}};
  rank.names = {"aten::linear", "nn.Module: Linear_0", "aten::addmm",    "cudaLaunchKernel",
                "gemm",         "ncclAllReduce",       "c10d/allreduce_"};
  rank.cpu = {{{100, 200}, CpuRangeKind::module, kThread, 1},
              {{110, 160}, CpuRangeKind::operation, kThread, 0},
              {{112, 158}, CpuRangeKind::operation, kThread, 2},
              {{170, 190}, CpuRangeKind::operation, kThread, 6}};
  rank.runtime_calls = {{{120, 125}, kThread, 3, false}, {{175, 180}, kThread, 3, false}};
  rank.gpu = {{{140, 240}, GpuWork::computation, kStream, 4, 0, kNotRecorded},
              {{collective_begin, 500}, GpuWork::communication, kStream, 5, 1, kNotRecorded}};
  rank.steps = {{3, {100, 500}}};
  return rank;
}

Timeline drawn(const TrainingRun& run) {
  const Section section = training_timeline(run, analyse_training(run));
  return dynamic_cast<const Timeline&>(*std::get<PicturePtr>(section.items.front()));
}

TrainingRun two_ranks() {
  TrainingRun run;
  run.ranks = {rank_of(0, 250), rank_of(4, 400)};
  run.world_size = 2;
  return run;
}

TEST(TrainingRows, AreThreadsAndStreamsBelowTheirRank) {
  const Timeline t = drawn(two_ranks());
  std::vector<std::string> names;
  std::vector<std::int32_t> ranks;
  for (const Timeline::Row& row : t.rows) {
    names.push_back(row.name);
    ranks.push_back(row.rank);
  }
  EXPECT_THAT(
      names, ElementsAre("operators", "launches", "stream 7", "operators", "launches", "stream 7"));
  EXPECT_THAT(ranks, ElementsAre(0, 0, 0, 4, 4, 4));
  EXPECT_EQ(t.ranks, 6);
  EXPECT_EQ(t.calls, 12u);
  EXPECT_EQ(t.span, 400u) << "from the first begin of all ranks";
  ASSERT_EQ(t.groupings.size(), 1u);
  EXPECT_EQ(t.groupings[0].groups[1].name, "rank 4");
  EXPECT_THAT(t.groupings[0].groups[1].ranks, ElementsAre(std::pair(3, 5)));
  ASSERT_EQ(t.phases.size(), 1u);
  EXPECT_EQ(t.phases[0].name, "step 3");
}

TEST(TrainingRows, HoldTimesNamesLaunchesAndCollectives) {
  const Timeline t = drawn(two_ranks());
  ASSERT_EQ(t.runs.size(), 1u);
  ASSERT_EQ(t.runs[0].chunks.size(), 1u);
  ColumnReader in(t.runs[0].chunks[0].blob);
  EXPECT_THAT(in.varints(6), ElementsAre(2, 2, 2, 2, 2, 2)) << "count";
  EXPECT_THAT(in.varints(6), ElementsAre(0, 0, 0, 0, 0, 0)) << "first";
  const std::vector<int> operations = in.bytes(12);
  std::vector<std::string> classes;
  for (const int operation : operations) {
    classes.push_back(t.classes[static_cast<std::size_t>(operation)]);
  }
  EXPECT_THAT(classes,
              ElementsAre("operator", "operator", "launch", "launch", "kernel", "collective",
                          "operator", "operator", "launch", "launch", "kernel", "collective"));
  EXPECT_THAT(in.varints(12), ElementsAre(0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1)) << "launches";
  EXPECT_THAT(in.varints(4), ElementsAre(1, 1, 1, 1)) << "zigzag: the row before";
  EXPECT_THAT(in.varints(4), ElementsAre(0, 0, 0, 0)) << "the call of the same number";
  EXPECT_THAT(in.varints(12), ElementsAre(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1)) << "collective 0";
  // By operation: computation, communication, operators, launches; zigzag of gaps from 100 on.
  EXPECT_THAT(in.split(12), ElementsAre(80, 80, 20, 320, 20, 20, 20, 20, 40, 100, 40, 100));
  // Ends less what is expected: the begin of the launch where it is later, or the collective's.
  EXPECT_THAT(in.split(12), ElementsAre(200, 200, 500, 0, 100, 40, 100, 40, 10, 10, 10, 10));
  EXPECT_THAT(in.varints(12), ElementsAre(0, 0, 4, 4, 0, 0, 0, 0, 4, 4, 0, 0)) << "activity's row";
  EXPECT_THAT(in.varints(12), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) << "bytes";
  EXPECT_THAT(in.bytes(12), ElementsAre(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)) << "wait state";
  EXPECT_THAT(in.varints(1), ElementsAre(200)) << "transfer: 100";
  EXPECT_THAT(in.varints(1), ElementsAre(6)) << "waits for row 5";
  std::vector<std::string> paths;
  for (const std::int64_t path : in.varints(12)) {
    paths.push_back(t.regions[static_cast<std::size_t>(path)]);
  }
  EXPECT_EQ(paths[0], "nn.Module: Linear_0/aten::linear");
  EXPECT_EQ(paths[1], "nn.Module: Linear_0/c10d\u2215allreduce_");
  EXPECT_EQ(paths[2], "nn.Module: Linear_0/aten::linear/cudaLaunchKernel");
  EXPECT_EQ(paths[4], "nn.Module: Linear_0/aten::linear/gemm");
  EXPECT_EQ(paths[5], "nn.Module: Linear_0/c10d\u2215allreduce_/ncclAllReduce");
  const std::vector<std::int64_t> before = in.varints(12);
  EXPECT_EQ(t.regions[static_cast<std::size_t>(before[1])], "nn.Module: Linear_0")
      << "between its operators";
  EXPECT_EQ(before[5], 0u);
  in.varints(6);
  EXPECT_TRUE(in.at_end());
}

TEST(TrainingRows, ShowAnnotationsOnlyWhereNoOperatorIsInThem) {
  ProfiledRank rank = rank_of(0, 250);
  rank.names.emplace_back("wait for data");
  rank.cpu.push_back({{200, 230}, CpuRangeKind::annotation, kThread, 7});
  TrainingRun run;
  run.ranks = {rank};
  const Timeline t = drawn(run);
  ColumnReader in(t.runs[0].chunks[0].blob);
  EXPECT_THAT(in.varints(3), ElementsAre(3, 2, 2));
  EXPECT_THAT(t.regions, ::testing::Contains("wait for data"));
}

TEST(TrainingRows, NameThreadsWhereSeveralLaunch) {
  ProfiledRank rank = rank_of(0, 250);
  rank.locations.push_back({false, 12});
  rank.runtime_calls[1].location = 2;
  TrainingRun run;
  run.ranks = {rank};
  std::vector<std::string> names;
  for (const Timeline::Row& row : drawn(run).rows) names.push_back(row.name);
  EXPECT_THAT(names, ElementsAre("thread 11, operators", "thread 11, launches",
                                 "thread 12, launches", "stream 7"));
}

TEST(TrainingRows, LeaveOutThreadsThatLaunchNothing) {
  ProfiledRank rank = rank_of(0, 250);
  rank.locations.push_back({false, 12});
  rank.cpu.push_back({{210, 230}, CpuRangeKind::operation, 2, 0});
  TrainingRun run;
  run.ranks = {rank};
  EXPECT_EQ(drawn(run).rows.size(), 3u);
}

}  // namespace
}  // namespace slackline
