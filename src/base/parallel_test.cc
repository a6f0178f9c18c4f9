#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace slackline {
namespace {

TEST(ParallelFor, runs_every_task_once) {
  std::vector<std::atomic<int>> seen(1000);
  parallel_for(
      seen.size(), [&](std::size_t i) { ++seen[i]; }, 4);
  for (const auto& s : seen) EXPECT_EQ(s.load(), 1);
}

TEST(ParallelFor, nothing_to_do_is_fine) {
  parallel_for(0, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, rethrows_the_first_failure) {
  EXPECT_THROW(parallel_for(
                   100,
                   [](std::size_t i) {
                     if (i == 7) throw std::runtime_error("seven");
                   },
                   3),
               std::runtime_error);
}

}  // namespace
}  // namespace slackline
