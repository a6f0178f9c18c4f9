#include "jobs/replay/replay_job.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(StartedRanks, AreWhatTheLauncherIsTold) {
  EXPECT_EQ(started_ranks({"mpirun", "-n", "4"}, 0), 4);
  EXPECT_EQ(started_ranks({"time", "mpirun", "-np", "16", "--oversubscribe"}, 1), 16);
}

TEST(StartedRanks, OfSeveralPartsAreTheSum) {
  EXPECT_EQ(started_ranks({"mpiexec", "-n", "1", "a", ":", "-n", "3", "b"}, 0), 4);
}

TEST(StartedRanks, AreUnknownWithoutAnOption) {
  EXPECT_EQ(started_ranks({"srun"}, 0), std::nullopt);
  EXPECT_EQ(started_ranks({"mpirun", "-n", "all"}, 0), std::nullopt);
}

}  // namespace
}  // namespace slackline
