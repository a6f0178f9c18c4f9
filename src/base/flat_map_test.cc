#include "base/flat_map.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>

namespace slackline {
namespace {

struct WeakHash {
  // Few distinct homes, so that runs form and deletion has to shift.
  std::uint64_t operator()(std::uint32_t key) const { return key % 7; }
};

TEST(FlatMap, behaves_like_a_map_under_random_insertions_and_erasures) {
  std::mt19937 random(7);
  FlatMap<std::uint32_t, int, WeakHash> table;
  std::map<std::uint32_t, int> model;
  for (int step = 0; step < 20000; ++step) {
    const auto key = static_cast<std::uint32_t>(random() % 50);
    const auto action = random() % 4;
    if (action < 2) {
      table[key] = step;
      model[key] = step;
    } else if (action == 2) {
      const std::optional<int> taken = table.take(key);
      const auto gone = model.find(key);
      ASSERT_EQ(taken, gone == model.end() ? std::nullopt : std::optional<int>(gone->second));
      model.erase(key);
    } else {
      table.erase(key);
      model.erase(key);
    }
    ASSERT_EQ(table.size(), model.size());
    const auto probe = static_cast<std::uint32_t>(random() % 50);
    const int* found = table.find(probe);
    const auto expected = model.find(probe);
    ASSERT_EQ(found != nullptr, expected != model.end());
    if (found != nullptr) {
      ASSERT_EQ(*found, expected->second);
    }
  }
  std::map<std::uint32_t, int> visited;
  table.for_each([&](std::uint32_t key, int value) { visited[key] = value; });
  EXPECT_EQ(visited, model);
}

TEST(FlatMap, an_empty_table_finds_nothing) {
  FlatMap<std::uint32_t, int, WeakHash> table;
  EXPECT_EQ(table.find(3), nullptr);
  EXPECT_EQ(table.take(3), std::nullopt);
  table.erase(3);
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace slackline
