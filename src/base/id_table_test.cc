#include "base/id_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace slackline {
namespace {

// Ids of keys that a list holds; few distinct homes, so that runs form and deletion has to shift.
TEST(IdTable, BehavesLikeAMapFromKeysToIds) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> key_of(1000);
  const auto hash_of_key = [](std::uint32_t key) { return std::uint64_t{key % 7}; };
  const auto hash_of = [&](std::uint32_t id) { return hash_of_key(key_of[id]); };
  IdTable table;
  std::map<std::uint32_t, std::uint32_t> model;
  for (int step = 0; step < 20'000; ++step) {
    const auto key = static_cast<std::uint32_t>(random() % 50);
    const auto id = static_cast<std::uint32_t>(random() % key_of.size());
    const std::uint32_t found =
        table.find(hash_of_key(key), [&](std::uint32_t other) { return key_of[other] == key; });
    const auto expected = model.find(key);
    ASSERT_EQ(found, expected == model.end() ? IdTable::kAbsent : expected->second);
    const bool is_free =
        std::ranges::none_of(model, [&](auto& entry) { return entry.second == id; });
    if (found == IdTable::kAbsent && is_free) {
      key_of[id] = key;
      table.insert(hash_of_key(key), id, hash_of);
      model[key] = id;
    } else if (found != IdTable::kAbsent && is_free && random() % 2 == 0) {
      key_of[id] = key;
      table.replace(hash_of_key(key), found, id);
      model[key] = id;
    } else if (found != IdTable::kAbsent) {
      table.erase(hash_of_key(key), found, hash_of);
      model.erase(key);
    }
    ASSERT_EQ(table.size(), model.size());
  }
  std::map<std::uint32_t, std::uint32_t> visited;
  table.for_each([&](std::uint32_t id) { visited[key_of[id]] = id; });
  EXPECT_EQ(visited, model);
}

}  // namespace
}  // namespace slackline
