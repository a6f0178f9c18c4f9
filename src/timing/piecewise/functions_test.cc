#include "timing/piecewise/interval_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace slackline::piecewise {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Interval kInterval{{0, 1}, {12, 1}};
/// Values are compared at multiples of 1 / kGrid, which is finer than breakpoints can lie apart.
constexpr std::int64_t kGrid = 2520;

struct Function {
  Line first{};
  Breakpoints breakpoints{};

  FunctionView view() const { return {first, breakpoints}; }
  /// Times kGrid.
  Int128 at(std::int64_t grid) const {
    Line line = first;
    for (const Breakpoint& b : breakpoints) {
      if (compare(abscissa(b), {grid, kGrid}) <= 0) line += b;
    }
    return scaled_value(line, {grid, kGrid});
  }
};

/// Small numbers, so that functions meet, touch and coincide often.
Function random_function(std::mt19937& random) {
  const auto upto = [&](unsigned most) { return static_cast<std::int64_t>(random() % (most + 1)); };
  Function f{{upto(6), upto(4) - 2}, {}};
  for (std::int64_t x = 1 + upto(5); x < 12; x += 1 + upto(5)) {
    const std::int64_t turn = upto(4) - 2;
    if (turn != 0) f.breakpoints.push_back({-turn * x, turn});
  }
  return f;
}

void expect_wellformed(const Breakpoints& breakpoints) {
  for (std::size_t i = 0; i < breakpoints.size(); ++i) {
    EXPECT_NE(breakpoints[i].slope, 0);
    const Abscissa x = abscissa(breakpoints[i]);
    EXPECT_GT(compare(x, i == 0 ? kInterval.from : abscissa(breakpoints[i - 1])), 0);
    EXPECT_LT(compare(x, kInterval.to), 0);
  }
}

Function maximum_of(const Function& a, const Function& b) {
  Function result;
  switch (maximum(a.view(), b.view(), kInterval, result.first, result.breakpoints)) {
    case Larger::first:
      return a;
    case Larger::second:
      return b;
    case Larger::neither:
      break;
  }
  return result;
}

TEST(PiecewiseMaximum, OfLinesThatCrossHasOneBreakpoint) {
  const Function f = maximum_of({{10, 0}, {}}, {{3, 3}, {}});
  EXPECT_EQ(f.first, (Line{10, 0}));
  EXPECT_THAT(f.breakpoints, ElementsAre(Breakpoint{-7, 3}));
}

TEST(PiecewiseMaximum, OfLinesThatCrossAtTheEndsIsOneOfThem) {
  Line first{};
  Breakpoints breakpoints;
  EXPECT_EQ(maximum({{5, 0}, {}}, {{5, 1}, {}}, kInterval, first, breakpoints), Larger::second);
  EXPECT_EQ(maximum({{12, 0}, {}}, {{0, 1}, {}}, kInterval, first, breakpoints), Larger::first);
}

TEST(PiecewiseMaximum, EqualsPointwiseMaxima) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Function a = random_function(random);
    const Function b = random_function(random);
    const Function largest = maximum_of(a, b);
    expect_wellformed(largest.breakpoints);
    for (std::int64_t grid = 0; grid <= 12 * kGrid; grid += kGrid / 12) {
      ASSERT_EQ(static_cast<std::int64_t>(largest.at(grid)),
                static_cast<std::int64_t>(std::max(a.at(grid), b.at(grid))))
          << i << " at " << grid;
    }
  }
}

TEST(PiecewiseSum, OfAFunctionAndItsNegativeIsEmpty) {
  const Breakpoints a{{-7, 3}, {8, -2}};
  Breakpoints sum;
  subtract(a, a, sum);
  EXPECT_THAT(sum, IsEmpty());
}

TEST(PiecewiseSum, CombinesWhatLiesAtOnePlace) {
  // At 2, 3 and 3: the slope turns by 1 at 2 and by 5 at 3.
  Breakpoints breakpoints{{-6, 2}, {-2, 1}, {-9, 3}};
  sort_and_combine(breakpoints);
  EXPECT_THAT(breakpoints, ElementsAre(Breakpoint{-2, 1}, Breakpoint{-15, 5}));
}

TEST(PiecewiseSum, EqualsPointwiseDifferences) {
  std::mt19937 random(2);
  for (int i = 0; i < 2'000; ++i) {
    const Function a = random_function(random);
    const Function b = random_function(random);
    Function difference{a.first - b.first, {}};
    subtract(a.breakpoints, b.breakpoints, difference.breakpoints);
    expect_wellformed(difference.breakpoints);
    for (std::int64_t grid = 0; grid <= 12 * kGrid; grid += kGrid / 2) {
      ASSERT_EQ(static_cast<std::int64_t>(difference.at(grid)),
                static_cast<std::int64_t>(a.at(grid) - b.at(grid)));
    }
  }
}

}  // namespace
}  // namespace slackline::piecewise
