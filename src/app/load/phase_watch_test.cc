#include "app/load/phase_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "formats/raw/testing/raw_file_builder.h"

namespace slackline {
namespace {

using slackline::testing::RawFileBuilder;
using ::testing::HasSubstr;

constexpr std::size_t kIterations = 200;  // of each of three parts
constexpr std::uint64_t kStart = 1'000'000;
constexpr std::int64_t kBarrier = 5'000;  // with which an iteration begins or ends

/// A job of two ranks in three parts: equal computation between barriers, messages for which rank 0
/// waits while rank 1 computes, and the first part again.
class PhaseWatchTest : public slackline::testing::RawReaderTest {
 protected:
  struct Rank {
    explicit Rank(std::int32_t number) : file(number, 2) {
      file.header().monotonic_ns = kStart;
      file.header().finalized = 0;
      add(SLK_OP_init, 0, 100'000);
    }
    /// After that much computation.
    void add(slk_operation op, std::uint64_t computation, std::uint64_t length,
             std::int32_t peer = SLK_PEER_NONE, std::uint32_t request = 0) {
      now += computation;
      file.call(op, now, now + length, peer, request);
      now += length;
    }
    RawFileBuilder file;
    std::uint64_t now = kStart;
  };

  static void iterate(std::vector<Rank>& ranks, std::size_t i) {
    if (i / kIterations == 1) {
      ranks[0].add(SLK_OP_recv, 50'000, 3'960'000, 1);
      ranks[1].add(SLK_OP_send, 4'000'000, 10'000, 0);
    } else {
      for (Rank& rank : ranks) rank.add(SLK_OP_allreduce, 1'000'000, 5'000);
    }
    for (Rank& rank : ranks) rank.add(SLK_OP_barrier, 0, kBarrier);
  }

  static std::vector<Rank> first(std::size_t iterations) {
    std::vector<Rank> ranks{Rank(0), Rank(1)};
    for (std::size_t i = 0; i < iterations; ++i) iterate(ranks, i);
    return ranks;
  }
  void write(const std::vector<Rank>& ranks, bool ended = false) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      RawReaderTest::write("rank-" + std::to_string(r) + ".slkraw",
                           ended || r == 0 ? ranks[r].file.bytes() : ranks[r].file.staged_bytes());
    }
  }

  static JobStatus job_of(std::uint64_t calls) {
    JobStatus job{.state = JobStatus::State::running, .size = 2};
    job.ranks.push_back({.whole = {.calls = calls}});
    return job;
  }
  EndedPhases phases() {
    PhaseWatch watch;
    watch.look(folder_, job_of(1000));
    EXPECT_TRUE(watch.known());
    return watch.known().value_or(EndedPhases{});
  }

  std::vector<FocusInterval> of_whole_run() {
    std::vector<Rank> ranks = first(3 * kIterations);
    for (Rank& rank : ranks) rank.add(SLK_OP_finalize, 0, 1000);
    write(ranks, true);
    const Trace trace = read_raw(folder_);
    return monitor(trace, CallMatching(trace), CallPaths(trace), {}).intervals;
  }
};

TEST_F(PhaseWatchTest, ThoseThatHaveEndedAreThoseOfTheWholeRun) {
  const std::vector<FocusInterval> whole = of_whole_run();
  ASSERT_EQ(whole.size(), 5u);  // start-up, three parts, shut-down
  for (const std::size_t part : {0u, 1u, 2u}) {
    std::vector<Rank> ranks = first(part * kIterations + 3 * kIterations / 4);
    const std::uint64_t cut = ranks[0].now - kStart;
    // Rank 1 is in a call, and rank 0 has passed another one.
    ranks[0].add(SLK_OP_send, 10'000, 10'000, 1);
    ranks[1].file.call(SLK_OP_recv, ranks[1].now + 10'000, 0, 0);
    write(ranks);
    const EndedPhases seen = phases();
    EXPECT_EQ(seen.obstacle, "");
    EXPECT_EQ(seen.until_ns, static_cast<std::int64_t>(cut));
    ASSERT_EQ(seen.intervals.size(), part + 1);
    for (std::size_t i = 0; i < seen.intervals.size(); ++i) {
      EXPECT_LE(std::abs(seen.intervals[i].begin_ns - whole[i].begin_ns), kBarrier);
      EXPECT_LE(std::abs(seen.intervals[i].end_ns - whole[i].end_ns), kBarrier);
      EXPECT_EQ(seen.intervals[i].kind, whole[i].kind);
      EXPECT_EQ(seen.intervals[i].phase, whole[i].phase);
      EXPECT_EQ(seen.intervals[i].waiting_ns, whole[i].waiting_ns);
      EXPECT_NEAR(seen.intervals[i].efficiency.useful, whole[i].efficiency.useful, 1e-4);
      EXPECT_NEAR(seen.intervals[i].efficiency.transfer, whole[i].efficiency.transfer, 1e-4);
    }
  }
}

TEST_F(PhaseWatchTest, OnePartIsNotToldWhileTheNextOneHasJustBegun) {
  write(first(kIterations + 5));  // of 4 ms, after 200 of 1 ms
  EXPECT_EQ(phases().intervals.size(), 1u);
  write(first(kIterations + 10));
  EXPECT_EQ(phases().intervals.size(), 2u);
}

TEST_F(PhaseWatchTest, NothingIsAnalysedThatFollowsAnOpenRequest) {
  std::vector<Rank> ranks = first(kIterations / 2);
  const std::uint64_t cut = ranks[0].now - kStart;
  ranks[0].add(SLK_OP_isend, 10'000, 10'000, 1, 7);
  ranks[1].add(SLK_OP_recv, 10'000, 10'000, 0);
  for (std::size_t i = kIterations / 2; i < 3 * kIterations / 2; ++i) iterate(ranks, i);
  write(ranks);
  const EndedPhases open = phases();
  EXPECT_EQ(open.until_ns, static_cast<std::int64_t>(cut));
  EXPECT_EQ(open.intervals.size(), 1u);
  ranks[0].add(SLK_OP_wait, 10'000, 10'000, SLK_PEER_NONE, 7);
  ranks[1].now = ranks[0].now;
  iterate(ranks, 0);
  write(ranks);
  EXPECT_EQ(phases().until_ns, static_cast<std::int64_t>(ranks[0].now - kStart));
}

TEST_F(PhaseWatchTest, NothingIsAnalysedThatFollowsAPollWithoutAnEnd) {
  std::vector<Rank> ranks = first(kIterations / 2);
  const std::uint64_t cut = ranks[0].now - kStart;
  const std::uint64_t begin = ranks[0].now += 10'000;
  ranks[0].file.add({begin, begin + 1'000, 0, 1, 5, 0, 0, 0, 0, SLK_FLAG_FAILED, SLK_OP_iprobe},
                    {1, 1'000});
  for (Rank& rank : ranks) rank.now = begin + 1'000;
  for (std::size_t i = 0; i < kIterations / 4; ++i) iterate(ranks, i);
  write(ranks);
  EXPECT_EQ(phases().until_ns, static_cast<std::int64_t>(cut));
  ranks[0].add(SLK_OP_recv, 0, 20'000, 1);  // what it polled for
  ranks[1].add(SLK_OP_send, 10'000, 10'000, 0);
  iterate(ranks, 0);
  write(ranks);
  EXPECT_EQ(phases().until_ns, static_cast<std::int64_t>(ranks[0].now - kStart));
}

TEST_F(PhaseWatchTest, SaysWhyThereAreNone) {
  write(first(0));
  EXPECT_EQ(phases().obstacle, "no collective of all ranks over which nothing is open");
  PhaseWatch watch;
  watch.look(folder_, job_of(1'000'001));
  ASSERT_TRUE(watch.known());
  EXPECT_THAT(watch.known()->obstacle, HasSubstr("more than 1,000,000 calls"));
  watch = {};
  watch.look(folder_ / "removed", job_of(1000));
  ASSERT_TRUE(watch.known());
  EXPECT_NE(watch.known()->obstacle, "");
}

TEST_F(PhaseWatchTest, LooksAgainWhenATenthWasAdded) {
  write(first(kIterations));
  PhaseWatch watch;
  const std::clock_t before = std::clock();
  watch.look(folder_, job_of(1000));
  const std::chrono::duration<double> look{static_cast<double>(std::clock() - before) /
                                           static_cast<double>(CLOCKS_PER_SEC)};
  std::this_thread::sleep_for(20 * look + std::chrono::milliseconds(1));  // of which it is 5 %
  watch.look(folder_, job_of(1099));
  EXPECT_EQ(watch.known()->calls, 1000u);
  watch.look(folder_, job_of(1101));
  EXPECT_EQ(watch.known()->calls, 1101u);
}

TEST_F(PhaseWatchTest, TakesFivePercentOfAProcessor) {
  const auto cpu_s = [] {
    return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
  };
  write(first(3 * kIterations));
  PhaseWatch watch;
  double most = 0;
  std::uint64_t calls = 2;
  const double begin_s = cpu_s();
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  while (elapsed() < 2) {
    const double before = cpu_s();
    watch.look(folder_, job_of(calls += calls / 8 + 1));
    most = std::max(most, cpu_s() - before);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LE(cpu_s() - begin_s, 0.07 * elapsed() + most);
}

}  // namespace
}  // namespace slackline
