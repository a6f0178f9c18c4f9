#include "app/load/watched_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>

#include "base/error.h"
#include "formats/raw/findings.h"
#include "formats/raw/testing/raw_file_builder.h"

namespace slackline {
namespace {

using slackline::testing::RawFileBuilder;
using ::testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;

std::uint64_t real_time_ns() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

class WatchedJobTest : public slackline::testing::RawReaderTest {
 protected:
  /// A rank of a job that began that long ago on another host; times are in seconds since then.
  static RawFileBuilder rank(std::int32_t number, std::int32_t ranks, std::int64_t age_s) {
    RawFileBuilder file(number, ranks);
    file.header().finalized = 0;
    file.header().pid = getpid();
    file.header().monotonic_ns = kSecond;
    file.header().realtime_ns = real_time_ns() - static_cast<std::uint64_t>(age_s * kSecond);
    return file;
  }
  static void call(RawFileBuilder& file, slk_operation op, std::int64_t begin_s,
                   std::int64_t end_s) {
    const auto at = [](std::int64_t s) { return static_cast<std::uint64_t>((s + 1) * kSecond); };
    file.call(op, at(begin_s), end_s == 0 ? 0 : at(end_s));
  }
  void write_rank(std::int32_t number, const std::string& bytes) {
    write("rank-" + std::to_string(number) + ".slkraw", bytes);
  }
  JobStatus look(std::int64_t window_ns) { return WatchedJob(folder_, window_ns).look(3); }
};

TEST_F(WatchedJobTest, SilentRanksDoWhatTheyDidLast) {
  RawFileBuilder waits = rank(0, 2, 600);
  call(waits, SLK_OP_init, 0, 1);
  call(waits, SLK_OP_barrier, 100, 0);
  write_rank(0, waits.staged_bytes());
  RawFileBuilder computes = rank(1, 2, 600);
  call(computes, SLK_OP_init, 0, 1);
  write_rank(1, computes.staged_bytes());
  const JobStatus job = look(kMinute);
  EXPECT_EQ(job.state, JobStatus::State::running);
  const std::int64_t length = job.recent.length_ns();
  EXPECT_GE(length, kMinute);
  EXPECT_LE(length, kMinute + kSecond);
  ASSERT_EQ(job.ranks.size(), 2u);
  const RankStatus& late = job.ranks[0];
  EXPECT_EQ(late.rank, 1);
  EXPECT_EQ(late.state, RankStatus::State::computing);
  EXPECT_EQ(late.recent.computation_ns, length);
  const RankStatus& waiting = job.ranks[1];
  EXPECT_EQ(waiting.state, RankStatus::State::in_mpi);
  EXPECT_EQ(waiting.operation, Operation::barrier);
  EXPECT_EQ(waiting.recent.mpi_ns, length);
  EXPECT_EQ(waiting.whole.computation_ns, 99 * kSecond);
  EXPECT_EQ(waiting.since_ns, 101 * kSecond);
  EXPECT_TRUE(is_silent(job, late));
  EXPECT_TRUE(is_silent(job, waiting));
}

TEST_F(WatchedJobTest, PollsThatGoOnAreOneWait) {
  RawFileBuilder file = rank(0, 1, 600);
  call(file, SLK_OP_init, 0, 1);
  constexpr auto kAt = [](std::int64_t s) { return static_cast<std::uint64_t>((s + 1) * kSecond); };
  file.add({kAt(10), kAt(590), 0, -1, 0, 0, 0, 0, 0, SLK_FLAG_FAILED, SLK_OP_test}, {1000, 500});
  const std::string between = file.staged_bytes();
  call(file, SLK_OP_test, 595, 0);
  write_rank(0, file.staged_bytes());
  const RankStatus polls = look(kMinute).ranks.at(0);
  EXPECT_EQ(polls.state, RankStatus::State::in_mpi);
  EXPECT_EQ(polls.operation, Operation::test);
  EXPECT_EQ(polls.since_ns, 11 * kSecond);
  EXPECT_EQ(polls.heard_ns, 591 * kSecond);
  EXPECT_EQ(polls.whole.computation_ns, (9 + 5) * kSecond);
  write_rank(0, between);  // the last one has returned
  const RankStatus computes = look(kMinute).ranks.at(0);
  EXPECT_EQ(computes.state, RankStatus::State::computing);
  EXPECT_EQ(computes.since_ns, 591 * kSecond);
}

TEST_F(WatchedJobTest, EfficienciesOfAJobThatHasEndedAreItsOwn) {
  for (std::int32_t r = 0; r < 2; ++r) {
    RawFileBuilder file = rank(r, 2, 600);
    file.header().finalized = 1;
    call(file, SLK_OP_init, 0, 2);
    call(file, SLK_OP_barrier, r == 0 ? 4 : 8, 8);  // 2 s and 6 s of computation
    call(file, SLK_OP_finalize, 8, 10);
    write_rank(r, file.bytes());
  }
  const JobStatus job = look(0);
  EXPECT_EQ(job.state, JobStatus::State::ended);
  EXPECT_EQ(job.whole, (TimeInterval{kSecond, 11 * kSecond}));
  const EfficiencyInputs in = efficiency_inputs(job, job.whole, &RankStatus::whole);
  const EfficiencyFactors f = factors(in, EfficiencyVariant::multiplicative);
  EXPECT_DOUBLE_EQ(f.parallel, 0.4);
  EXPECT_DOUBLE_EQ(f.load_balance, 4.0 / 6);
  EXPECT_DOUBLE_EQ(f.communication, 0.6);
  EXPECT_EQ(job.ranks[0].rank, 1);
  EXPECT_EQ(job.ranks[0].recent, job.ranks[0].whole);
  // Its last 3 s, of which the calls of the second before the last slice are no part.
  const JobStatus end = look(3 * kSecond);
  EXPECT_EQ(end.recent, (TimeInterval{8 * kSecond, 11 * kSecond}));
  EXPECT_EQ(end.ranks[0].recent.computation_ns, kSecond);
  EXPECT_EQ(end.ranks[1].recent.mpi_ns, 3 * kSecond);
}

TEST_F(WatchedJobTest, ProcessesOfThisHostAreLookedUp) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  RawFileBuilder file = rank(0, 1, 10);
  std::snprintf(file.header().boot_id, sizeof file.header().boot_id, "%s", boot.c_str());
  call(file, SLK_OP_init, 0, 1);
  write_rank(0, file.staged_bytes());
  EXPECT_EQ(look(kMinute).state, JobStatus::State::running);
  file.header().pid = 0x3fffffff;  // above the largest that Linux gives
  write_rank(0, file.staged_bytes());
  const JobStatus job = look(kMinute);
  EXPECT_EQ(job.state, JobStatus::State::ended);
  EXPECT_EQ(job.ranks[0].state, RankStatus::State::gone);
  EXPECT_EQ(job.whole.length_ns(), kSecond);
  // It was killed in MPI_Init.
  RawFileBuilder none = rank(0, 1, 10);
  none.header() = file.header();
  write_rank(0, none.staged_bytes());
  EXPECT_EQ(look(kMinute).state, JobStatus::State::ended);
}

TEST_F(WatchedJobTest, PartsOfDamagedFilesAddUp) {
  RawFileBuilder file = rank(0, 1, 50);
  call(file, SLK_OP_init, 0, 1);
  for (int i = 0; i < 20; ++i) call(file, SLK_OP_barrier, 2 + 2 * i, 3 + 2 * i);
  std::mt19937 random(11);
  for (int i = 0; i < 500; ++i) {
    std::string bytes = file.bytes();
    for (unsigned flips = random() % 8 + 1; flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    write_rank(0, bytes);
    WatchedJob watched(folder_, kMinute);
    const JobStatus job = watched.look(1);
    for (const RankStatus& r : job.ranks) {
      const MpiSums& all = r.whole;
      EXPECT_EQ(all.computation_ns + all.paused_ns + all.mpi_ns, job.whole.length_ns());
      EXPECT_GE(std::min({all.computation_ns, all.paused_ns, all.mpi_ns}), 0);
    }
    watched.look(1);
  }
  write_rank(0, "no recording");
  WatchedJob nothing(folder_, kMinute);
  EXPECT_EQ(nothing.look(1).state, JobStatus::State::waiting);
}

}  // namespace
}  // namespace slackline
