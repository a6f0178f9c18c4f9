#include "base/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMebi = 1 << 20;

class MemoryTest : public ::testing::Test {
 protected:
  void put(const fs::path& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    write_file(root_ / name, text);
  }
  void put_machine() {
    put("proc/meminfo", "MemTotal:  8192 kB\nMemFree:   10 kB\nMemAvailable:    4096 kB\n");
  }
  ScratchFolder root_;
};

TEST_F(MemoryTest, IsWhatTheMachineHasLeft) {
  put_machine();
  const AvailableMemory available = available_memory(root_.path());
  EXPECT_EQ(available.bytes, 4 * kMebi);
  EXPECT_EQ(available.total, 8 * kMebi);
  EXPECT_EQ(available.reserve, 4 * kMebi / 10);
  EXPECT_EQ(available.limit, "MemAvailable");
}

TEST_F(MemoryTest, IsNoLimitWhereNothingIsSaid) {
  EXPECT_EQ(available_memory(root_.path()).bytes, ~std::uint64_t{0});
  require_memory({std::uint64_t{1} << 60, "", "", ""}, available_memory(root_.path()));
}

TEST_F(MemoryTest, AnyGroupAboveTheProcessLimitsIt) {
  put_machine();
  put("proc/self/cgroup", "0::/user/job\n");
  put("sys/fs/cgroup/user/job/memory.max", "max\n");
  put("sys/fs/cgroup/user/job/memory.current", "1000\n");
  EXPECT_EQ(available_memory(root_.path()).bytes, 4 * kMebi);
  put("sys/fs/cgroup/user/memory.max", "3145728\n");
  put("sys/fs/cgroup/user/memory.current", "2097152\n");
  put("sys/fs/cgroup/user/memory.stat", "anon 5\nfile 9\ninactive_file 524288\n");
  const AvailableMemory available = available_memory(root_.path());
  EXPECT_EQ(available.bytes, 3 * kMebi / 2);
  EXPECT_EQ(available.total, 3 * kMebi);
  EXPECT_EQ(available.limit, "the limit of the control group");
}

TEST_F(MemoryTest, KnowsGroupsOfTheFirstVersionInContainers) {
  put_machine();
  put("proc/self/cgroup", "5:cpuset:/\n4:memory:/only/on/the/host\n0::/\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "1048576\n");
  EXPECT_EQ(available_memory(root_.path()).bytes, 0);
}

TEST_F(MemoryTest, IsNotNegativeWhereMoreIsUsedThanAllowed) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "100\n");
  put("sys/fs/cgroup/memory.current", "200\n");
  EXPECT_EQ(available_memory(root_.path()).bytes, 0);
}

TEST_F(MemoryTest, OfAProcessIsWhatItDoesNotShare) {
  put("proc/7/smaps_rollup", "55-7f ---p 00 00:00 0 [rollup]\nRss: 90 kB\nPrivate_Dirty:  12 kB\n");
  put("proc/7/status", "Name:\tapp\nRssAnon:\t   50 kB\nVmPTE:\t 4 kB\n");
  EXPECT_EQ(private_memory(7, root_.path()), 16 * 1024);
  fs::remove(root_ / "proc/7/smaps_rollup");
  EXPECT_EQ(private_memory(7, root_.path()), 54 * 1024);
  EXPECT_EQ(private_memory(8, root_.path()), 0);
  EXPECT_GT(private_memory(getpid()), 0);
}

TEST_F(MemoryTest, WhatDoesNotFitIsRefusedWithNumbers) {
  const AvailableMemory ten{10 * kMebi, 20 * kMebi, kMebi, "MemAvailable"};
  require_memory({9 * kMebi, "cannot start", "3 MiB each", "Take fewer."}, ten);
  EXPECT_EQ(error_text([&] {
              require_memory({12 * kMebi, "cannot start", "3 MiB each", "Take fewer."}, ten);
            }),
            "cannot start: about 12.0 MiB of memory are needed (3 MiB each), and 10.0 MiB are "
            "available (MemAvailable). Take fewer.");
}

}  // namespace
}  // namespace slackline
