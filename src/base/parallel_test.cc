#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <thread>
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

TEST(ParallelFor, nested_loops_share_their_threads) {
  std::atomic<unsigned> now{0};
  std::atomic<unsigned> most{0};
  std::atomic<int> tasks{0};
  parallel_for(8, [&](std::size_t) {
    parallel_for(8, [&](std::size_t) {
      parallel_for(8, [&](std::size_t) {
        const unsigned running = ++now;
        unsigned before = most;
        while (before < running && !most.compare_exchange_weak(before, running)) {
        }
        std::this_thread::yield();
        ++tasks;
        --now;
      });
    });
  });
  EXPECT_EQ(tasks, 512);
  EXPECT_LE(most, hardware_threads() + 1) << "helpers, and this one";
}

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(ParallelFor, leaves_no_threads) {
  const std::ptrdiff_t before = threads_of_process();
  for (int i = 0; i < 20; ++i) {
    parallel_for(8, [](std::size_t) { parallel_for(8, [](std::size_t) {}); });
  }
  // The kernel lists a thread a moment longer than it can be joined.
  for (int i = 0; i < 1000 && threads_of_process() > before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(threads_of_process(), before);
}

TEST(ParallelFor, goes_on_in_a_child_of_fork) {
  parallel_for(100, [](std::size_t) {});
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int> tasks{0};
    parallel_for(100, [&](std::size_t) { ++tasks; });
    ::_exit(tasks == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace slackline
