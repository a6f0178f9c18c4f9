#include "base/span_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace slackline {
namespace {

TEST(SpanPool, WhatIsTakenIsNobodyElses) {
  std::mt19937 random(3);
  SpanPool<unsigned> pool;
  std::vector<std::pair<std::span<unsigned>, unsigned>> taken;
  for (unsigned step = 0; step < 20'000; ++step) {
    if (!taken.empty() && random() % 2 == 0) {
      const std::size_t at = random() % taken.size();
      const auto [span, mark] = taken[at];
      ASSERT_TRUE(std::ranges::all_of(span, [&](unsigned value) { return value == mark; }));
      pool.give_back(span);
      taken[at] = taken.back();
      taken.pop_back();
    } else {
      const std::size_t size = random() % 500 == 0 ? 5000 : random() % 20;
      const std::span<unsigned> span = pool.take(size);
      ASSERT_EQ(span.size(), size);
      std::ranges::fill(span, step);
      taken.emplace_back(span, step);
    }
  }
}

TEST(SpanPool, WhatIsGivenBackIsTakenAgain) {
  SpanPool<int> pool;
  const std::span<int> first = pool.take(5);
  pool.give_back(first);
  EXPECT_NE(pool.take(4).data(), first.data());
  EXPECT_EQ(pool.take(5).data(), first.data());
  const std::span<int> first_long = pool.take(900);
  pool.give_back(first_long);
  EXPECT_EQ(pool.take(1000).data(), first_long.data());
}

}  // namespace
}  // namespace slackline
