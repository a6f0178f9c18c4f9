#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "report/writers.h"

namespace slackline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(FormatValue, shows_each_unit_in_its_own_way) {
  EXPECT_EQ(format_value(4635.943, Unit::ns), "4.636 us");
  EXPECT_EQ(format_value(std::int64_t{64'145'000}, Unit::ns), "64.14 ms");
  EXPECT_EQ(format_value(1536.0, Unit::bytes), "1.5 KiB");
  EXPECT_EQ(format_value(-1536.0, Unit::bytes), "-1.5 KiB");
  EXPECT_EQ(format_value(0.031, Unit::ratio), "3.1 %");
  EXPECT_EQ(format_value(0.00012, Unit::ratio), "0.012 %");
  EXPECT_EQ(format_value(-0.054, Unit::points), "-5.4 pp");
  EXPECT_EQ(format_value(1234567.0, Unit::count), "1,234,567");
  EXPECT_EQ(format_value(2.5, Unit::count), "2.5");
  EXPECT_EQ(format_value(std::int64_t{-1234}, Unit::count), "-1,234");
  EXPECT_EQ(format_value(std::int64_t{1234567}, Unit::none), "1234567");  // a rank, a tag
  EXPECT_EQ(format_value(0.5, Unit::none), "0.5");
}

TEST(FormatValue, has_words_for_what_is_no_number) {
  EXPECT_EQ(format_value({}, Unit::ns), "-");
  EXPECT_EQ(format_value(std::nan(""), Unit::ns), "-");
  EXPECT_EQ(format_value(kInfinity, Unit::ns), "unlimited");
  EXPECT_EQ(format_value(-kInfinity, Unit::count), "-unlimited");
  EXPECT_EQ(format_value(-0.0, Unit::none), "0");
}

TEST(FormatValue, takes_the_ends_of_the_range) {
  EXPECT_EQ(format_value(std::numeric_limits<std::int64_t>::min(), Unit::count),
            "-9,223,372,036,854,775,808");
  EXPECT_EQ(format_value(1e300, Unit::count), "1e+300");
  EXPECT_EQ(format_value(1e300, Unit::none), "1e+300");
}

TEST(FormatValue, makes_text_safe_for_a_terminal) {
  EXPECT_EQ(format_value(std::string("a\x1b[2Jb"), Unit::none), "a [2Jb");
}

}  // namespace
}  // namespace slackline
