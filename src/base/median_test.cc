#include "base/statistics.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

using Values = std::vector<double>;

TEST(Median, IsTheUpperOneOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median(Values{}), 0);
  EXPECT_EQ(median_of({}), 0);
  for (const std::vector<double>& odd : {std::vector<double>{7}, {9, 7, -1}, {8, 7, 0, 7, 6}}) {
    EXPECT_EQ(median(std::vector(odd)), 7);
    EXPECT_EQ(median_of(odd), 7);
  }
  EXPECT_EQ(median(Values{9, 1, 3, 2}), 3);
  EXPECT_EQ(median_of({9, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({4, 1}), 2.5);
}

TEST(Median, TheLowerOneIsTheOtherOfTheMiddleTwo) {
  Values even{9, 1, 3, 2}, odd{9, 1, 3}, none;
  EXPECT_EQ(lower_median(even), 2);
  EXPECT_EQ(lower_median(odd), 3);
  EXPECT_EQ(lower_median(none), 0);
}

}  // namespace
}  // namespace slackline
