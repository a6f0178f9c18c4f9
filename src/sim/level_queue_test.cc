#include "sim/level_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace slackline {
namespace {

TEST(LevelQueue, IsEmptyAtFirst) {
  EXPECT_EQ(LevelQueue(0).lowest(), LevelQueue::kNever);
  EXPECT_EQ(LevelQueue(5).lowest(), LevelQueue::kNever);
}

TEST(LevelQueue, HoldsASingleLink) {
  LevelQueue queue(1);
  queue.set(0, 3);
  EXPECT_EQ(queue.lowest(), 3);
  EXPECT_EQ(queue.first(), 0u);
}

TEST(LevelQueue, OfEqualLevelsTheLowerNumberComesFirst) {
  LevelQueue queue(6);
  queue.set(5, 2);
  queue.set(3, 2);
  EXPECT_EQ(queue.first(), 3u);
}

TEST(LevelQueue, KnowsTheLowestOfWhatMovesUpAndDown) {
  std::mt19937 random(11);
  std::vector<double> levels(37, LevelQueue::kNever);
  LevelQueue queue(levels.size());
  for (int i = 0; i < 5000; ++i) {
    const auto link = static_cast<LinkId>(random() % levels.size());
    levels[link] = random() % 4 == 0 ? LevelQueue::kNever : static_cast<double>(random() % 50);
    queue.set(link, levels[link]);
    const auto lowest = std::ranges::min_element(levels);
    ASSERT_EQ(queue.lowest(), *lowest);
    ASSERT_EQ(queue.level(link), levels[link]);
    if (*lowest == LevelQueue::kNever) continue;
    ASSERT_EQ(queue.first(), static_cast<LinkId>(lowest - levels.begin()));
  }
}

}  // namespace
}  // namespace slackline
