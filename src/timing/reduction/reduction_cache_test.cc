#include "timing/reduction/reduction_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "base/testing/scratch_folder.h"
#include "formats/goal/goal.h"
#include "timing/goal_reduction.h"
#include "timing/makespan.h"
#include "timing/testing/sealed_cache.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

class ReductionCacheTest : public ::testing::Test {
 protected:
  /// With edges of 16 bytes and wide ones.
  static ReducedLogGPS reduced() {
    const GoalProgram program = read_goal_text(
        "num_ranks 2\n"
        "rank 0 {\na: calc 6000000000\ns: send 9b to 1\ns requires a\nb: calc 5\n}\n"
        "rank 1 {\na: calc 5900000000\nr: recv 9b from 0\nr requires a\nc: calc 77\nc requires r\n"
        "d: calc 99\nd requires r\ne: calc 1\ne requires c\ne requires d\n}\n",
        "x.goal", 1);
    return *reduce_goal(program, "x.goal", {}, 1).reduced;
  }
  static PathLine line(const ReducedLogGPS& r) {
    MakespanFunction t(ReducedProgram(r), {3'000'000'000, 5'000'000'000, 18'000},
                       Parameter::latency);
    return t.line_at(t.base());
  }
  std::string bytes() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void overwrite(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary) << bytes;
  }
  fs::path path() const { return folder_ / "x.slkcache"; }

  ScratchFolder folder_;
};

TEST_F(ReductionCacheTest, GivesBackWhatWasWritten) {
  const ReducedLogGPS r = reduced();
  ASSERT_GT(r.wide.size(), 0u);
  ASSERT_TRUE(write_reduction_cache(path(), "key", r, "about it"));
  const CacheAnswer answer = read_reduction_cache(path(), "key");
  ASSERT_EQ(answer.state, CacheState::usable);
  EXPECT_EQ(answer.cached->about, "about it");
  EXPECT_EQ(line(answer.cached->reduced), line(r));
  EXPECT_EQ(answer.cached->reduced.slots, r.slots);
  EXPECT_TRUE(
      std::ranges::equal(std::as_bytes(answer.cached->reduced.edges), std::as_bytes(r.edges)));
}

TEST_F(ReductionCacheTest, AnswersOneKeyOnly) {
  ASSERT_TRUE(write_reduction_cache(path(), "key", reduced(), ""));
  EXPECT_EQ(read_reduction_cache(path(), "kez").state, CacheState::for_other_key);
  EXPECT_EQ(read_reduction_cache(path(), "keya").state, CacheState::for_other_key);
  EXPECT_EQ(read_reduction_cache(folder_ / "none", "key").state, CacheState::absent);
  EXPECT_EQ(read_reduction_cache(folder_.path(), "key").state, CacheState::absent);
}

TEST_F(ReductionCacheTest, NoByteCanBeChangedUnseen) {
  ASSERT_TRUE(write_reduction_cache(path(), "key", reduced(), "about"));
  const std::string whole = bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    overwrite(damaged);
    EXPECT_NE(read_reduction_cache(path(), "key").state, CacheState::usable) << "byte " << i;
  }
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{8}, std::size_t{127}, std::size_t{128}, whole.size() - 1}) {
    overwrite(whole.substr(0, length));
    EXPECT_EQ(read_reduction_cache(path(), "key").state, CacheState::damaged) << length;
  }
  std::string other = whole;
  ++other[8];
  overwrite(other);
  EXPECT_EQ(read_reduction_cache(path(), "key").state, CacheState::other_version);
}

/// Whoever can forge a cache can only do so where others may write.
TEST_F(ReductionCacheTest, OnlyOwnFilesThatNobodyElseCanWriteAreRead) {
  ASSERT_TRUE(write_reduction_cache(path(), "key", reduced(), "about"));
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path(), folder_ / "link");
  EXPECT_EQ(read_reduction_cache(folder_ / "link", "key").state, CacheState::absent);
  fs::permissions(path(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(read_reduction_cache(path(), "key").state, CacheState::absent);
}

TEST_F(ReductionCacheTest, SaysHowLargeItWillBe) {
  ASSERT_TRUE(write_reduction_cache(path(), "key", reduced(), "about"));
  EXPECT_EQ(reduction_cache_bytes("key", reduced(), "about"), fs::file_size(path()));
}

/// Bits are flipped and the hash is made anew, as by somebody who forges a cache. What is taken
/// then is what passes can run over: counts may be others, but none that the sums of the header
/// deny.
TEST_F(ReductionCacheTest, NoForgedFieldLeadsOutOfTheArrays) {
  ASSERT_TRUE(write_reduction_cache(path(), "key", reduced(), "about"));
  const std::string whole = bytes();
  ASSERT_EQ(sealed_cache(whole), whole);
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string forged = whole;
    for (int flips = 1 + i % 3; flips > 0; --flips) {
      const std::size_t at = random() % forged.size();
      forged[at] = static_cast<char>(forged[at] ^ (1 << random() % 8));
    }
    overwrite(sealed_cache(forged));
    const CacheAnswer answer = read_reduction_cache(path(), "key");
    if (answer.state != CacheState::usable) continue;
    const ReducedLogGPS& r = answer.cached->reduced;
    const PathLine t = line(r);
    EXPECT_GE(t.intercept, 0);
    EXPECT_LE(t.slope, r.longest.latencies);
  }
}

TEST_F(ReductionCacheTest, WhereItCannotBeWrittenNothingHappens) {
  EXPECT_FALSE(write_reduction_cache(folder_ / "no/such/folder", "key", reduced(), ""));
}

}  // namespace
}  // namespace slackline
