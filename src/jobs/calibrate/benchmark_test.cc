#include "jobs/calibrate/benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kProgram{"BENCHMARK"};

TEST(BenchmarkCommand, FollowsTheLaunchersOptions) {
  EXPECT_THAT(benchmark_command({"mpirun", "-n", "2"}, 0, kProgram),
              ElementsAre("mpirun", "-n", "2", "BENCHMARK"));
  EXPECT_THAT(
      benchmark_command({"env", "A=1", "mpirun", "--bind-to", "core", "-n", "2"}, 2, kProgram),
      ElementsAre("env", "A=1", "mpirun", "--bind-to", "core", "-n", "2", "BENCHMARK"));
}

TEST(BenchmarkCommand, StandsInTheProgramsPlace) {
  EXPECT_THAT(benchmark_command({"mpirun", "-n", "2", "/bin/ls", "-l"}, 0, kProgram),
              ElementsAre("mpirun", "-n", "2", "BENCHMARK"));
  EXPECT_THAT(benchmark_command({"mpirun", "-n", "2", "ls", "input.txt"}, 0, kProgram),
              ElementsAre("mpirun", "-n", "2", "BENCHMARK"));
  // A value that is the name of a program, as `node` is of one.
  EXPECT_THAT(benchmark_command({"mpirun", "--map-by", "ls", "-n", "2"}, 0, kProgram),
              ElementsAre("mpirun", "--map-by", "ls", "-n", "2", "BENCHMARK"));
}

TEST(RunBenchmark, NeedsALauncher) {
  EXPECT_THROW(run_benchmark({}), Error);
  EXPECT_THROW(run_benchmark({.command = {"ls"}, .samples = "samples"}), Error);
}

}  // namespace
}  // namespace slackline
