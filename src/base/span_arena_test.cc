#include "base/span_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace slackline {
namespace {

TEST(SpanArena, WhatIsTakenIsNobodyElses) {
  std::mt19937 random(3);
  SpanArena<unsigned> arena;
  std::vector<std::pair<std::span<unsigned>, unsigned>> taken;
  for (unsigned step = 0; step < 20'000; ++step) {
    if (!taken.empty() && random() % 2 == 0) {
      const std::size_t at = random() % taken.size();
      const auto [span, mark] = taken[at];
      ASSERT_TRUE(std::ranges::all_of(span, [&](unsigned value) { return value == mark; }));
      arena.release(span);
      taken[at] = taken.back();
      taken.pop_back();
    } else {
      const std::size_t size = random() % 500 == 0 ? 5000 : random() % 20;
      const std::span<unsigned> span = arena.allocate(size);
      ASSERT_EQ(span.size(), size);
      std::ranges::fill(span, step);
      taken.emplace_back(span, step);
    }
  }
}

TEST(SpanArena, WhatIsGivenBackIsTakenAgain) {
  SpanArena<int> arena;
  const std::span<int> first = arena.allocate(5);
  arena.release(first);
  EXPECT_NE(arena.allocate(4).data(), first.data());
  EXPECT_EQ(arena.allocate(5).data(), first.data());
  const std::span<int> first_long = arena.allocate(900);
  arena.release(first_long);
  EXPECT_EQ(arena.allocate(1000).data(), first_long.data());
}

}  // namespace
}  // namespace slackline
