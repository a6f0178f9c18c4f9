#include "sim/sharing/level_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace slackline {
namespace {

TEST(LevelQueue, IsEmptyAtFirst) {
  LevelQueue queue;
  EXPECT_EQ(queue.lowest(), LevelQueue::kNever);
  queue.add(7);
  EXPECT_EQ(queue.lowest(), LevelQueue::kNever);
}

TEST(LevelQueue, HoldsASingleLink) {
  LevelQueue queue;
  queue.set(queue.add(9), 3);
  EXPECT_EQ(queue.lowest(), 3);
  EXPECT_EQ(queue.first(), 9u);
}

TEST(LevelQueue, OfEqualLevelsTheLowerNumberComesFirst) {
  LevelQueue queue;
  for (const LinkId link : {5u, 3u, 8u}) queue.set(queue.add(link), 2);
  EXPECT_EQ(queue.first(), 3u);
}

TEST(LevelQueue, KnowsTheLowestOfWhatMovesUpAndDown) {
  std::mt19937 random(11);
  LevelQueue queue;
  for (int sweep = 0; sweep < 200; ++sweep) {
    std::vector<LinkId> links;
    std::map<LinkId, double> levels;
    const std::size_t most = 1 + random() % (sweep % 3 == 0 ? 700 : 20);
    for (int i = 0; i < 800; ++i) {
      const auto link = static_cast<LinkId>(random() % 1000);
      if (links.size() < most && levels.emplace(link, LevelQueue::kNever).second) {
        ASSERT_EQ(queue.add(link), links.size());
        links.push_back(link);
      }
      const auto slot = static_cast<LevelQueue::Slot>(random() % links.size());
      double& level = levels[links[slot]];
      level = random() % 4 == 0 ? LevelQueue::kNever : static_cast<double>(random() % 50);
      queue.set(slot, level);
      ASSERT_EQ(queue.level(slot), level);
      const auto lowest = std::ranges::min_element(
          levels, [](const auto& a, const auto& b) { return a.second < b.second; });
      ASSERT_EQ(queue.lowest(), lowest->second);
      if (lowest->second == LevelQueue::kNever) continue;
      ASSERT_EQ(queue.first(), lowest->first);
    }
    ASSERT_TRUE(std::ranges::equal(queue.links(), links));
    for (LevelQueue::Slot slot = 0; slot < links.size(); ++slot) {
      levels[links[slot]] = static_cast<double>(random() % 50);
      queue.put(slot, levels[links[slot]]);
    }
    queue.restore();
    const auto lowest = std::ranges::min_element(
        levels, [](const auto& a, const auto& b) { return a.second < b.second; });
    ASSERT_EQ(queue.first(), lowest->first);
    queue.clear();
    ASSERT_TRUE(queue.links().empty());
  }
}

}  // namespace
}  // namespace slackline
