#include "base/put_digits.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace slackline {
namespace {

template <class Number>
void expect_digits_of(Number value) {
  std::array<char, kNumberRoom> text;
  char* const end = put_number(text.data(), value);
  EXPECT_EQ(std::string(text.data(), end), std::to_string(value));
}

TEST(PutDigits, numbers_have_the_digits_that_the_library_gives_them) {
  for (std::uint32_t value = 0; value < 20'000; ++value) expect_digits_of(std::uint64_t{value});
  for (std::uint64_t power = 1; power < 10'000'000'000'000'000'000u; power *= 10) {
    for (const std::uint64_t near : {power - 1, power, power + 1}) {
      expect_digits_of(near);
      expect_digits_of(-static_cast<std::int64_t>(near));
    }
  }
  expect_digits_of(std::numeric_limits<std::uint64_t>::max());
  expect_digits_of(std::numeric_limits<std::int64_t>::max());
  expect_digits_of(std::numeric_limits<std::int64_t>::min());
  expect_digits_of(std::numeric_limits<std::int32_t>::min());
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) expect_digits_of(random() >> random() % 64);
}

// Every group of four digits, in both halves of eight.
TEST(PutDigits, all_fours_of_digits_are_exact) {
  for (std::uint64_t value = 0; value < 10'000; ++value) {
    expect_digits_of(value * 10'000 + 9'999 - value);
    expect_digits_of(7 * std::uint64_t{100'000'000} + value * 10'001);
  }
}

}  // namespace
}  // namespace slackline
