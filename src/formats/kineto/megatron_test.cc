#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "formats/kineto/reader.h"
#include "trace/testing/shared_traces.h"
#include "training/training_analysis.h"

// A step of Megatron with tensor parallelism over eight ranks. The expected figures are those of
// test/oracle/training_figures.py, which counts microseconds and knows nothing of this program.

namespace slackline {
namespace {

constexpr std::int64_t kMicro = 1000;

class Megatron : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = testing::shared_trace("megatron-tp8");
    if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << folder << " is not here";
    run_ = read_kineto(kineto_files(folder));
    analysis_ = analyse_training(run_);
  }

  TrainingRun run_;
  TrainingAnalysis analysis_;
};

TEST_F(Megatron, IsReadWhole) {
  ASSERT_EQ(run_.ranks.size(), 8u);
  EXPECT_EQ(run_.world_size, 8);
  EXPECT_TRUE(run_.findings.empty());
  for (const ProfiledRank& rank : run_.ranks) {
    EXPECT_EQ(rank.gpu.size(), 690u + 81 + 6);
    for (const GpuActivity& activity : rank.gpu) EXPECT_NE(activity.launch, kNotRecorded);
  }
}

TEST_F(Megatron, HasTheStepOfTheOracle) {
  struct Expected {
    std::int64_t duration, computation, exposed, copies, idle;
    std::int64_t synchronization, data_loading, launch_bound, queued;
  };
  const std::vector<Expected> expected{
      {603240, 131390, 241191, 146, 230513, 19, 52, 213875, 16567},
      {623319, 131923, 481306, 178, 9912, 29, 2292, 6079, 1512},
      {617968, 131474, 413325, 170, 72999, 19, 6878, 58784, 7318},
      {628057, 132743, 472390, 173, 22751, 18, 2239, 16286, 4208},
      {633339, 131874, 495240, 181, 6044, 20, 2465, 2032, 1527},
      {633121, 131544, 490928, 181, 10468, 20, 2256, 6583, 1609},
      {633541, 133554, 263846, 151, 235990, 20, 27004, 173955, 35011},
      {627883, 132271, 481865, 179, 13568, 20, 2317, 9689, 1542}};
  ASSERT_EQ(analysis_.steps.size(), 1u);
  const TrainingStep& step = analysis_.steps[0];
  EXPECT_EQ(step.step, 3);
  ASSERT_EQ(step.ranks.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(i);
    const StepTime& time = step.ranks[i].time;
    EXPECT_EQ(time.time.duration_ns(), expected[i].duration * kMicro);
    EXPECT_EQ(time.computation_ns, expected[i].computation * kMicro);
    EXPECT_EQ(time.exposed_communication_ns, expected[i].exposed * kMicro);
    EXPECT_EQ(time.exposed_copy_ns, expected[i].copies * kMicro);
    EXPECT_EQ(time.overlap_ns, 0);
    EXPECT_EQ(time.idle.total_ns(), expected[i].idle * kMicro);
    EXPECT_EQ(time.idle.synchronization_ns, expected[i].synchronization * kMicro);
    EXPECT_EQ(time.idle.data_loading_ns, expected[i].data_loading * kMicro);
    EXPECT_EQ(time.idle.launch_bound_ns, expected[i].launch_bound * kMicro);
    EXPECT_EQ(time.idle.queued_ns, expected[i].queued * kMicro);
  }
  EXPECT_EQ(step.straggler_rank, 0);
}

TEST_F(Megatron, HasTheCollectivesOfTheOracle) {
  struct Expected {
    std::size_t collective;
    std::uint32_t straggler;
    std::int64_t transfer;
    std::vector<std::int64_t> waiting;
  };
  const std::vector<Expected> expected{
      {0, 0, 662, {0, 31904, 13886, 36780, 41724, 41730, 17402, 30770}},
      {1, 6, 596, {3704, 3696, 3684, 3654, 3677, 3685, 0, 3717}},
      {40, 6, 687, {9947, 9925, 9898, 9887, 9914, 9935, 0, 9907}},
      {83, 0, 27, {0, 69, 70, 70, 70, 69, 71, 69}}};
  ASSERT_EQ(analysis_.collectives.size(), 84u);
  for (const Expected& figures : expected) {
    SCOPED_TRACE(figures.collective);
    const TrainingCollective& collective = analysis_.collectives[figures.collective];
    EXPECT_EQ(collective.straggler, figures.straggler);
    EXPECT_EQ(collective.transfer_ns, figures.transfer * kMicro);
    ASSERT_EQ(collective.members.size(), figures.waiting.size());
    for (std::size_t rank = 0; rank < figures.waiting.size(); ++rank) {
      EXPECT_EQ(collective.members[rank].waiting_ns, figures.waiting[rank] * kMicro);
    }
  }
}

TEST_F(Megatron, HasTheStragglersOfTheOracle) {
  EXPECT_EQ(analysis_.waiting_ns, 2939490 * kMicro);
  ASSERT_EQ(analysis_.stragglers.size(), 6u);
  struct Expected {
    std::int32_t rank;
    std::int64_t caused;
    const char* operation;
    std::int64_t excess;
  };
  const char* const linear = "LinearWithGradAccumulationAndAsyncCommunication";
  const char* const reduction = "_ReduceFromModelParallelRegion";
  const std::vector<Expected> expected{
      {0, 1533247, linear, 65714}, {6, 1218936, reduction, 39305},
      {2, 170971, linear, 18591},  {3, 15738, reduction, 1877},
      {1, 513, linear, 47},        {5, 85, "Torch-Compiled Region", 20}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Straggler& straggler = analysis_.stragglers[i];
    SCOPED_TRACE(i);
    EXPECT_EQ(straggler.rank, expected[i].rank);
    EXPECT_EQ(straggler.caused_ns, expected[i].caused * kMicro);
    ASSERT_TRUE(straggler.place);
    EXPECT_EQ(straggler.place->operation, expected[i].operation);
    EXPECT_EQ(straggler.excess_ns, expected[i].excess * kMicro);
  }
}

}  // namespace
}  // namespace slackline
