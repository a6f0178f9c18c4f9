#include "jobs/record/undisturbed_run.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(RunUndisturbed, EndsWithTheFirstUndisturbedRun) {
  int runs = 0;
  run_undisturbed(2, [&] { return Disturbance{.other_processes = ++runs == 1 ? 0.5 : 0.0}; });
  EXPECT_EQ(runs, 2);
}

TEST(RunUndisturbed, GivesUpAfterItsRetries) {
  int runs = 0;
  run_undisturbed(0, [&] {
    ++runs;
    return Disturbance{.no_processor = 0.5};
  });
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace slackline
