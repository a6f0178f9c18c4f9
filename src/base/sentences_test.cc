#include "base/sentences.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(Sentences, enumerations_end_with_and) {
  EXPECT_EQ(enumeration({}), "");
  EXPECT_EQ(enumeration({"a"}), "a");
  EXPECT_EQ(enumeration({"a", "b"}), "a and b");
  EXPECT_EQ(enumeration({"a", "b", "c"}), "a, b and c");
}

TEST(Sentences, percent_has_the_digits_it_needs) {
  EXPECT_EQ(percent_of_ppm(10'000), "1 %");
  EXPECT_EQ(percent_of_ppm(25'000), "2.5 %");
}

}  // namespace
}  // namespace slackline
