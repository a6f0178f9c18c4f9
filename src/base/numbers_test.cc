#include "base/text_parsing.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace slackline {
namespace {

TEST(NumberIn, IsAllOfTheText) {
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<double>("2.5e3"), 2500);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1"}) {
    EXPECT_FALSE(number_in<int>(text)) << text;
  }
}

TEST(NumberIn, FitsItsType) {
  EXPECT_EQ(number_in<std::uint8_t>("255"), 255);
  EXPECT_FALSE(number_in<std::uint8_t>("256"));
  EXPECT_FALSE(number_in<std::uint32_t>("-1"));
}

TEST(TakeNumber, LeavesWhatFollows) {
  std::string_view text = "17Hz";
  EXPECT_EQ(take_number<int>(text), 17);
  EXPECT_EQ(text, "Hz");
  EXPECT_FALSE(take_number<int>(text));
  EXPECT_EQ(text, "Hz");
}

}  // namespace
}  // namespace slackline
