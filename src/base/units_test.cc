#include "base/units.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace slackline {
namespace {

using namespace std::string_literals;

TEST(Units, times_are_exact_in_femtoseconds) {
  EXPECT_EQ(parse_time_fs("3us", "L"), 3'000'000'000);
  EXPECT_EQ(parse_time_fs("0.018 ns", "L"), 18'000);
  EXPECT_EQ(parse_time_fs("500ns", "o"), 500'000'000);
  EXPECT_EQ(parse_time_fs("0", "o"), 0);
  EXPECT_EQ(parse_time_fs("1h", "o"), 3'600'000'000'000'000'000);
  EXPECT_THROW(parse_time_fs("3h", "o"), Error) << "too large";
  EXPECT_EQ(parse_time_ns("3h", "--idle"), 10'800'000'000'000);
  EXPECT_EQ(parse_time_ns("1.5us", "--idle"), 1500);
  EXPECT_EQ(parse_time_ns("0", "--idle"), 0);
  EXPECT_THROW(parse_time_ns("2000000h", "--idle"), Error) << "228 years";
  EXPECT_THROW(parse_time_ns("10", "--idle"), Error);
}

TEST(Units, a_time_without_unit_or_sense_is_refused) {
  for (const char* text : {"3", "3 parsecs", "-1us", "", "us", "nan us", "1e30s", "4h"}) {
    EXPECT_THROW(parse_time_fs(text, "L"), Error) << text;
  }
}

TEST(Units, gap_per_byte_or_bandwidth) {
  EXPECT_EQ(parse_gap_per_byte_fs("0.018ns/B", "G"), 18'000);
  EXPECT_EQ(parse_gap_per_byte_fs("12.5GB/s", "G"), 80'000);
  EXPECT_EQ(parse_gap_per_byte_fs("100Gb/s", "G"), 80'000);
  EXPECT_THROW(parse_gap_per_byte_fs("12", "G"), Error);
  EXPECT_THROW(parse_gap_per_byte_fs("0GB/s", "G"), Error);
}

TEST(Units, sizes) {
  EXPECT_EQ(parse_bytes("256KiB", "S"), 262144u);
  EXPECT_EQ(parse_bytes("256k", "S"), 262144u);
  EXPECT_EQ(parse_bytes("1MB", "S"), 1000000u);
  EXPECT_EQ(parse_bytes("unlimited", "S"), UINT64_MAX);
  EXPECT_THROW(parse_bytes("12 apples", "S"), Error);
}

TEST(Units, degradations_are_exact_in_millionths) {
  EXPECT_EQ(parse_degradation_ppm("1%", "x"), 10'000);
  EXPECT_EQ(parse_degradation_ppm("0.05", "x"), 50'000);
  EXPECT_THROW(parse_degradation_ppm("one", "x"), Error);
}

TEST(Units, for_people) {
  EXPECT_EQ(format_time_ns(4635.943), "4.636 us");
  EXPECT_EQ(format_time_ns(999'960), "1.000 ms");
  EXPECT_EQ(format_time_ns(12), "12 ns");
  EXPECT_EQ(format_time_ns(0), "0 s");
  EXPECT_EQ(format_time_ns(2.5e9), "2.500 s");
  EXPECT_EQ(format_time_range_ns(1112041000, 1112453000), std::pair("1.1120 s"s, "1.1125 s"s));
  EXPECT_EQ(format_time_range_ns(1e9, 2e9), std::pair("1.000 s"s, "2.000 s"s));
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(12), "12");
  EXPECT_EQ(count_of(0, "rank"), "0 ranks");
  EXPECT_EQ(count_of(1, "rank"), "1 rank");
  EXPECT_EQ(count_of(1204, "message"), "1,204 messages");
  EXPECT_EQ(format_percent(0.1234), "12.3 %");
}

}  // namespace
}  // namespace slackline
