#include "formats/raw/clock_map.h"

#include <gtest/gtest.h>

#include <cstring>

namespace slackline {
namespace {

TEST(ClockMap, TwoSamplesGiveOffsetAndDrift) {
  slk_raw_header reference{};
  slk_raw_header rank{};
  rank.rank = 1;
  rank.clock_begin = {1000, 500, 10, 0, 1};
  rank.clock_end = {1001000, 1500, 10, 0, 1};
  const raw::ClockMap map = raw::clock_map(rank, reference);
  EXPECT_EQ(map(1000), 1500);
  EXPECT_EQ(map(1001000), 1002500);
  EXPECT_EQ(map(501000), 502000);
  EXPECT_EQ(map.error_ns, 10);
}

TEST(ClockMap, AChangeThatCannotBeToldFromErrorsIsAnError) {
  slk_raw_header reference{};
  slk_raw_header rank{};
  rank.rank = 1;
  rank.clock_begin = {1000, 500, 10, 0, 1};
  rank.clock_end = {1001000, 515, 8, 0, 1};
  const raw::ClockMap map = raw::clock_map(rank, reference);
  EXPECT_EQ(map(1001000), 1001500);
  EXPECT_EQ(map.error_ns, 15 + 8);  // what the last sample allows the clock to be off by then
}

TEST(ClockMap, NoClockDriftsByAHundredth) {
  slk_raw_header reference{};
  slk_raw_header rank{};
  rank.rank = 1;
  rank.clock_begin = {1000, 500, 10, 0, 1};
  rank.clock_end = {1001000, 500 + 10001, 10, 0, 1};  // over 1,000,000 ns
  const raw::ClockMap map = raw::clock_map(rank, reference);
  EXPECT_EQ(map(999'999'999'999'999'999), 1'000'000'000'000'000'499);
  EXPECT_EQ(map.error_ns, 10 + 10001);
}

TEST(ClockMap, OneClockIsLeftAlone) {
  slk_raw_header reference{};
  std::strcpy(reference.boot_id, "boot");
  slk_raw_header rank = reference;
  rank.rank = 1;
  rank.clock_begin = {1000, 50, 100, 0, 1};
  EXPECT_EQ(raw::clock_map(rank, reference)(5000), 5000);
  // More than the error: another time namespace.
  rank.clock_begin.offset_ns = 101;
  EXPECT_EQ(raw::clock_map(rank, reference)(5000), 5101);
  EXPECT_FALSE(raw::clock_map(
                   [] {
                     slk_raw_header elsewhere{};
                     elsewhere.rank = 1;
                     std::strcpy(elsewhere.host, "other");
                     return elsewhere;
                   }(),
                   reference)
                   .known);
}

TEST(ClockMap, AClockThatShowsAnotherTimeIsNotTheSameWhateverTheBoot) {
  constexpr std::uint64_t kYear = 31'557'600'000'000'000;
  slk_raw_header reference{};
  std::strcpy(reference.boot_id, "boot");
  slk_raw_header rank = reference;
  rank.rank = 1;
  EXPECT_TRUE(raw::clock_map(rank, reference).known);
  rank.monotonic_ns = 50 * kYear;  // and no sample
  EXPECT_FALSE(raw::clock_map(rank, reference).known);
}

TEST(ClockMap, AClockMayShowAnyTime) {
  constexpr std::int64_t kYear = 31'557'600'000'000'000;
  slk_raw_header reference{};
  for (const std::int64_t years : {-140, -50, 31, 50, 140}) {
    slk_raw_header rank{};
    rank.rank = 1;
    rank.monotonic_ns = static_cast<std::uint64_t>(years * kYear);
    rank.clock_begin = {years * kYear + 1000, -years * kYear + 7, 10, 0, 1};
    rank.clock_end = {years * kYear + 1'001'000, -years * kYear + 1007, 10, 0, 1};
    const raw::ClockMap map = raw::clock_map(rank, reference);
    EXPECT_TRUE(map.known);
    EXPECT_EQ(map(years * kYear + 1000), 1007);
    EXPECT_EQ(map(years * kYear + 1'001'000), 1'002'007);
    // A flipped bit in the offset is known by where it would put the rank.
    rank.clock_begin.offset_ns ^= std::int64_t{1} << 60;
    const raw::ClockMap damaged = raw::clock_map(rank, reference);
    EXPECT_FALSE(damaged.known);
    EXPECT_EQ(damaged(years * kYear + 5), 5);
  }
}

}  // namespace
}  // namespace slackline
